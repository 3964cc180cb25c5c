import { h, scene } from "../js/parts/dom.js";
import { publicPage } from "../js/shell/frame.js";
import { empty } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";

const [title, text] = words.trouble.missing;
const main = publicPage({ title });
main.append(
  h("div", { class: "gate" }, empty(scene("lost"), title, text, h("a", { class: "btn", href: "/" }, words.trouble.home))),
);
