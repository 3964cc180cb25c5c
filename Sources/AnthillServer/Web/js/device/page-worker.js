// Pages in the service worker. Files that never change come from this device. The pages of the person who is signed in are
// kept as they came last, for when the service cannot be reached. A document brings the answers that its page shows first;
// nothing else of the API is kept. No build has a cache of its own: files that no kept page names are deleted.

const kept = { pages: "pages", files: "files" };
const spare = "/offline";
/** How long a page waits for the service before it shows what is kept. */
const patience = 3000;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(begin()));

/** Keeps the pages that were open before this worker was there. */
async function begin() {
  await self.clients.claim();
  const open = await self.clients.matchAll({ type: "window" });
  const own = new Set(open.map(({ url }) => new URL(url).pathname));
  await Promise.all([...own].map(async (path) => keep(path, await fetch(path, { cache: "no-store" })).catch(() => {})));
}

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (origin !== self.location.origin || method !== "GET") return;
  // Where the device has no room, or keeps nothing, everything comes from the service.
  const ask = () => fetch(event.request);
  if (pathname.startsWith("/assets/")) event.respondWith(file(url).catch(ask));
  else if (mode === "navigate" && !pathname.startsWith("/api/")) event.respondWith(page(event, pathname).catch(ask));
});

/** The page from the service; the kept one if that fails or takes too long. */
async function page(event, path) {
  const cache = await caches.open(kept.pages);
  const last = await cache.match(path);
  const coming = fetch(event.request, { cache: "no-store" }).then((answer) => {
    if (answer.status >= 500 && last) throw new Error(answer.status);
    return answer;
  });
  // The copy is made before the browser reads the answer.
  event.waitUntil(coming.then((answer) => keep(path, answer.clone())).catch(() => {}));
  const late = new Promise((done) => setTimeout(done, patience, last));
  try {
    return await (last ? Promise.race([coming, late]) : coming);
  } catch (failure) {
    const instead = last ?? (await cache.match(spare));
    if (instead) return instead;
    throw failure;
  }
}

/** Keeps a page of somebody once all files that it names are there. The page then says since when it is kept. */
async function keep(path, answer) {
  const text = await answer.text();
  if (!answer.ok || !isOwn(text)) return;
  const cache = await caches.open(kept.pages);
  const before = await cache.match(path);
  const isSameBuild = before && String(files(await before.text())) === String(files(text));
  if (!isSameBuild) await fetchFiles(text);
  await put(cache, path, text, answer);
  if (isSameBuild) return;
  // With another build all pages are another, and old files can go.
  const paths = before ? (await cache.keys()).map(({ url }) => new URL(url).pathname) : [];
  const others = new Set([...paths, spare]);
  others.delete(path);
  // One that cannot be had now stays as it was, with its files.
  await Promise.allSettled([...others].map((other) => renewPage(cache, other)));
  tidying = tidying.catch(() => {}).then(tidy);
  await tidying;
}

// One after the other: each keeps only what the pages named when it began.
let tidying = Promise.resolve();

async function renewPage(cache, path) {
  const answer = await fetch(path, { cache: "no-store" });
  const text = await answer.text();
  if (!answer.ok || !(path === spare || isOwn(text))) return cache.delete(path);
  await fetchFiles(text);
  await put(cache, path, text, answer);
}

/** Whether a page has answers for somebody. */
const isOwn = (text) => text.includes('"/me":{');

async function put(cache, path, text, answer) {
  const marked = text.replace('id="first"', `id="first" data-kept="${new Date().toISOString()}"`);
  const headers = new Headers(answer.headers);
  // A proxy may have packed it.
  for (const name of ["Content-Encoding", "Content-Length", "ETag", "Vary"]) headers.delete(name);
  await cache.put(path, new Response(marked, { headers }));
}

/**
 * Fetches all files that a text names, and those that they name; adds their addresses to `named`. Throws once all are asked for
 * if one is not to be had.
 */
async function fetchFiles(text, named = new Set()) {
  const visit = async (address) => {
    if (named.has(address)) return;
    named.add(address);
    const answer = await file(address);
    if (!lasts(answer)) throw new Error(`${address} is not there`);
    // Scripts name what they load.
    if (address.endsWith(".js")) await fetchFiles(await answer.text(), named);
  };
  const all = await Promise.allSettled(files(text).map(visit));
  for (const { reason } of all) if (reason) throw reason;
}

/** Deletes the pages that lack a file, and the files that no kept page names. */
async function tidy() {
  const pages = await caches.open(kept.pages);
  const named = new Set();
  for (const { url } of await pages.keys()) {
    const page = await pages.match(url);
    if (page) await fetchFiles(await page.text(), named).catch(() => pages.delete(url));
  }
  const cache = await caches.open(kept.files);
  const old = (await cache.keys()).filter(({ url }) => !named.has(new URL(url).pathname));
  await Promise.all(old.map((each) => cache.delete(each)));
}

/** The addresses of files in a script, or in a page before its answers, which have what people wrote. */
const files = (text) => text.split('id="first"', 1)[0].match(/\/assets\/[0-9a-z]+\/[\w./-]+/g) ?? [];

/** A file whose address has a digest of its content, so it is asked for once. */
async function file(address) {
  const cache = await caches.open(kept.files);
  const here = await cache.match(address, { ignoreVary: true });
  if (here) return here;
  const answer = await fetch(address);
  if (lasts(answer)) await cache.put(address, answer.clone());
  return answer;
}

/** The address of another build answers what is there now, and that is not to be kept. */
const lasts = ({ ok, headers }) => ok && headers.get("Cache-Control")?.includes("immutable");
