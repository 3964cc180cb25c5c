import { h } from "../js/parts/dom.js";
import { publicPage } from "../js/shell/frame.js";
import { words } from "../js/words/i18n.js";

const main = publicPage({ title: words.help.title });
const section = ([id, title, ...texts]) =>
  h(
    "section",
    { class: "card", id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    texts.map((text) => h("p", {}, text)),
  );

main.append(
  h("div", { class: "head" }, h("h1", {}, words.help.title)),
  h("div", { class: "help" }, words.help.sections.map(section)),
);
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
