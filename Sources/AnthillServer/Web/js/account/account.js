import { wear } from "../device/look.js";
import { recall, remember } from "../device/memory.js";
import { get, signedOut } from "../server/api.js";
import { language } from "../words/language.js";

/** Who is signed in. Whoever is not goes to the sign-in page and comes back from there. */
export async function account() {
  signedOut.handler = () => {
    remember("signed-in", null);
    location.replace(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  };
  return adopt(await get("/me"));
}

/** Takes over the account's language and theme; `user` as the API answers it. */
export function adopt(user) {
  remember("signed-in", "yes");
  wear(user.theme);
  remember("language", user.locale);
  // Where nothing can be remembered, the page stays in the browser's language instead of beginning anew for ever.
  if (user.locale !== language && recall("language") === user.locale) location.reload();
  return user;
}

/** Whether somebody was signed in when this browser last looked. */
export const wasSignedIn = () => recall("signed-in") === "yes";

/** Where to go after signing in: only ever a path of this site. */
export function destination() {
  const next = new URLSearchParams(location.search).get("next") ?? recall("next") ?? "/home";
  return /^\/[a-z]/.test(next) ? next : "/home";
}

/** Begins life as that user: takes over their settings and goes where they wanted to go. */
export function enter(user) {
  const next = destination();
  remember("next", null);
  remember("signed-in", "yes");
  remember("language", user.locale);
  wear(user.theme);
  location.replace(next);
}
