import API
import HTTP

/// What is refused about pushes.
package struct PushRefusals: Refusals {
    let invalidEndpoint = Refusal(
        .unprocessable, "invalid_endpoint", field: "endpoint",
        ko: "알림을 보낼 수 없는 주소예요. 브라우저가 준 https 주소여야 해요.",
        en: "Notifications cannot be sent to this address. It must be the https address that the browser gave.")
    let invalidPushKeys = Refusal(
        .unprocessable, "invalid_push_keys", field: "keys",
        ko: "브라우저에서 받은 알림 키가 아니에요.", en: "These are not the keys that a browser gives.")
    let tooManyPushDevices = Refusal(
        .conflict, "too_many_push_devices", on: "too_many_push_devices",
        ko: "알림은 기기 \(RuleNumber.mostPushDevices)대까지 받을 수 있어요. 먼저 다른 기기의 알림을 꺼 주세요.",
        en: "At most \(RuleNumber.mostPushDevices) devices get notifications. Turn off another one first.")
    let pushIsOff = Refusal(
        .conflict, "push_is_off", on: "push_is_off",
        ko: "이 기기는 알림이 꺼져 있어요.", en: "Notifications are off on this device.")
    let pushJustTested = Refusal(
        .tooManyRequests, "push_just_tested", on: "push_just_tested",
        ko: "방금 하나 보냈어요. 잠시 뒤에 다시 해 주세요.", en: "One was sent just now. Try again in a moment."
    ).retry(afterSeconds: RuleNumber.testPauseSeconds.value)
}

extension Refusal {
    package static let push = PushRefusals()
}
