import { copied } from "../parts/copying.js";
import { button, h, icon } from "../parts/dom.js";
import { field } from "../parts/form.js";
import { segmented } from "../parts/segmented.js";
import { sheet } from "../parts/sheet.js";
import { words } from "../words/i18n.js";
import { language } from "../words/language.js";

const tongues = [
  ["ko", "한국어", "ko"],
  ["en", "English", "en"],
];

/** A sheet with a group's badge as others see it, and the code to embed it. */
export function badgeSheet(group) {
  const text = words.badge;
  const look = { locale: language, theme: "system" };
  const picture = h("img", {
    class: "badge-picture",
    alt: text.alt(group.name),
    width: 400,
    height: group.month_goal ? 116 : 96,
  });
  const html = snippet("badge_html", text.html);
  const markdown = snippet("badge_markdown", text.markdown);
  const show = () => {
    const query = new URLSearchParams({ locale: look.locale, ...(look.theme !== "system" && { theme: look.theme }) });
    const address = `/api/v1/groups/${group.id}/badge.svg?${query}`;
    // A fresh address, so that no cache shows an older badge.
    picture.src = `${address}&now=${Date.now()}`;
    html.write(`<img src="${inMarkup(location.origin + address)}" alt="${inMarkup(group.name)}" width="400">`);
    markdown.write(`![${inMarkdown(group.name)}](${location.origin}${address})`);
  };
  const choose = (name) => (value) => {
    look[name] = value;
    show();
  };
  show();
  sheet(
    text.title,
    h("p", { class: "muted" }, text.lead),
    picture,
    segmented("badge_locale", text.locale, tongues, look.locale, choose("locale")),
    segmented("badge_theme", words.settings.theme, Object.entries(text.themes), look.theme, choose("theme")),
    html.root,
    markdown.root,
    h("p", { class: "small muted" }, text.fresh),
  );
}

/** A text with a button that copies it. */
function snippet(name, label) {
  const area = h("textarea", { class: "in", rows: 5, readonly: true, spellcheck: "false", onfocus: () => area.select() });
  const done = h("p", { class: "small muted", role: "status" });
  const copy = async () => {
    done.textContent = (await copied(area)) ? words.groups.copied : words.badge.copyByHand;
  };
  return {
    root: h(
      "div",
      { class: "stackup" },
      field(name, label, area).root,
      button([icon("copy"), words.badge.copy(label)], copy, "btn quiet wide"),
      done,
    ),
    write(text) {
      area.value = text;
      done.textContent = "";
    },
  };
}

const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const inMarkup = (text) => text.replace(/[&<>"]/g, (mark) => marks[mark]);

const inMarkdown = (text) => text.replace(/[\\[\]`*_<>!&]/g, "\\$&");
