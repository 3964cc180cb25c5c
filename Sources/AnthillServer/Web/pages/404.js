import { h } from "../js/parts/dom.js";
import { publicPage } from "../js/shell/frame.js";
import { lost } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";

const [title, text] = words.trouble.missing;
const main = publicPage({ title });
main.append(lost(title, text, h("a", { class: "btn", href: "/" }, words.trouble.home)));
