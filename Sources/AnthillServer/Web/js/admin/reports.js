import { called, lines, quote } from "../groups/suspension.js";
import { bdi, button, h } from "../parts/dom.js";
import { field, form } from "../parts/form.js";
import { paged } from "../parts/paged.js";
import { segmented } from "../parts/segmented.js";
import { sheet } from "../parts/sheet.js";
import { get, put } from "../server/api.js";
import { announce, fill } from "../shell/notices.js";
import { admin } from "../words/admin/i18n.js";
import { fairness } from "../words/fairness/i18n.js";
import { dayAndTime } from "../words/time.js";
import { card, none } from "./card.js";
import { suspending } from "./suspending.js";

/** What people said about others on boards, open or all, with an answer for each. */
export async function reportsPart(user) {
  const text = admin.reports;
  const zone = user.study_clock.time_zone;
  let isOpen = true;
  const choice = segmented("open", text.which, Object.entries(text.choices), "open", (name) => {
    isOpen = name === "open";
    return show();
  });
  const reports = card("reports", admin.parts.reports, choice);

  const again = async (told) => {
    announce(told);
    reports.heading.focus();
    await show();
  };

  const answer = (each) => {
    const said = field("answer", text.answerLabel, lines(""), text.answerHint);
    const send = async (values) => {
      await put(`/admin/reports/${each.id}/answer`, values);
      close();
      await again(text.isAnswered);
    };
    const close = sheet(text.answer, form([said], text.answer, send));
  };

  const row = (each) => {
    const { about, reporter, group_id: group, group_name: name, made_at: at, answered_at: answeredAt } = each;
    const where = group ? (name ? text.inGroup(bdi(name)) : text.inGone) : text.everywhere;
    return h(
      "li",
      { class: answeredAt ? "past" : null },
      h(
        "div",
        { class: "l" },
        h("span", { class: "nick" }, called(about), each.about_suspended && h("span", { class: "chip honey" }, text.suspended)),
        h("span", { class: "hint" }, where, " · ", text.by(called(reporter)), " · ", dayAndTime(at, zone)),
        each.about_count > 1 && h("span", { class: "hint" }, text.count(each.about_count)),
      ),
      h(
        "div",
        { class: "said" },
        quote(each.reason),
        answeredAt && [
          h(
            "p",
            { class: "small muted" },
            text.answered(dayAndTime(answeredAt, zone), each.answered_by && called(each.answered_by)),
          ),
          quote(each.answer),
        ],
      ),
      h(
        "div",
        { class: "deeds" },
        !answeredAt && button(text.answer, () => answer(each), "btn small", { "aria-label": text.answerTo(about.nickname) }),
        !each.about_suspended &&
          button(fairness.suspend, () => suspending(user, about, again), "btn quiet small", {
            "aria-label": fairness.suspendLabel(about.nickname),
          }),
      ),
    );
  };

  const show = () => {
    const load = (after) => get(`/admin/reports?limit=30&open=${isOpen}${after}`);
    return fill(reports.place, () => paged(load, row, none(isOpen ? text.noneOpen : text.none)));
  };
  await show();
  return [reports.root];
}
