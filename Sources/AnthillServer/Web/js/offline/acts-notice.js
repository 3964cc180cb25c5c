import { button, h } from "../parts/dom.js";
import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { acts, countVerdicts, dropSaved, onActs } from "./acts.js";

/**
 * On pages other than home: how many acts the service has answered, or else how many wait to be sent. Answers are shown
 * until they were seen on home. If all acts were saved, the notice can be closed here, too.
 */
export function actsNotice(main) {
  const place = h("div", { role: "status" });
  const show = () => {
    const all = acts();
    const [saved, refused] = countVerdicts(all);
    const [kind, picture, text] =
      saved + refused === 0
        ? ["honey", "clock", words.offline.unsent(all.length)]
        : [refused ? "apple" : "leaf", refused ? "info" : "done", words.offline.answered(saved, refused)];
    const link = h("a", { href: "/home" }, words.offline.see);
    const strip = notice(kind, picture, text, link);
    if (kind === "leaf") strip.append(button(words.offline.seen, dropSaved, "btn quiet small"));
    place.replaceChildren(...(all.length > 0 ? [strip] : []));
  };
  main.prepend(place);
  onActs(show);
  show();
}
