import { art, b, button, h, keepingFocus, scene } from "../parts/dom.js";
import { words } from "../words/i18n.js";

/** Where `announce` speaks: a page has one, and each sheet, under which nothing is seen or heard. */
export const voice = () => h("p", { class: "vh", role: "status" });

let region = voice();
document.body.append(region);
let leaving;

/** Says one sentence to screen readers, politely, and shows it for a few seconds; `seen` if the page itself shows it. */
export function announce(text, { seen = false } = {}) {
  clearTimeout(leaving);
  region.className = "vh";
  region = [...document.querySelectorAll(":is(body, dialog[open]) > [role=status]")].at(-1);
  region.textContent = text;
  region.className = seen || !text ? "vh" : "toast";
  leaving = setTimeout(() => {
    region.className = "vh";
  }, 5000);
}

/** A paper strip: "honey" waits, "apple" is trouble, "leaf" informs, "" is plain. */
export const notice = (kind, name, title, text, attributes = {}) =>
  h(
    "div",
    { class: `notice ${kind}`, ...attributes },
    art(`i-${name}`, "i"),
    h("div", {}, title && h("p", {}, b(title)), text && h("p", { class: "small" }, text)),
  );

/** A scene, a heading (the page's first if it has none yet), a sentence, and what to do next. */
export const empty = (picture, title, text, ...buttons) =>
  h(
    "section",
    { class: "card empty" },
    picture,
    h(document.querySelector("h1") ? "h2" : "h1", {}, title),
    h("p", { class: "muted" }, text),
    buttons.length > 0 && h("div", { class: "btns" }, buttons),
  );

/** The same with an ant that has lost its way: what was asked for is missing, or gone. */
export const lost = (title, text, ...buttons) => empty(scene("lost"), title, text, ...buttons);

/** Shown instead of a page that could not be loaded; retries by itself if that may help. */
export function trouble(problem, again) {
  const gone = problem.status === 404;
  if (problem.passes) setTimeout(again, Math.max(10, problem.retryAfter) * 1000);
  if (!("status" in problem)) console.error(problem);
  const refused = problem.status === 422 && [words.trouble.refused, problem.detail];
  const known = refused || (gone && words.trouble.missing) || (problem.passes && words.trouble.unreachable);
  const [title, text] = known || words.trouble.fault;
  // Not each time that it is tried again.
  if (region.textContent !== title) announce(title, { seen: true });
  const card = lost(
    title,
    text,
    gone || refused
      ? h("a", { class: "btn", href: "/home" }, words.trouble.home)
      : button(words.trouble.again, () => keepingFocus(again)),
  );
  if (problem.requestID && !refused) card.append(h("p", { class: "xs muted" }, words.trouble.request(problem.requestID)));
  return card;
}

/** A grey skeleton for slow content. */
export function bones() {
  const row = () =>
    h(
      "li",
      {},
      ["", "o", "", ""].map((kind) => h("i", { class: `bone ${kind}` })),
    );
  const rows = h("ul", { class: "bones", "aria-hidden": "true" }, row(), row(), row(), row());
  return h("section", { class: "card" }, rows, h("p", { class: "vh", role: "status" }, words.loading));
}

/**
 * Fills a place with what `build` returns: a skeleton after 300 ms, trouble if it fails. If several calls overlap, only
 * the last one shows.
 */
export async function fill(place, build) {
  const mine = Symbol("the latest to fill this place");
  place.filler = mine;
  const isLatest = () => place.filler === mine;
  const slow = setTimeout(() => {
    if (isLatest()) place.replaceChildren(bones());
  }, 300);
  try {
    const built = await build();
    if (isLatest()) place.replaceChildren(...[built].flat());
  } catch (problem) {
    const again = () => isLatest() && place.isConnected && fill(place, build);
    if (isLatest() && problem.status !== 401) place.replaceChildren(trouble(problem, again));
  } finally {
    clearTimeout(slow);
  }
}
