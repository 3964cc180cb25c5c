import { h } from "../parts/dom.js";
import { form } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { noteField } from "../sessions/log-sheet.js";
import { subjectPicker } from "../tasks/subject-picker.js";
import { words } from "../words/i18n.js";

/** The sheet to choose what is studied; calls `chosen({subject_id, task_id, note})`. */
export function choosePurpose(purpose, chosen) {
  const picker = subjectPicker(purpose);
  const note = noteField(purpose.note ?? "");
  const take = ({ note: typed }) => {
    close();
    chosen({ ...picker.value(), note: typed.trim() || null });
  };
  const all = form([...picker.fields, note], words.timer.purpose.submit, take);
  picker.root.append(...picker.fields.map(({ root }) => root));
  all.prepend(picker.root);
  const close = sheet(
    words.timer.purpose.title,
    all,
    h("p", { class: "small" }, h("a", { href: "/tasks" }, words.timer.purpose.more)),
  );
}
