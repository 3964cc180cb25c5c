import API
import HTTP

extension GroupsError {
    /// In words for the person.
    package var detail: Localized {
        switch self {
        case .notFound:
            Localized(ko: "그런 모임이 없거나, 볼 수 없는 모임이에요.", en: "There is no such group, or it is not for you to see.")
        case .notAllowed:
            Localized(ko: "모임에서 맡은 역할로는 할 수 없는 일이에요.", en: "Your role in this group does not allow that.")
        case .invalidName:
            Localized(ko: "모임 이름은 1~50자여야 해요.", en: "A group's name has 1 to 50 characters.")
        case .invalidDescription:
            Localized(ko: "소개는 500자까지 쓸 수 있어요.", en: "A description has at most 500 characters.")
        case .invalidColour:
            Localized(ko: "색은 \(Colour.names) 중 하나예요.", en: "A colour is one of \(Colour.names).")
        case .invalidEmoji:
            Localized(ko: "이모지를 하나만 골라 주세요.", en: "Choose one emoji.")
        case .invalidMonthGoal:
            Localized(
                ko: "한 달 목표는 1분부터 정할 수 있어요. \(RuleNumber.mostMembers)명이 쉬지 않고 31일을 공부해도 닿지 못할 목표는 안 돼요.",
                en:
                    "A month's goal is at least 1 minute, and no more than \(RuleNumber.mostMembers) members can study in 31 days."
            )
        case .invalidRole:
            Localized(ko: "역할은 owner, admin, member 중 하나예요.", en: "A role is owner, admin or member.")
        case .invalidVisibility:
            Localized(
                ko: "공개 범위는 shown, nickname, hidden 중 하나예요.", en: "A visibility is shown, nickname or hidden.")
        case .unknownTimeZone:
            Localized(ko: "모르는 시간대예요.", en: "This time zone is not known here.")
        case .invalidDayStart:
            Localized(ko: "하루의 시작은 05:00처럼 적어 주세요.", en: "Write the start of the day like 05:00.")
        case .invalidDailyCap:
            Localized(
                ko: "하루 한도는 1분에서 24시간 사이여야 해요.", en: "The daily cap is between 1 minute and 24 hours, in seconds.")
        case .invalidUses:
            Localized(
                ko: "초대 횟수는 1~\(RuleNumber.mostInvitationUses)번이에요.",
                en: "An invitation is for 1 to \(RuleNumber.mostInvitationUses) uses.")
        case .invalidExpiry:
            Localized(
                ko: "초대는 1~\(RuleNumber.mostInvitationDays)일 동안 쓸 수 있어요.",
                en: "An invitation lasts 1 to \(RuleNumber.mostInvitationDays) days.")
        case .invitationExpired:
            Localized(
                ko: "이 초대는 더 이상 쓸 수 없어요. 새 초대를 부탁해 보세요.",
                en: "This invitation can no longer be used. Ask for a new one.")
        case .alreadyMember:
            Localized(ko: "이미 이 모임에 있어요.", en: "You are in this group already.")
        case .banned:
            Localized(ko: "이 모임에는 들어갈 수 없어요.", en: "You cannot join this group.")
        case .lastOwner:
            Localized(
                ko: "모임에는 모임장이 한 명은 있어야 해요. 먼저 다른 사람에게 맡겨 주세요.",
                en: "A group needs an owner. Make somebody else the owner first.")
        case .alreadyOwner:
            Localized(ko: "이미 내가 모임장이에요. 다른 사람을 골라 주세요.", en: "You own this group already. Choose somebody else.")
        case .tooManyGroups:
            Localized(
                ko: "모임은 \(RuleNumber.mostGroups)개까지 함께할 수 있어요.",
                en: "You can be in at most \(RuleNumber.mostGroups) groups.")
        case .groupFull:
            Localized(ko: "이 모임은 자리가 다 찼어요.", en: "This group is full.")
        case .invalidReason:
            Localized(ko: "까닭을 500자 안으로 적어 주세요.", en: "Give a reason of 1 to 500 characters.")
        case .invalidAnswer:
            Localized(ko: "답을 500자 안으로 적어 주세요.", en: "Write an answer of 1 to 500 characters.")
        case .invalidTime:
            Localized(
                ko: "시각은 2026-11-28T20:00:00Z처럼 초까지 적어요.",
                en: "Write the time in whole seconds, like 2026-11-28T20:00:00Z.")
        case .suspensionUntil:
            Localized(
                ko: "지금보다 뒤, \(RuleNumber.longestSuspensionDays)일 안의 시각을 골라 주세요.",
                en: "Choose an instant ahead, at most \(RuleNumber.longestSuspensionDays) days from now.")
        case .notYourself:
            Localized(ko: "나를 순위에서 뺄 수는 없어요. 다른 사람을 골라 주세요.", en: "You cannot suspend yourself. Choose somebody else.")
        case .alreadySuspended:
            Localized(ko: "이미 순위에서 빠져 있는 사람이에요.", en: "They are suspended already.")
        case .suspensionOver:
            Localized(ko: "이미 끝난 일이에요. 다시 순위에 올라 있어요.", en: "This suspension is over already.")
        }
    }
}
