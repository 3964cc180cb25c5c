// What the server must know to make the pages of this browser. It learns it from cookies; the rest never leaves the device.
const told = ["group", "language", "theme"];

/**
 * Remembers a text between pages; false where storage is forbidden or full. Then what was remembered before stays, and
 * everything still works.
 */
export function remember(name, value) {
  if (told.includes(name)) return tell(name, value);
  try {
    if (value === null) localStorage.removeItem(`anthill.${name}`);
    else localStorage.setItem(`anthill.${name}`, value);
    return true;
  } catch {
    return false;
  }
}

/** The remembered text, or null. */
export function recall(name) {
  if (told.includes(name)) return document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1] ?? null;
  try {
    return localStorage.getItem(`anthill.${name}`);
  } catch {
    return null;
  }
}

/** What is remembered as JSON under names that begin so, as [name, value]. */
export function recallAll(beginning) {
  try {
    const all = Object.entries(localStorage).filter(([key]) => key.startsWith(`anthill.${beginning}`));
    return all.map(([key, text]) => [key.replace("anthill.", ""), JSON.parse(text)]);
  } catch {
    return [];
  }
}

function tell(name, value) {
  const age = value === null ? 0 : 31_536_000;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store needs a secure origin, which a classroom's LAN is not.
  document.cookie = `${name}=${value ?? ""}; Path=/; SameSite=Lax; Max-Age=${age}${secure}`;
  return true;
}
