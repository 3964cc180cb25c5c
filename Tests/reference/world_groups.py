"""What the people of a world choose for themselves, and with whom they study."""

import study_model as model
from study_clock import utc


class Choices:
    def move(self, user):
        user.clock = self.clock()
        self.agree("SELECT set_study_clock(%s, %s, %s)", (user.uid, *user.clock), None)

    def go_global(self, user):
        user.wants_global = self.chance.random() < 0.7
        user.follow_global(self.now)
        self.agree("SELECT set_global_board(%s, %s)", (user.uid, user.wants_global), None)

    def keep_off_or_put_back(self, user):
        """A site admin suspends somebody from the service's own boards, or lifts that."""
        if user.kept_off and self.chance.random() < 0.5:
            lift = "SELECT lift_service_suspension(%s, %s)", (self.admin, user.kept_off[1])
            self.agree(*lift, None)
            self.agree(*lift, "suspension_over")
            user.kept_off = None
            user.follow_global(self.now)
            return
        until = self.now + self.chance.choice([0, 1, 3600, 86400, 5 * 86400])
        verdict = "suspensions_order" if until == self.now else "suspensions_one_of_service" if user.kept_off else None
        made = self.agree("SELECT suspend_from_service(%s, %s, 'why', %s)", (self.admin, user.uid, utc(until)), verdict)
        if made:
            user.kept_off = until, made[0][0]
            user.follow_global(self.now)

    def put_back(self):
        """People whose suspension is over are back on the global board, as a worker sees to."""
        due = [user for user in self.users if user.kept_off and user.kept_off[0] <= self.now]
        assert self.schema.value("SELECT return_after_suspensions()") == len(due)
        for user in due:
            user.kept_off = None
            user.follow_global(self.now)


class Groups:
    def found_group(self, owner):
        rules = self.rules()
        group_id = self.schema.value(
            "SELECT create_group(%s, 'G', '', %s, %s, %s, %s)", owner.uid, *rules.clock, rules.cap, rules.manual_counts
        )
        group = model.Group(group_id, [(rules.first_open_month(self.now), rules)])
        code = f"code of {group_id}"
        self.schema.rows("SELECT create_invitation(%s, %s, %s, NULL, 365)", owner.uid, group_id, code)
        self.groups.append(group)
        self.enter(owner, group)

    def enter(self, user, group):
        group.stays.append([user, self.now, None])
        model.renew(user, self.groups, [r for _, r in group.rules], self.now)

    def join_or_leave(self, user):
        group = self.chance.choice(self.groups)
        owner = group.stays[0][0]
        if user is owner:
            self.agree("SELECT remove_member(%s, %s, %s)", (user.uid, group.id, user.uid), "last_owner")
        elif user in group.members():
            self.agree("SELECT accept_invitation(%s, %s)", (user.uid, f"code of {group.id}"), "already_member")
            stay = next(s for s in group.stays if s[0] is user and s[2] is None)
            if stay[1] < self.now:
                stay[2] = self.now
            else:
                group.stays.remove(stay)
                # Who comes back appears as when they left, unless nothing is left of their stays.
                if not any(s[0] is user for s in group.stays):
                    group.hidden.discard(user)
            model.renew(user, self.groups, [r for _, r in group.rules], self.now)
            self.agree("SELECT remove_member(%s, %s, %s)", (owner.uid, group.id, user.uid), None)
        else:
            self.enter(user, group)
            self.agree("SELECT accept_invitation(%s, %s)", (user.uid, f"code of {group.id}"), None)

    def hide_or_show(self, user):
        for group in self.groups:
            if user in group.members():
                visibility = self.chance.choice(["shown", "nickname", "hidden", "hidden"])
                (group.hidden.add if visibility == "hidden" else group.hidden.discard)(user)
                self.schema.connection.execute(
                    "UPDATE group_members SET visibility = %s WHERE uid = %s AND group_id = %s",
                    [visibility, user.uid, group.id],
                )

    def suspend_or_lift(self, user):
        group = self.chance.choice(self.groups)
        owner = group.stays[0][0]
        running = group.suspension_of(user, self.now)
        if running and self.chance.random() < 0.5:
            self.agree("SELECT lift_suspension(%s, %s, %s)", (owner.uid, group.id, running[3]), None)
            running[2] = self.now
            self.agree("SELECT lift_suspension(%s, %s, %s)", (owner.uid, group.id, running[3]), "suspension_over")
            return
        until = self.now + self.chance.choice([0, 1, 3600, 86400, 5 * 86400, 40 * 86400])
        verdict = (
            "member_not_found" if user not in group.members()
            else "suspensions_not_oneself" if user is owner
            else "suspensions_order" if until == self.now
            else "suspensions_one_at_a_time" if running
            else None
        )  # fmt: skip
        made = self.agree("SELECT suspend_member(%s, %s, %s, 'why', %s)", (owner.uid, group.id, user.uid, utc(until)), verdict)
        if made:
            group.suspensions.append([user, self.now, until, made[0][0]])

    def other_rules(self, _):
        group, rules = self.chance.choice(self.groups), self.rules()
        model.change_rules(group, rules, self.groups, self.now)
        self.agree(
            "SELECT change_group_rules(%s, %s, %s, %s, %s, %s)",
            (group.stays[0][0].uid, group.id, *rules.clock, rules.cap, rules.manual_counts), None,
        )  # fmt: skip
