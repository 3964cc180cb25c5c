import { remember } from "./memory.js";

/** Shows "light" or "dark", or with "system" what the device prefers, here and on the pages to come. */
export function wear(theme) {
  const own = theme === "light" || theme === "dark";
  remember("theme", own ? theme : null);
  if (own) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
