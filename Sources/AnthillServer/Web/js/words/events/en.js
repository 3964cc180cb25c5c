import { words } from "../en.js";

export const events = {
  registered: () => "You created your account.",
  signed_in: () => "You signed in.",
  signed_out: () => "You signed out.",
  sign_in_ended: () => "You signed out one of your devices.",
  oldest_sign_in_ended: ({ device }) =>
    `${device ?? words.unknownDevice} was signed out. You had too many devices, and it was the oldest.`,
  other_sign_ins_ended: () => "You signed out all other devices.",
  calendar_feed_made: () => "You made an address for your calendar.",
  calendar_feed_ended: () => "You turned off the address for your calendar.",
  badge_made: () => "You made a badge of your own.",
  badge_ended: () => "You turned off your badge.",
  api_key_made: ({ key }) => ["You made a key for another program", key ? `: ${key}` : "."],
  api_key_ended: ({ key }) => ["You ended a key of another program", key ? `: ${key}` : "."],
  wrong_password: () => "Someone entered a wrong password.",
  password_changed: () => "You changed your password.",
  password_reset_requested: () => "Someone asked for an email to choose a new password.",
  password_reset: () => "A new password was chosen by email.",
  report_made: ({ reason }) => ["You reported someone on a board", reason ? `: “${reason}”` : "."],
  report_answered: ({ aboutMe, answer }) => [
    aboutMe ? "An admin answered your report" : "You answered a report",
    answer ? `: “${answer}”` : ".",
  ],
  service_suspended: ({ aboutMe, until, reason }) =>
    aboutMe
      ? `You were suspended from the global board until ${until}: “${reason}”`
      : `You suspended someone from the global board until ${until}: “${reason}”`,
  service_suspension_lifted: ({ aboutMe }) =>
    aboutMe ? "You were reinstated on the global board." : "You reinstated someone on the global board.",
  service_suspension_answered: ({ answer }) => `You replied to your suspension from the global board: “${answer}”`,
  mail_sent_again: () => "You had an email sent again.",
  site_admin_made: () => "You became an admin of this service.",
  site_admin_ended: () => "You are no longer an admin of this service.",
  nickname_changed: () => "You changed your nickname.",
  link_made: ({ aboutMe }) =>
    aboutMe
      ? "Someone who runs the service made a link for you to choose a new password."
      : "You made a link for someone to sign in or register.",
  admin_retract_interval: ({ reason }) => `The operator deleted a part of your study time: “${reason}”`,
  admin_record_interval_for: ({ reason }) => `The operator added study time for you: “${reason}”`,
  admin_stop_timer: ({ reason }) => `The operator stopped your timer: “${reason}”`,
  admin_confirm_session: ({ reason }) => `The operator entered when your stopped timer really ended: “${reason}”`,
  admin_amend_standing: ({ reason }) => `The operator amended your time in a final month: “${reason}”`,
  admin_change_clock: ({ aboutMe, reason }) =>
    aboutMe
      ? `The operator changed your time zone or the start of your day: “${reason}”`
      : `The operator changed the time zone or the start of the day of a group: “${reason}”`,
  admin_close_month: ({ month, reason }) => `The operator made ${month} of a group final: “${reason}”`,
  admin_rebuild_totals: ({ reason }) => `The operator recounted your study time: “${reason}”`,
  admin_suspend_user: ({ reason }) => `The operator suspended your account: “${reason}”`,
  admin_restore_user: ({ reason }) => `The operator opened your account again: “${reason}”`,
  admin_revoke_sign_ins: ({ reason }) => `The operator signed you out on all devices: “${reason}”`,
  admin_change_email: ({ reason }) => `The operator changed your address: “${reason}”`,
  admin_rename_user: ({ reason }) => `The operator changed your nickname: “${reason}”`,
  admin_remove_picture: ({ reason }) => `The operator removed your picture: “${reason}”`,
  admin_rename_group: ({ reason }) => `The operator changed the name of a group: “${reason}”`,
  admin_send_link: ({ aboutMe, reason }) =>
    aboutMe
      ? `The operator sent you an email to choose a new password: “${reason}”`
      : `The operator sent someone an email to register: “${reason}”`,
  admin_transfer_group: ({ group, reason }) => ["The operator made you the owner of ", group, `: “${reason}”`],
  admin_remove_member: ({ group, reason }) => ["The operator removed you from ", group, `: “${reason}”`],
  admin_delete_group: ({ reason }) => `The operator deleted a group: “${reason}”`,
  admin_merge_users: ({ reason }) => `The operator merged your other account into this one: “${reason}”`,
  admin_suspend_from_boards: ({ reason }) => `The operator suspended you from the global board: “${reason}”`,
  admin_return_to_boards: ({ reason }) => `The operator reinstated you on the global board: “${reason}”`,
  admin_answer_report: ({ reason }) => `The operator answered your report: “${reason}”`,
  admin_undo: ({ aboutMe, reason }) =>
    aboutMe
      ? `The operator undid an earlier change to your account: “${reason}”`
      : `The operator undid an earlier change: “${reason}”`,
  admin_requeue_mail: ({ reason }) => `The operator had failed emails sent again: “${reason}”`,
  admin_purge: ({ reason }) => `The operator removed what nobody needs any more: “${reason}”`,
  admin_end_all_sign_ins: ({ reason }) => `The operator signed everybody out: “${reason}”`,
  admin_erase_user: ({ reason }) => `The operator deleted an account: “${reason}”`,
  picture_changed: () => "You changed your picture.",
  picture_removed: () => "You removed your picture.",
  identity_linked: () => "You linked an account to sign in with.",
  identity_unlinked: () => "You unlinked an account to sign in with.",
  account_leaving: () => "You asked to delete your account.",
  account_kept: () => "You kept your account.",
  email_change_requested: () => "You asked to change your address.",
  email_change_withdrawn: () => "You withdrew the change of address.",
  email_changed: () => "Your new address was confirmed.",
  email_taken_back: () => "Your old address was kept with the link in our notice. The password was removed.",
  database_moved: () => "The service was brought back from a backup.",
  backup_made: () => "A backup of the service was made.",
  email_reminder_requested: () => "Someone asked whether your address has an account.",
  member_joined: ({ group }) => ["You joined ", group, "."],
  member_left: ({ group }) => ["You left ", group, "."],
  member_removed: ({ aboutMe, group }) => [aboutMe ? "You were removed from " : "You removed a member from ", group, "."],
  member_banned: ({ aboutMe, group }) => [aboutMe ? "You were banned from " : "You banned a member from ", group, "."],
  ban_lifted: ({ aboutMe, group }) => [
    aboutMe ? "You are no longer banned from " : "You lifted a ban on someone in ",
    group,
    ".",
  ],
  member_role_changed: ({ aboutMe, group, from, to }) =>
    aboutMe
      ? ["Your role in ", group, ` changed: ${words.groups.roles[from]} → ${words.groups.roles[to]}.`]
      : ["You changed a member's role in ", group, `: ${words.groups.roles[from]} → ${words.groups.roles[to]}.`],
  group_renamed: ({ old_name: from, new_name: to }) => `You renamed a group: ${from} → ${to}`,
  group_deleted: ({ byMe, old_name: name, reason }) => {
    if (byMe) return name ? `You deleted the group ${name}.` : "You deleted a group.";
    return reason ? `The operator deleted the group ${name}: “${reason}”` : `Its owner deleted the group ${name}.`;
  },
  join_requested: ({ group }) => ["You asked to join ", group, "."],
  join_accepted: ({ aboutMe, group }) => [aboutMe ? "You were let into " : "You let someone into ", group, "."],
  join_declined: ({ aboutMe, group }) => [
    aboutMe ? "Your request was declined by " : "You declined a request to join ",
    group,
    ".",
  ],
  months_published: ({ group }) => ["You made the final months of ", group, " public."],
  months_unpublished: ({ group }) => ["You made the final months of ", group, " private."],
  board_published: ({ group }) => ["You made the board of ", group, " public."],
  board_unpublished: ({ group }) => ["You made the board of ", group, " private."],
  notice_written: ({ group }) => ["You wrote a notice to ", group, "."],
  notice_removed: ({ group }) => ["You removed the notice of ", group, "."],
  webhook_added: ({ group }) => ["You added a webhook to ", group, "."],
  webhook_changed: ({ group }) => ["You changed a webhook of ", group, "."],
  webhook_removed: ({ group }) => ["You removed a webhook of ", group, "."],
  webhook_off: ({ group }) => ["A webhook of ", group, " was turned off."],
  cycle_set: ({ group }) => ["You set the shared cycle of ", group, "."],
  cycle_ended: ({ group }) => ["You ended the shared cycle of ", group, "."],
  rules_declared: ({ group, from_month: month }) => ["You announced new rules for ", group, ` from ${month} on.`],
  invitation_created: ({ group }) => ["You made an invitation to ", group, "."],
  invitation_revoked: ({ group }) => ["You withdrew an invitation to ", group, "."],
  member_suspended: ({ aboutMe, group, until, reason }) => [
    aboutMe ? "You were suspended from the boards of " : "You suspended a member from the boards of ",
    group,
    ` until ${until}: “${reason}”`,
  ],
  suspension_lifted: ({ aboutMe, group }) => [
    aboutMe ? "You were reinstated on the boards of " : "You reinstated a member on the boards of ",
    group,
    ".",
  ],
  suspension_answered: ({ group, answer }) => ["You replied to your suspension in ", group, `: “${answer}”`],
  standing_amended: ({ aboutMe, group, month }) => [
    aboutMe ? `Your time of ${month} was amended in ` : `You amended a member's time of ${month} in `,
    group,
    ".",
  ],
};
