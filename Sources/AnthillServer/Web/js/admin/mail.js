import { button, h } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { paged } from "../parts/paged.js";
import { segmented } from "../parts/segmented.js";
import { get, post } from "../server/api.js";
import { announce, fill } from "../shell/notices.js";
import { admin } from "../words/admin/i18n.js";
import { dayAndTime } from "../words/time.js";
import { card, none } from "./card.js";

/** The mail queue, in one state at a time; a mail that was not sent can be tried again. */
export async function mailPart(user) {
  const text = admin.mail;
  const when = (instant) => dayAndTime(instant, user.study_clock.time_zone);
  let state = "waiting";
  const choice = segmented("state", text.which, Object.entries(text.states), state, (name) => {
    state = name;
    return show();
  });
  const mails = card("mail", admin.parts.mail, choice);

  const again = async ({ id }) => {
    try {
      await post(`/admin/mails/${id}/attempts`);
      announce(text.isAgain);
    } catch (problem) {
      announce(said(problem));
    }
    mails.heading.focus();
    await show();
  };

  const row = (each) =>
    h(
      "li",
      {},
      h(
        "div",
        { class: "l" },
        h("span", { class: "nick" }, text.kinds[each.kind] ?? each.kind),
        h("span", { class: "hint" }, text.asked(when(each.created_at)), " · ", text.attempts(each.attempts)),
        each.state === "waiting" && h("span", { class: "hint" }, text.due(when(each.due))),
        each.ended_at && h("span", { class: "hint" }, text.ended[each.state](when(each.ended_at))),
        each.last_error && h("span", { class: "hint" }, text.error(each.last_error)),
      ),
      each.state !== "sent" &&
        h(
          "div",
          { class: "deeds" },
          button(text.again, () => again(each), "btn quiet small"),
        ),
    );

  const show = () =>
    fill(mails.place, () => paged((after) => get(`/admin/mails?limit=30&state=${state}${after}`), row, none(text.none[state])));
  await show();
  return [mails.root];
}
