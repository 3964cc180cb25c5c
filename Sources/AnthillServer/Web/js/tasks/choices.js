import { recall, remember } from "../device/memory.js";
import { getAll } from "../server/api.js";

/** All subjects and all tasks; without a connection as this device saw them last. */
export async function choices() {
  try {
    const [subjects, tasks] = await Promise.all([getAll("/me/subjects"), getAll("/me/tasks")]);
    const short = [subjects.map(({ id, name }) => ({ id, name })), tasks.map(({ id, title, done }) => ({ id, title, done }))];
    remember("choices", JSON.stringify(short));
    return [subjects, tasks];
  } catch (problem) {
    const seen = problem.unreached && choicesSeen();
    if (!seen) throw problem;
    return seen;
  }
}

/** The subjects and tasks as this device saw them last; null if it did not. */
export const choicesSeen = () => JSON.parse(recall("choices") ?? "null");
