import API
import HTTP

/// Why an uploaded picture is not taken.
struct AvatarRefusals: Refusals {
    let notAPicture = Refusal(
        .unsupportedMediaType, "not_a_picture", ko: "사진은 PNG, JPEG, WebP 파일이어야 해요.",
        en: "A picture is a PNG, JPEG or WebP file.")
    let invalidPicture = Refusal(
        .unprocessable, "invalid_picture", on: "avatars_webp",
        ko: "이 파일은 사진으로 쓸 수 없어요. \(RuleNumber.mostPictureMegapixels.value * 100)만 화소 이하의 PNG, JPEG, WebP 파일을 골라 주세요.",
        en:
            "This file cannot be used. Choose a PNG, JPEG or WebP picture with at most \(RuleNumber.mostPictureMegapixels) megapixels."
    )
}

extension Refusal {
    static let avatars = AvatarRefusals()
}
