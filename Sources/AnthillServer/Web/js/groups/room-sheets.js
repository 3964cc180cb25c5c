import { asking } from "../parts/asking.js";
import { h } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { put, remove } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";

/** The sheet in which admins write the group's notice; then calls `changed()`. */
export function noticeSheet(group, old, changed) {
  const area = h("textarea", { class: "in", required: true, maxlength: numbers.most_notice_characters, rows: 4 });
  area.value = old?.text ?? "";
  const text = field("text", words.room.notice, area, words.room.noticeHint);
  open(words.room.notice, `/groups/${group.id}/notice`, [text], ({ text: value }) => ({ text: value }), old, changed, {
    saved: words.room.noticeSaved,
    label: words.room.removeNotice,
    question: words.room.removeNoticeAsk,
    removed: words.room.noticeRemoved,
  });
}

/** The sheet in which admins set the group's cycle; then calls `changed()`. */
export function cycleSheet(group, old, changed) {
  const text = words.room;
  const number = (name, label, value, min, max, hint) =>
    field(name, label, input({ type: "number", inputmode: "numeric", step: 1, min, max, value }), hint);
  const fields = [
    number("study_minutes", text.studyMinutes, old?.study_minutes ?? 50, 1, 1439),
    number("rest_minutes", text.restMinutes, old?.rest_minutes ?? 10, 1, 1439),
    number("minute", text.minute, old?.minute ?? 0, 0, 59, text.minuteHint),
  ];
  const body = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
  open(text.cycle, `/groups/${group.id}/cycle`, fields, body, old, changed, {
    saved: text.cycleSaved,
    label: text.endCycle,
    question: text.endCycleAsk,
    removed: text.cycleEnded,
  });
}

/** A sheet with a form that saves to `path`, and a button to remove what is there. */
function open(title, path, fields, body, old, changed, said) {
  const save = async (values) => {
    await put(path, body(values));
    await done(said.saved);
  };
  const end = async () => {
    await remove(path);
    await done(said.removed);
  };
  const done = async (told) => {
    close();
    announce(told);
    await changed();
  };
  const close = sheet(
    title,
    form(fields, words.save, save),
    old && h("div", { class: "endings" }, asking(said.label, said.question, end, { className: "btn danger small" })),
  );
}
