import API
import Accounts
import HTTP

/// What a group refuses.
package struct GroupsRefusals: Refusals {
    /// No such group, member, invitation or suspension, or not for the caller to know.
    let notFound = Refusal(
        .notFound, "not_found", on: "group_not_found", "member_not_found", "invitation_not_found",
        "suspension_not_found", "join_request_not_found", ko: "찾을 수 없어요. 그사이 없어졌거나 볼 수 없는 모임이에요.",
        en: "This was not found. It may be gone by now, or the group is not for you to see.")
    /// The member's role does not allow it.
    package let notAllowed = Refusal(
        .forbidden, "not_allowed", on: "needs_admin", "needs_owner", "own_suspension", "not_concerned",
        ko: "모임에서 맡은 역할로는 할 수 없는 일이에요.", en: "Your role in this group does not allow that.")
    let invalidName = Refusal(
        .unprocessable, "invalid_name", on: "groups_name", field: "name",
        ko: "모임 이름은 1~60자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A group's name has 1 to 60 characters, none of them invisible.")
    let invalidDescription = Refusal(
        .unprocessable, "invalid_description", on: "groups_description", field: "description",
        ko: "소개는 500자까지이고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A description has at most 500 characters, none of them invisible.")
    let invalidColour = Refusal(
        .unprocessable, "invalid_colour", on: "groups_colour", field: "colour",
        ko: "색은 \(Colour.names) 중 하나예요.", en: "A colour is one of \(Colour.names).")
    let invalidEmoji = Refusal(
        .unprocessable, "invalid_emoji", on: "groups_emoji", field: "emoji",
        ko: "이모지를 하나만 골라 주세요.", en: "Choose one emoji.")
    let invalidMonthGoal = Refusal(
        .unprocessable, "invalid_month_goal", on: "groups_month_goal_seconds", field: "month_goal_seconds",
        ko: "한 달 목표는 1분부터, 멤버 \(RuleNumber.mostMembers)명이 31일 내내 공부한 시간까지 정할 수 있어요.",
        en:
            "A month's goal is between 1 minute and what \(RuleNumber.mostMembers) members could study in 31 days."
    )
    let invalidRole = Refusal(
        .unprocessable, "invalid_role", field: "role",
        ko: "역할은 owner, admin, member 중 하나예요.", en: "A role is owner, admin or member.")
    let invalidVisibility = Refusal(
        .unprocessable, "invalid_visibility", field: "visibility",
        ko: "공개 범위는 shown, nickname, hidden 중 하나예요.", en: "A visibility is shown, nickname or hidden.")
    let unknownTimeZone = Refusal.accounts.unknownTimeZone.at("rules.time_zone")
    let invalidDayStart = Refusal(
        .unprocessable, "invalid_day_start", on: "ranking_rules_day_starts_at", field: "rules.day_starts_at",
        ko: "하루는 낮 \(RuleNumber.dayStartsBeforeHour)시 전에 시작해야 해요.",
        en: "A day starts before \(RuleNumber.dayStartsBeforeHour):00, like 05:00.")
    let invalidDailyCap = Refusal(
        .unprocessable, "invalid_daily_cap", on: "ranking_rules_daily_cap_seconds", field: "rules.daily_cap_seconds",
        ko: "하루 한도는 1분에서 24시간 사이여야 해요.", en: "The daily cap is between 1 minute and 24 hours, in seconds.")
    let invalidUses = Refusal(
        .unprocessable, "invalid_uses", on: "invitation_uses", field: "uses",
        ko: "최대 인원은 1~\(RuleNumber.mostInvitationUses)명이에요.",
        en: "The limit is 1 to \(RuleNumber.mostInvitationUses) people.")
    let invalidExpiry = Refusal(
        .unprocessable, "invalid_expiry", on: "invitation_days", field: "expires_in_days",
        ko: "초대는 1~\(RuleNumber.mostInvitationDays)일 동안 쓸 수 있어요.",
        en: "An invitation lasts 1 to \(RuleNumber.mostInvitationDays) days.")
    /// The invitation was used up, has run out, or its group is gone.
    let invitationExpired = Refusal(
        .gone, "invitation_expired", on: "invitation_expired",
        ko: "이 초대는 더 이상 쓸 수 없어요. 새 초대를 부탁해 보세요.",
        en: "This invitation can no longer be used. Ask for a new one.")
    let alreadyMember = Refusal(
        .conflict, "already_member", on: "already_member",
        ko: "이미 이 모임에 있어요.", en: "You are in this group already.")
    let banned = Refusal(
        .forbidden, "banned", on: "banned", ko: "이 모임에는 들어갈 수 없어요.", en: "You cannot join this group.")
    /// A group always has an owner.
    let lastOwner = Refusal(
        .conflict, "last_owner", on: "last_owner",
        ko: "모임에는 모임장이 한 명은 있어야 해요. 먼저 다른 사람에게 맡겨 주세요.",
        en: "A group needs an owner. Make somebody else the owner first.")
    /// The final board of a month keeps everybody who was on it, so it is written before the group goes.
    let monthDue = Refusal(
        .conflict, "month_due", on: "month_due",
        ko: "지난달 순위가 지금 확정되고 있어요. 잠시 뒤에 다시 시도해 주세요.",
        en: "A month of this group is being made final. Try again in a minute.")
    /// Nobody hands a group on to themselves.
    let alreadyOwner = Refusal(
        .conflict, "already_owner", on: "already_owner", field: "uid",
        ko: "이미 내가 모임장이에요. 다른 사람을 골라 주세요.", en: "You own this group already. Choose somebody else.")
    let tooManyGroups = Refusal(
        .conflict, "too_many_groups", on: "too_many_groups",
        ko: "모임은 \(RuleNumber.mostGroups)개까지 함께할 수 있어요. 먼저 한 모임에서 나가 주세요.",
        en: "You can be in at most \(RuleNumber.mostGroups) groups. Leave one first.")
    let groupFull = Refusal(
        .conflict, "group_full", on: "group_full", ko: "이 모임은 자리가 다 찼어요.", en: "This group is full.")
    let invalidReason = Refusal(
        .unprocessable, "invalid_reason", on: "suspensions_reason", "reports_reason", field: "reason",
        ko: "사유를 500자 안으로, 보이지 않는 글자 없이 적어 주세요.",
        en: "Give a reason of 1 to 500 characters, none of them invisible.")
    let invalidAnswer = Refusal(
        .unprocessable, "invalid_answer", on: "suspensions_answer", "reports_answer", field: "answer",
        ko: "답을 500자 안으로, 보이지 않는 글자 없이 적어 주세요.",
        en: "Write an answer of 1 to 500 characters, none of them invisible.")
    /// `until` does not lie ahead, or further than a suspension lasts.
    let suspensionUntil = Refusal(
        .unprocessable, "suspension_until", on: "suspensions_order", "suspensions_until", field: "until",
        ko: "지금보다 뒤, \(RuleNumber.longestSuspensionDays)일 안의 시각을 골라 주세요.",
        en: "Choose a time in the future, at most \(RuleNumber.longestSuspensionDays) days from now.")
    let notYourself = Refusal(
        .unprocessable, "not_yourself", on: "suspensions_not_oneself", field: "uid",
        ko: "나를 정지할 수는 없어요. 다른 사람을 골라 주세요.", en: "You cannot suspend yourself. Choose somebody else.")
    let alreadySuspended = Refusal(
        .conflict, "already_suspended", on: "suspensions_one_at_a_time", "suspensions_one_of_service",
        ko: "이미 정지된 사람이에요.", en: "They are suspended already.")
    /// It has ended or was lifted.
    let suspensionOver = Refusal(
        .conflict, "suspension_over", on: "suspension_over",
        ko: "이미 끝난 정지예요.", en: "This suspension is over already.")
    let invalidNotice = Refusal(
        .unprocessable, "invalid_notice", on: "group_notices_words", field: "text",
        ko: "공지는 1~\(RuleNumber.mostNoticeCharacters)자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A notice has 1 to \(RuleNumber.mostNoticeCharacters) characters, none of them invisible.")
    /// What somebody says with a request to join.
    let invalidWords = Refusal(
        .unprocessable, "invalid_text", on: "join_requests_words", field: "text",
        ko: "하고 싶은 말은 \(RuleNumber.mostNoticeCharacters)자까지이고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A message has at most \(RuleNumber.mostNoticeCharacters) characters, none of them invisible.")
    let alreadyAsked = Refusal(
        .conflict, "already_asked", on: "join_requests_one_open",
        ko: "이미 가입을 신청한 모임이에요.", en: "You have asked to join this group already.")
    let declinedLately = Refusal(
        .conflict, "declined_lately", on: "declined_lately",
        ko: "이 모임이 신청을 거절했어요. 거절된 지 \(RuleNumber.joinRequestPauseDays)일이 지나면 다시 신청할 수 있어요.",
        en: "This group declined your request. You can ask again \(RuleNumber.joinRequestPauseDays) days after that.")
    let tooManyJoinRequests = Refusal(
        .conflict, "too_many_join_requests", on: "too_many_join_requests",
        ko: "답을 기다리는 신청은 \(RuleNumber.mostJoinRequests)개까지 둘 수 있어요. 먼저 하나를 취소해 주세요.",
        en: "You can have \(RuleNumber.mostJoinRequests) requests open at once. Withdraw one first.")
    /// Of somebody whose request an admin accepts.
    let askerHasTooManyGroups = Refusal(
        .conflict, "asker_has_too_many_groups", on: "asker_has_too_many_groups",
        ko: "신청한 사람이 이미 모임 \(RuleNumber.mostGroups)개에 있어서 들어올 수 없어요.",
        en: "They are in \(RuleNumber.mostGroups) groups already and cannot join one more.")
    let invalidCycle = Refusal(
        .unprocessable, "invalid_cycle", on: "group_cycles_study_minutes", "group_cycles_rest_minutes",
        "group_cycles_length", field: "study_minutes", ko: "공부와 쉬는 시간은 1분부터이고, 둘을 더해 24시간까지예요.",
        en: "Study and rest last at least 1 minute each, and at most 24 hours together.")
    let invalidMinute = Refusal(
        .unprocessable, "invalid_minute", on: "group_cycles_minute", field: "minute",
        ko: "분은 0에서 59 사이의 수예요.", en: "The minute is a number from 0 to 59.")
    let alreadyCheered = Refusal(
        .conflict, "already_cheered", on: "cheers_key",
        ko: "오늘은 이미 응원한 사람이에요.", en: "You have cheered them today already.")
    let tooManyCheers = Refusal(
        .conflict, "too_many_cheers", on: "too_many_cheers",
        ko: "응원은 하루에 \(RuleNumber.mostCheersADay)번까지 할 수 있어요.",
        en: "You can cheer \(RuleNumber.mostCheersADay) times a day.")
    /// Nobody cheers themselves.
    let cheersNotOneself = Refusal(
        .unprocessable, "not_yourself", on: "cheers_not_oneself", field: "uid",
        ko: "나를 응원할 수는 없어요. 다른 사람을 골라 주세요.", en: "You cannot cheer yourself. Choose somebody else.")
}

extension Refusal {
    package static let groups = GroupsRefusals()
}
