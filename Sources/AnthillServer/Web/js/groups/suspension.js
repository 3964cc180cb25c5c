import { explain } from "../boards/explain-sheet.js";
import { art, b, bdi, button, h } from "../parts/dom.js";
import { field, form } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { put } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, ownZone } from "../words/time.js";

/** A member's name in a sentence, or that the account was deleted. */
export const called = (person) => (person?.nickname ? words.fairness.called(bdi(person.nickname)) : words.fairness.gone);

/** A quoted text with its line breaks. */
export const quote = (text) => h("blockquote", {}, text);

/**
 * The notice for a suspended member on the group's page: why, until when, and a reply. Null for everyone else.
 * `changed()` is called after a reply; `board()` is the board to explain.
 */
export function ownSuspension(group, board, changed) {
  const suspension = group.my_suspension;
  if (!suspension) return null;
  const text = words.fairness;
  const explained = button(text.mineTime, () => explain(board()), "btn quiet small");
  const told = { title: text.mineTitle, reason: text.mineReason(called(suspension.suspended_by)), meaning: text.mineMeaning };
  const path = `/groups/${group.id}/suspensions/${suspension.id}/answer`;
  return suspensionNotice(suspension, { ...told, hint: text.answerHint, path, zone: ownZone(), changed }, explained);
}

/**
 * What a suspended person reads: `title`, the reason under the words `reason`, when it ends by the clock of `zone`, and
 * what it means. Their reply goes to `path`, with `hint` saying who reads it; then `changed()` is called.
 */
export function suspensionNotice(suspension, { title, reason, meaning, hint, path, zone, changed }, ...buttons) {
  const text = words.fairness;
  const { until, answer } = suspension;
  const reply = () => answering(path, answer, hint, changed);
  return h(
    "section",
    { class: "notice honey suspended", "aria-labelledby": "suspended" },
    art("i-info", "i"),
    h(
      "div",
      {},
      h("h2", { id: "suspended", tabindex: "-1" }, title),
      h("p", {}, text.mineUntil(b(dayAndTime(until, zone)))),
      h("p", { class: "small" }, reason),
      quote(suspension.reason),
      answer && [h("p", { class: "small" }, text.mineAnswer), quote(answer)],
      h("p", { class: "small" }, meaning),
      h("div", { class: "btns" }, button(answer ? text.answerAgain : text.answer, reply, "btn small"), buttons),
    ),
  );
}

/** The sheet in which the member replies. */
function answering(path, answer, hint, changed) {
  const text = words.fairness;
  const reply = field("answer", text.answerLabel, lines(answer ?? ""), hint);
  const send = async (values) => {
    await put(path, values);
    close();
    announce(text.answered);
    await changed();
  };
  const close = sheet(text.answer, form([reply], text.answerSend, send));
}

/** A field for a few lines, at most 500 characters. */
export function lines(value) {
  const area = h("textarea", { class: "in", required: true, maxlength: 500, rows: 3 });
  area.value = value;
  return area;
}
