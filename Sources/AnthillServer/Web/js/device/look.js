import { remember } from "./memory.js";

/** Applies "light", "dark", or with "system" the device's theme, here and on later pages. */
export function wear(theme) {
  const own = theme === "light" || theme === "dark";
  remember("theme", own ? theme : null);
  if (own) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
