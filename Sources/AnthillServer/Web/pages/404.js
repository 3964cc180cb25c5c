import { h, scene } from "../js/dom.js";
import { publicPage } from "../js/frame.js";
import { words } from "../js/i18n.js";
import { empty } from "../js/notices.js";

const [title, text] = words.trouble.missing;
const main = publicPage({ title });
const card = empty(scene("lost"), title, text, h("a", { class: "btn", href: "/" }, words.trouble.home));
card.querySelector("h2").replaceWith(h("h1", {}, title));
main.append(h("div", { class: "gate" }, card));
