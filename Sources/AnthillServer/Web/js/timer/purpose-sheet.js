import { remember } from "../device/memory.js";
import { h } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { post } from "../server/api.js";
import { noteField } from "../sessions/log-sheet.js";
import { subjectPicker } from "../tasks/subject-picker.js";
import { words } from "../words/i18n.js";

/** The sheet to choose what is studied; calls `chosen({subject_id, task_id, note})`. */
export function choosePurpose(purpose, chosen) {
  const picker = subjectPicker(purpose);
  const note = noteField(purpose.note ?? "");
  // The first subject is made here.
  const first = field("name", words.tasks.ofSubject.add, input({ required: false, maxlength: 60, autocomplete: "off" }));
  first.root.hidden = true;
  picker.ready.then(() => {
    first.root.hidden = !picker.lacksSubjects();
  });
  const take = async ({ name, note: typed }) => {
    const made = name.trim() && (await post("/me/subjects", { name })).id;
    const what = picker.value();
    if (made) remember("subject", made);
    close();
    chosen({ ...what, ...(made && { subject_id: made }), note: typed.trim() || null });
  };
  const all = form([...picker.fields, first, note], words.timer.purpose.submit, take);
  picker.root.append(...picker.fields.map(({ root }) => root));
  all.prepend(picker.root);
  const close = sheet(
    words.timer.purpose.title,
    all,
    h("p", { class: "small" }, h("a", { href: "/tasks" }, words.timer.purpose.more)),
  );
}
