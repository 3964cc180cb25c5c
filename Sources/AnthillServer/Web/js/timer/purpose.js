import { get } from "../server/api.js";

const names = new Map();

async function nameAt(path, member) {
  if (!names.has(path)) names.set(path, (await get(path))[member]);
  return names.get(path);
}

/** The name of what is studied: the task, else the subject, else the note, else null. */
export async function purposeName({ subject_id: subject, task_id: task, note }) {
  if (task) return nameAt(`/me/tasks/${task}`, "title");
  if (subject) return nameAt(`/me/subjects/${subject}`, "name");
  return note || null;
}
