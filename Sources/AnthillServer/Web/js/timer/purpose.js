import { get } from "../server/api.js";
import { choicesSeen } from "../tasks/choices.js";

const names = new Map();

async function nameAt(path, member) {
  if (names.has(path)) return names.get(path);
  try {
    names.set(path, (await get(path))[member]);
    return names.get(path);
  } catch (problem) {
    const seen =
      problem.unreached &&
      choicesSeen()
        ?.flat()
        .find(({ id }) => path.endsWith(id));
    if (!seen) throw problem;
    return seen[member];
  }
}

/** The name of what is studied: the task, else the subject, else the note, else null. */
export async function purposeName({ subject_id: subject, task_id: task, note }) {
  if (task) return nameAt(`/me/tasks/${task}`, "title");
  if (subject) return nameAt(`/me/subjects/${subject}`, "name");
  return note || null;
}
