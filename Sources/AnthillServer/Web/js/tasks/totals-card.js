import { bdi, h, icon, spoken } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { bar, hue } from "../parts/hues.js";
import { get } from "../server/api.js";
import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { addDays, dayRange, hm, periodOf, shift } from "../words/time.js";

/** Time studied by subject, project or task, this week, this month or between two days. */
export function totalsCard() {
  let by = "subject";
  let range = "week";
  let today = null;
  const text = words.tasks;
  const seg = h(
    "div",
    { class: "seg", role: "radiogroup", "aria-label": text.totalsBy },
    ["subject", "project", "task"].map((value) =>
      h("label", {}, h("input", { type: "radio", name: "by", value, checked: value === by, onchange: choose }), text[value]),
    ),
  );
  const ranges = h(
    "select",
    { class: "in", "aria-label": text.range, onchange: choose },
    ["week", "month", "own"].map((value) => h("option", { value }, text.ranges[value])),
  );
  const day = (label) => h("input", { class: "in", type: "date", "aria-label": label, required: true, onchange: choose });
  const [from, to] = [day(text.from), day(text.to)];
  const own = h("div", { class: "pair", hidden: true }, from, to);
  const list = h("div");
  const root = h(
    "section",
    { class: "card totals", "aria-labelledby": "totals" },
    h("header", {}, h("h2", { id: "totals" }, text.totals)),
    h("div", { class: "choices" }, seg, h("div", { class: "sel" }, ranges, icon("down")), own),
    list,
  );

  function choose() {
    by = seg.querySelector(":checked").value;
    range = ranges.value;
    own.hidden = range !== "own";
    refresh().catch(complain);
  }

  function complain(problem) {
    if (!("status" in problem)) throw problem;
    // The server's message is about the format of days, which the date picker takes care of.
    const why = problem.status === 422 ? text.wrongRange : said(problem);
    list.replaceChildren(notice("apple", "info", null, why, { role: "alert" }));
  }

  /** Errors about the days are shown here and do not stop the rest of the page from refreshing. */
  async function refresh() {
    today = (await get("/me/today")).day;
    if (range !== "own" || !from.value || !to.value) [from.value, to.value] = days(range, today);
    const asked = [by, from.value, to.value].join();
    try {
      const totals = await get(`/me/totals?by=${by}&from=${from.value}&to=${to.value}`);
      if (asked === [by, from.value, to.value].join()) show(totals);
    } catch (problem) {
      if (problem.status !== 422) throw problem;
      complain(problem);
    }
  }

  function show({ items, seconds, from: first, to: last }) {
    const span = h("p", { class: "small muted" }, first === last ? dayRange(first, first) : dayRange(first, last));
    const most = Math.max(1, ...items.map((item) => item.seconds));
    const rows = items.map((item) =>
      h(
        "li",
        {},
        by !== "task" && hue(item.colour),
        h(
          "span",
          { class: item.id ? "l" : "l muted" },
          item.id ? bdi(item.name) : text.none[by],
          item.archived && h("span", { class: "chip" }, text.archived),
        ),
        h("span", { class: "num", "data-seconds": item.seconds }, spoken(hm(item.seconds), words.duration(item.seconds))),
        bar(item.seconds / most),
      ),
    );
    const total = h(
      "p",
      { class: "all" },
      h("span", {}, text.inAll),
      h("b", { class: "num", "data-seconds": seconds }, spoken(hm(seconds), words.duration(seconds))),
    );
    const more = items.reduce((sum, item) => sum + item.seconds, 0) > seconds;
    list.replaceChildren(
      span,
      ...(items.length > 0 ? [h("ul", { class: "bars" }, rows), total] : [h("p", { class: "muted" }, text.noTime)]),
      ...(more ? [h("p", { class: "xs muted" }, text.severalHint)] : []),
    );
  }

  return { root, refresh };
}

/** The first and the last day of the week or month that today is in. */
function days(range, today) {
  const first = range === "week" ? periodOf("week", today) : `${today.slice(0, 7)}-01`;
  const last = range === "week" ? addDays(first, 6) : addDays(`${shift("month", today.slice(0, 7), 1)}-01`, -1);
  return range === "own" ? [first, today] : [first, last];
}
