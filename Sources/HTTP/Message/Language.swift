/// The languages Anthill speaks.
package enum Language: String, Sendable, CaseIterable, Codable {
    case ko
    case en

    /// The best match for an `Accept-Language` value by its weights; English when nothing matches.
    package init(accepting header: String?) {
        var best: (language: Language, weight: Double)?
        for entry in (header ?? "").split(separator: ",") {
            let parts = entry.split(separator: ";").map { $0.trimmed.lowercased() }
            guard let tag = parts.first,
                let language = Language(rawValue: String(tag.prefix { $0 != "-" })) ?? (tag == "*" ? .en : nil)
            else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > (best?.weight ?? 0) { best = (language, weight) }
        }
        self = best?.language ?? .en
    }
}

/// The same sentence in every language of the product.
package struct Localized: Sendable, Hashable {
    package let ko: String
    package let en: String

    package init(ko: String, en: String) {
        self.ko = ko
        self.en = en
    }

    package subscript(_ language: Language) -> String {
        switch language {
        case .ko: ko
        case .en: en
        }
    }
}

extension Substring {
    /// Without the spaces and tabs around it.
    var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
