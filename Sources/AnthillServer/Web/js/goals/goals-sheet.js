import { art, b, bdi, button, h, keepingFocus } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { patch, post, put, remove } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { addDays, dayInFull } from "../words/time.js";

/** A date with the days left until it. */
export const countdown = ({ title, day, days_left: left }) =>
  h(
    "li",
    {},
    b(words.goals.daysLeft(left)),
    bdi(title),
    h("span", { class: "small muted" }, dayInFull(day, addDays(day, -left))),
  );

/** The sheet with the goals of a week and a month and with the dates; `today` as `GET /me/today` returned it. */
export function openGoals(today, changed) {
  const { goals: text } = words;
  const list = h("ul", { class: "dates" });
  const trouble = h("div", { role: "alert" });
  let { dates } = today;
  const showDates = () => list.replaceChildren(...dates.map(row));
  const row = (date) => {
    const { id, title, day } = date;
    const edit = button(
      art("i-pencil", "i-s"),
      () => {
        const store = async (typed) => {
          const moved = await patch(`/me/target-dates/${id}`, typed);
          await keep(moved, text.changed);
          focus(moved);
        };
        const back = () => {
          line.replaceWith(row(date));
          focus(date);
        };
        const root = dateForm(title, day, words.save, store);
        root.append(button(words.back, back, "btn text small"));
        line.replaceChildren(root);
        root.querySelector("input").focus();
      },
      "btn text icon",
      { "aria-label": text.change(title) },
    );
    const drop = async () => {
      try {
        await remove(`/me/target-dates/${id}`);
        dates = dates.filter((each) => each.id !== id);
        await keepingFocus(showDates);
        announce(text.dropped);
        await changed();
      } catch (problem) {
        if (!("status" in problem)) throw problem;
        trouble.replaceChildren(notice("apple", "info", null, said(problem)));
      }
    };
    const eraser = button(art("i-close", "i-s"), drop, "btn text icon", { "aria-label": text.drop(title) });
    const line = h("li", {}, h("div", {}, [...countdown(date).childNodes]), edit, eraser);
    return line;
  };
  /** The form is gone: the focus goes to the pencil that opened it. */
  const focus = (date) => list.children[dates.indexOf(date)].querySelector("button").focus();
  /** Shows a date that was added or changed, and says so. */
  const keep = async (date, message) => {
    dates = [...dates.filter(({ id }) => id !== date.id), date].sort((a, b) => (a.day < b.day ? -1 : 1));
    showDates();
    announce(message);
    await changed();
  };
  const added = dateForm("", today.day, text.add, async (typed) => {
    await keep(await post("/me/target-dates", typed), text.added);
    added.reset();
  });
  showDates();
  const close = sheet(
    text.title,
    aims(today, async () => {
      close();
      announce(text.saved);
      await changed();
    }),
    h(
      "section",
      { class: "card", "aria-labelledby": "dates" },
      h("header", {}, h("h3", { id: "dates" }, text.dates)),
      trouble,
      list,
      added,
    ),
  );
}

/** The form for both goals, in hours. */
function aims({ goals }, done) {
  const { goals: text } = words;
  const hours = (period, most) => {
    const seconds = goals.find((goal) => goal.period === period)?.goal_seconds;
    const typed = input({ type: "number", inputmode: "decimal", min: 0, max: most / 3600, step: "any", required: false });
    if (seconds) typed.value = String(Math.round(seconds / 360) / 10);
    return field(`${period}_seconds`, text.hours[period], typed);
  };
  const week = hours("week", numbers.longest_week);
  const month = hours("month", numbers.longest_month);
  const seconds = (typed) => (typed === "" ? null : Math.round(Number(typed) * 3600));
  const store = async (typed) => {
    await put("/me/goals", { week_seconds: seconds(typed.week_seconds), month_seconds: seconds(typed.month_seconds) });
    await done();
  };
  const root = form([week, month], words.save, store, {
    extra: h("p", { class: "hint" }, text.hint, " ", h("a", { href: "/settings#goal" }, text.daily)),
  });
  root.prepend(h("div", { class: "pair" }, week.root, month.root));
  return root;
}

/** The form of a date. */
function dateForm(of, on, label, store) {
  const { goals: text } = words;
  const title = field("title", text.dateTitle, input({ maxlength: 40, placeholder: text.dateExample, value: of }));
  const day = field("day", text.date, input({ type: "date", value: on }));
  return form([title, day], label, store);
}
