import { h } from "../parts/dom.js";
import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { acts, onActs } from "./acts.js";

/** On pages other than home: how many acts the service answered, until each answer was seen on home. */
export function actsNotice(main) {
  const place = h("div", { role: "status" });
  const show = () => {
    const verdicts = acts().flatMap(({ verdict }) => verdict ?? []);
    const refused = verdicts.filter(({ saved }) => !saved).length;
    const [kind, picture] = refused > 0 ? ["apple", "info"] : ["leaf", "done"];
    const text = words.offline.answered(verdicts.length - refused, refused);
    const link = h("a", { href: "/home" }, words.offline.see);
    place.replaceChildren(...(verdicts.length > 0 ? [notice(kind, picture, text, link)] : []));
  };
  main.prepend(place);
  onActs(show);
  show();
}
