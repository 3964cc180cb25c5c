import API
import HTTP

/// What is refused about webhooks.
package struct WebhookRefusals: Refusals {
    let invalidURL = Refusal(
        .unprocessable, "invalid_webhook_url", field: "url",
        ko: "보낼 수 없는 주소예요. 인터넷에 공개된 https 주소여야 해요.",
        en: "Nothing can be sent to this address. It must be an https address in the public network.")
    let unknownKind = Refusal(
        .unprocessable, "unknown_webhook_kind", field: "kind",
        ko: "kind는 json, discord, slack 중 하나예요.", en: "The kind is json, discord or slack.")
    let unknownEvents = Refusal(
        .unprocessable, "unknown_webhook_events", field: "events",
        ko: "알릴 일을 목록에서 하나 이상 골라 주세요.", en: "Choose at least one event from the list.")
    let tooMany = Refusal(
        .conflict, "too_many_webhooks", on: "too_many_webhooks",
        ko: "웹훅은 모임마다 \(RuleNumber.mostWebhooks)개까지예요. 먼저 하나를 삭제해 주세요.",
        en: "A group has at most \(RuleNumber.mostWebhooks) webhooks. Remove one first.")
    let justTested = Refusal(
        .tooManyRequests, "webhook_just_tested", on: "webhook_just_tested",
        ko: "방금 하나 보냈어요. 잠시 뒤에 다시 해 주세요.", en: "One was sent just now. Try again in a moment."
    ).retry(afterSeconds: RuleNumber.testPauseSeconds.value)
    let notFound = Refusal(
        .notFound, "not_found", on: "webhook_not_found", ko: "그런 웹훅이 없어요.", en: "There is no such webhook.")
}

extension Refusal {
    package static let webhooks = WebhookRefusals()
}
