import { h } from "../parts/dom.js";
import { sheet } from "../parts/sheet.js";
import { inMarkup, snippet } from "../parts/snippet.js";
import { words } from "../words/i18n.js";

/** A sheet with a group's board for other websites: the code that shows it in a frame. */
export function frameSheet({ id, name }) {
  const src = `${location.origin}/groups/${id}/embed`;
  const html = snippet("frame_html", words.badge.html);
  html.write(`<iframe src="${src}" title="${inMarkup(name)}" width="400" height="480"></iframe>`);
  sheet(words.boardFrame.title, h("p", { class: "muted" }, words.boardFrame.lead), html.root);
}
