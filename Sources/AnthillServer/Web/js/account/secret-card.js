import { asking } from "../parts/asking.js";
import { button, h, nodes } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { shownOnce } from "../parts/once.js";
import { get, postOnce, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { dayAndTime } from "../words/time.js";

/**
 * The card of a secret address that shows something of one's own elsewhere: at `path` it is made, changed and turned off.
 * `wanted()` is what it is made with, `choice(now)` lets one choose that, and `shown(url)` is how it looks.
 */
export function secretCard(user, name, path, text, { wanted, choice = () => false, shown = () => false } = {}) {
  const heading = h("h2", { id: name, tabindex: "-1" }, text.title);
  const place = h("div", { class: "stackup" });
  const secret = h("div");
  const trouble = h("div", { role: "alert" });

  const refresh = () =>
    fill(place, async () => {
      const now = await get(path);
      const { made_at: made } = now;
      if (!made)
        return nodes([h("p", { class: "small muted" }, text.none), choice(now), button(text.make, first, "btn quiet small")]);
      return nodes([
        h("p", { class: "small muted" }, text.since(dayAndTime(made, user.study_clock.time_zone))),
        choice(now),
        h("div", { class: "btns" }, asking(text.change, text.changeAsk, make, quiet), asking(text.end, text.endAsk, end, quiet)),
      ]);
    });
  const quiet = { className: "btn quiet small" };

  async function first() {
    trouble.replaceChildren();
    try {
      await make();
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  }
  async function make() {
    const { url } = await postOnce(path, wanted?.());
    secret.replaceChildren(shownOnce(name, text.address, url, text.made), ...nodes([shown(url)]));
    await refresh();
    secret.querySelector("input").focus();
  }
  async function end() {
    await remove(path);
    secret.replaceChildren();
    announce(text.ended);
    heading.focus();
    await refresh();
  }

  refresh();
  return h(
    "section",
    { class: "card", "aria-labelledby": name },
    h("header", {}, heading),
    h("p", { class: "small muted" }, text.lead),
    place,
    trouble,
    secret,
  );
}
