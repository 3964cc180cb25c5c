import { words } from "../words/i18n.js";
import { copied } from "./copying.js";
import { button, h, icon, nodes } from "./dom.js";

/** A link to copy, share or scan; `picture` is the address of its QR code. */
export function sharing(url, picture, hint) {
  const text = words.groups;
  const shown = h("input", { class: "in", id: "invitation", readonly: true, value: url, onfocus: () => shown.select() });
  const done = h("p", { class: "small muted", role: "status" });
  const copy = async () => {
    done.textContent = (await copied(shown)) ? text.copied : text.copyByHand;
  };
  const send = () => navigator.share({ url }).catch(() => {});
  return nodes([
    h("div", { class: "field" }, h("label", { for: "invitation" }, text.link), shown, hint && h("p", { class: "hint" }, hint)),
    h("img", { class: "qr", src: picture, alt: text.qr, width: 220, height: 220 }),
    button([icon("copy"), text.copy], copy, "btn quiet wide"),
    navigator.share && button([icon("share"), text.share], send, "btn quiet wide"),
    done,
  ]);
}
