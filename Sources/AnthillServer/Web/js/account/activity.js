import { bdi, h } from "../parts/dom.js";
import { factsOf } from "../parts/facts.js";
import { accountWords } from "../words/account/i18n.js";
import { events } from "../words/events/i18n.js";
import { dayAndTime } from "../words/time.js";

const text = accountWords.activity;

/** An event of one's own activity as a sentence, with when and from where. */
export function activityRow({ at, kind, by_me: byMe, about_me: aboutMe, client_address: address, group, details }, zone) {
  const sentence = events[kind]?.({ byMe, aboutMe, group: bdi(group ?? text.goneGroup), ...factsOf(details, zone) }) ?? kind;
  const when = h("time", { datetime: at }, dayAndTime(at, zone));
  return h(
    "li",
    {},
    h("div", { class: "l" }, sentence, h("span", { class: "hint" }, when, address && ` · ${text.from(address)}`)),
  );
}
