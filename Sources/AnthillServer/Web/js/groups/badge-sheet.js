import { h } from "../parts/dom.js";
import { segmented } from "../parts/segmented.js";
import { sheet } from "../parts/sheet.js";
import { inMarkdown, inMarkup, snippet } from "../parts/snippet.js";
import { words } from "../words/i18n.js";
import { language, tongues } from "../words/language.js";

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
    segmented("badge_theme", words.theme, Object.entries(text.themes), look.theme, choose("theme")),
    html.root,
    markdown.root,
    h("p", { class: "small muted" }, text.fresh),
  );
}
