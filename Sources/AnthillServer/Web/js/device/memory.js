/** What this browser remembers between pages; a browser that forbids it remembers nothing, and all still works. */
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
