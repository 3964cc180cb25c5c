import { actsNotice } from "../js/offline/acts-notice.js";
import { button, h } from "../js/parts/dom.js";
import { publicPage } from "../js/shell/frame.js";
import { lost } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";

// Shown by the service worker in place of a page that this device has not kept.
const main = publicPage({ title: words.offline.title });
const way = [
  button(words.trouble.again, () => location.reload()),
  h("a", { class: "btn quiet", href: "/home" }, words.trouble.home),
];
main.append(lost(words.offline.title, words.offline.page, ...way));
actsNotice(main);
