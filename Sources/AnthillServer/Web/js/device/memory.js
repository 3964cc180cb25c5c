/** Remembers a text between pages. A browser that forbids storage remembers nothing, and everything still works. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`anthill.${name}`);
    else localStorage.setItem(`anthill.${name}`, value);
  } catch {
    // Storage is forbidden or full.
  }
}

/** The remembered text, or null. */
export function recall(name) {
  try {
    return localStorage.getItem(`anthill.${name}`);
  } catch {
    return null;
  }
}
