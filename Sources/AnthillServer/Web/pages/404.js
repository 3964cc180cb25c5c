import { h, scene } from "../js/dom.js";
import { publicPage } from "../js/frame.js";
import { words } from "../js/i18n.js";
import { empty } from "../js/notices.js";

const [title, text] = words.trouble.missing;
const main = publicPage({ title });
main.append(
  h("div", { class: "gate" }, empty(scene("lost"), title, text, h("a", { class: "btn", href: "/" }, words.trouble.home))),
);
