import { h } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { segmented } from "../parts/segmented.js";
import { inMarkdown, inMarkup, snippet } from "../parts/snippet.js";
import { patch } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { words } from "../words/i18n.js";
import { secretCard } from "./secret-card.js";

const text = { ...accountWords.feed, ...accountWords.ownBadge };

/** The card of one's own badge for other websites. */
export function ownBadgeCard(user) {
  const picture = h("img", { class: "badge-picture", alt: words.badge.alt(user.nickname), width: 400, height: 96 });
  const trouble = h("div", { role: "alert" });
  let period = "month";
  let address;
  // A fresh address, so that no cache shows an older badge.
  const look = () => {
    if (address) picture.src = `${address}?now=${Date.now()}`;
  };
  /** Chooses what to show: of a badge that is made, at once. */
  const choice = ({ made_at: made, period: now }) => {
    period = now ?? period;
    const choose = async (value) => {
      trouble.replaceChildren();
      try {
        if (made) {
          await patch("/me/badge", { period: value });
          announce(accountWords.settings.saved);
        }
        period = value;
        look();
      } catch (problem) {
        if (!("status" in problem)) throw problem;
        root.querySelector(`[value="${period}"]`).checked = true;
        trouble.replaceChildren(notice("apple", "info", null, said(problem)));
      }
    };
    const root = segmented("badge_period", text.period, Object.entries(text.periods), period, choose);
    return [root, trouble];
  };
  const shown = (url) => {
    address = url;
    look();
    const html = snippet("own_badge_html", words.badge.html);
    const markdown = snippet("own_badge_markdown", words.badge.markdown);
    html.write(`<img src="${inMarkup(url)}" alt="${inMarkup(user.nickname)}" width="400">`);
    markdown.write(`![${inMarkdown(user.nickname)}](${url})`);
    return h("div", { class: "stackup" }, picture, html.root, markdown.root);
  };
  return secretCard(user, "own-badge", "/me/badge", text, { wanted: () => ({ period }), choice, shown });
}
