import HTTP

/// What the service is called, and people who have no name for the reader.
extension Localized {
    package static let anthill = Localized(ko: "공부 개미", en: "Anthill")
    /// In place of the name of somebody who hides.
    package static let someone = Localized(ko: "비공개 멤버", en: "Someone")
    /// In place of the name of somebody who has no account any more.
    package static let someoneWhoLeft = Localized(ko: "탈퇴한 멤버", en: "Someone who left")
}
