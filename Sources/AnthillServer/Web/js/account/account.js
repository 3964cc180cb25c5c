import { forgetPages, keepPages } from "../device/kept-pages.js";
import { wear } from "../device/look.js";
import { recall, remember } from "../device/memory.js";
import { carryPush } from "../device/push.js";
import { acts, forgetActs } from "../offline/acts.js";
import { send } from "../offline/sending.js";
import { forgetOthers, forgetTimer, timerHere } from "../offline/timer-here.js";
import { h } from "../parts/dom.js";
import { form, said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, Problem, remove, signedOut } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { rememberLanguage, words } from "../words/i18n.js";
import { language } from "../words/language.js";

/**
 * The signed-in user. Without one, goes to the sign-in page, which leads back here; to the page for leaving while the
 * account is about to be deleted. While something is typed in a sheet, the page stays and only shows a link there.
 */
export async function account() {
  const toLeaving = () => location.replace("/leave");
  signedOut.handler = ({ code, detail }) => {
    forgetPages();
    if (code === "account_leaving") return toLeaving();
    const signIn = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
    const place = document.querySelector("dialog form.typed > [role=alert]");
    if (!place) return location.replace(signIn);
    const link = h("a", { href: signIn, target: "_blank" }, words.signIn.title);
    const told = notice("apple", "info", detail, [words.form.stays, " ", link]);
    // Only once, and after the form has told that its own request was refused.
    setTimeout(() => place.querySelector("a") ?? place.replaceChildren(told));
  };
  const user = adopt(await get("/me"));
  // In another tab, or since a page that comes back was left, somebody else may have signed in.
  const check = () => isOthers(user) && location.reload();
  for (const event of ["storage", "pageshow"]) addEventListener(event, check);
  if (user.leaves_at && location.pathname !== "/leave") {
    toLeaving();
    await new Promise(() => {});
  }
  return user;
}

/** Signs out on this device and forgets what this browser keeps of the user. Asks first if the service lacks some of it. */
export async function signOut() {
  const slow = setTimeout(() => announce(words.form.sending), 700);
  await atMost(5000, send());
  const count = acts().filter(({ verdict }) => !verdict?.saved).length + (timerHere() ? 1 : 0);
  if (count === 0) await leave().catch((problem) => announce(said(problem)));
  clearTimeout(slow);
  if (count === 0) return;
  sheet(
    words.offline.leaveTitle,
    h("p", {}, words.offline.leaveAsk(count)),
    form([], words.offline.leave, leave, { look: "danger" }),
  );
}

async function leave() {
  try {
    await remove("/sign-ins/current");
  } catch (problem) {
    // A device that is signed in at the service is not signed out.
    if (problem.unreached) throw new Problem(503, { detail: words.offline.signOut });
    if (problem.status !== 401) throw problem;
  }
  forgetTimer();
  forgetActs(true);
  for (const name of told) remember(name, null);
  await forgetPages();
  location.assign("/");
}

/** What this browser remembers of a user. */
const told = ["signed-in", "uid", "group", "next", "mode", "plan", "subject", "task", "rang", "push", "choices"];

/** Whether this browser is another user's. */
const isOthers = ({ uid }) => ![null, uid].includes(recall("uid"));

/**
 * From now on this browser is that user's, in the account's language and theme. Resolves once the pages of somebody else are
 * forgotten.
 */
function own(user) {
  const isOther = isOthers(user);
  if (isOther) remember("choices", null);
  remember("signed-in", "yes");
  remember("uid", user.uid);
  wear(user.theme);
  rememberLanguage(user.locale);
  return isOther && forgetPages();
}

function adopt(user) {
  own(user);
  forgetActs(false);
  forgetOthers();
  // Without cookies the page keeps the browser's language; otherwise it would reload for ever.
  if (user.locale !== language && recall("language") === user.locale) location.reload();
  else keepPages();
  return user;
}

/** Whether this browser was signed in when it last checked. */
export const wasSignedIn = () => recall("signed-in") === "yes";

/** Where to go after signing in: only ever a path of this site. */
function destination() {
  const next = new URLSearchParams(location.search).get("next") ?? recall("next") ?? "/home";
  return /^\/[a-z]/.test(next) ? next : "/home";
}

/** Continues as that user, where they were going. */
export function enter(user) {
  const next = destination();
  remember("next", null);
  // The service is told first for whom this browser shows pushes, but nobody waits long for that.
  Promise.all([own(user), atMost(2000, carryPush(user))]).then(() => location.replace(next));
}

/** Waits that many milliseconds at most, also for what fails. */
const atMost = (milliseconds, promise) =>
  Promise.race([promise.catch(() => {}), new Promise((done) => setTimeout(done, milliseconds))]);
