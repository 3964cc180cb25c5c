import API
import HTTP

/// A letter as HTML, in the colours of the product: paper above, soil below, leaves for what is to be done.
///
/// Mail programs drop scripts, often style sheets, and ask before they load pictures: every style stands on its element,
/// and there are no pictures. The one style sheet is for dark screens; where it is dropped, the letter stays light.
struct LetterPage {
    let letter: Letter
    let language: Language

    var html: String {
        let subject = letter.subject[language].escapedForHTML
        let link = letter.action.link.escapedForHTML
        return """
            <!doctype html>
            <html lang="\(language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(subject)</title>
            <style>
            @media (prefers-color-scheme: dark) {
            .paper { background: #15120d !important; color: #f4ebdb !important; }
            .card { background: #1f1a13 !important; border-color: #383025 !important; }
            .button { background: #8fc77c !important; color: #12200e !important; }
            .leaf { color: #9ed48b !important; }
            .quiet { color: #cdbfa9 !important; }
            }
            </style>
            </head>
            <body class="paper" style="margin:0;background:#faf5e9;color:#2b2118">
            <div class="paper" style="padding:24px 16px;background:#faf5e9;color:#2b2118;\
            font:16px/1.6 -apple-system,'Apple SD Gothic Neo','Noto Sans KR','Noto Sans CJK KR','Malgun Gothic',\
            'Segoe UI',sans-serif;word-break:keep-all;overflow-wrap:break-word">
            <div style="max-width:544px;margin:0 auto">
            <p class="leaf" style="margin:0 0 12px 8px;font-size:18px;font-weight:800;color:#2a6335">\(name)</p>
            <div class="card" style="padding:28px 24px 12px;background:#fffdf7;border:1px solid #e2d7c1;\
            border-bottom:8px solid #7a5a3f;border-radius:20px 18px 21px 17px">
            <h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">\(subject)</h1>
            \(paragraphs(letter.before))
            <p style="margin:24px 0 12px"><a class="button" href="\(link)" style="display:inline-block;\
            padding:12px 22px;background:#2f6b3a;color:#ffffff;font-weight:700;text-decoration:none;\
            border-radius:14px">\(letter.action.label[language].escapedForHTML)</a></p>
            <p class="quiet" style="margin:0 0 20px;font-size:14px;color:#5a4b3c">\(Self.otherwise[language])<br>\
            <a class="leaf" href="\(link)" style="color:#2a6335;word-break:break-all">\(link)</a></p>
            \(paragraphs(letter.after))
            </div>
            \(optingOut)
            </div>
            </div>
            </body>
            </html>

            """
    }

    private func paragraphs(_ texts: [Localized]) -> String {
        texts.map { "<p style=\"margin:0 0 16px\">\($0[language].escapedForHTML)</p>" }.joined(separator: "\n")
    }

    private var optingOut: String {
        guard let link = letter.optOut?.escapedForHTML else { return "" }
        return """
            <p style="margin:16px 8px 0;font-size:14px">\
            <a class="leaf" href="\(link)" style="color:#2a6335">\(Letter.stop[language])</a></p>
            """
    }

    private var name: String { Localized.anthill[language] }

    private static let otherwise = Localized(
        ko: "버튼이 눌리지 않으면 이 주소를 열어 주세요.", en: "If the button does nothing, open this address:")
}

extension String {
    /// Safe as HTML text and inside a quoted attribute.
    package var escapedForHTML: String {
        var result = ""
        for character in unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
