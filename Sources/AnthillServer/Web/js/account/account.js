import { wear } from "../device/look.js";
import { recall, remember } from "../device/memory.js";
import { get, remove, signedOut } from "../server/api.js";
import { language } from "../words/language.js";

/**
 * The signed-in user. Without one, goes to the sign-in page, which leads back here; to the page for leaving while the
 * account is about to be deleted.
 */
export async function account() {
  const toLeaving = () => location.replace("/leave");
  signedOut.handler = ({ code }) => {
    if (code === "account_leaving") return toLeaving();
    remember("signed-in", null);
    location.replace(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  };
  const user = adopt(await get("/me"));
  if (user.leaves_at && location.pathname !== "/leave") {
    toLeaving();
    await new Promise(() => {});
  }
  return user;
}

/** Signs out on this device and forgets what this browser remembers of the user. */
export async function signOut() {
  await remove("/sign-ins/current").catch(({ status }) => status);
  for (const name of ["signed-in", "group", "next", "mode", "plan", "subject", "task", "rang"]) remember(name, null);
  location.assign("/");
}

/** Applies the account's language and theme; `user` as the API returns it. */
export function adopt(user) {
  remember("signed-in", "yes");
  wear(user.theme);
  remember("language", user.locale);
  // Without storage the page keeps the browser's language; otherwise it would reload for ever.
  if (user.locale !== language && recall("language") === user.locale) location.reload();
  return user;
}

/** Whether this browser was signed in when it last checked. */
export const wasSignedIn = () => recall("signed-in") === "yes";

/** Where to go after signing in: only ever a path of this site. */
export function destination() {
  const next = new URLSearchParams(location.search).get("next") ?? recall("next") ?? "/home";
  return /^\/[a-z]/.test(next) ? next : "/home";
}

/** Continues as that user: applies their settings and goes where they were going. */
export function enter(user) {
  const next = destination();
  remember("next", null);
  remember("signed-in", "yes");
  remember("language", user.locale);
  wear(user.theme);
  location.replace(next);
}
