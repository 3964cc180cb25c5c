import { keptAt } from "../device/kept-pages.js";
import { language } from "../words/language.js";
import { learnTime } from "./clock.js";

/** An error answer of the server, or that it cannot be reached (code "unreachable"). */
export class Problem extends Error {
  constructor(status, document, retryAfter = 0) {
    // Members that only some problems have are in `more`.
    const { code = "internal", detail = "", field = null, request_id: requestID = null, ...more } = document;
    super(detail || code);
    Object.assign(this, { status, code, detail, field, requestID, retryAfter, more });
  }

  /** Whether the same request may succeed soon. */
  get passes() {
    return this.unreached || this.status === 429;
  }

  /** Whether the service did not get it, or could not act on it. */
  get unreached() {
    return [0, 502, 503, 504].includes(this.status);
  }
}

/** Called when the server says that nobody is signed in; a page that needs somebody replaces it. */
export const signedOut = { handler: () => {} };

// What came with the document, for the first who asks. A document from the browser's own cache may be old; one that the
// service worker kept is old, and says so.
const [arrival] = performance.getEntriesByType("navigation");
const isOld = arrival?.transferSize === 0 && !arrival.workerStart;
const first = new Map(isOld ? [] : Object.entries(JSON.parse(document.getElementById("first").text)));
setTimeout(() => first.clear(), 5000);
const received = keptAt ? performance.now() - (Date.now() - keptAt) : (arrival?.responseStart ?? performance.now());

/** Whether the service has answered this page; a kept page may have answers of its own. */
export const reached = { now: !keptAt };

/** What the server answers; `received` is when that came, for what counts on from it. */
export async function get(path) {
  const known = first.get(path);
  first.delete(path);
  if (!known) return once("GET", path);
  if (!keptAt) learnTime(known, received);
  return Object.assign(known, { received });
}

/** The items of all pages of a list. */
export async function getAll(path) {
  const all = [];
  const query = path.includes("?") ? "&" : "?";
  for (let next = ""; next !== null; ) {
    const page = await get(`${path}${query}limit=200${next && `&after=${encodeURIComponent(next)}`}`);
    all.push(...page.items);
    next = page.next;
  }
  return all;
}

export const patch = (path, body) => once("PATCH", path, body);
export const put = (path, body) => once("PUT", path, body);
export const remove = (path, body) => once("DELETE", path, body);

/** A POST that must not be sent twice, because its answer is a secret or nobody is signed in yet. */
export const postOnce = (path, body = {}) => once("POST", path, body);

/**
 * A POST when signed in: all attempts share one key, so that a lost answer never leads to a second effect. It gives up after
 * `patience` milliseconds.
 */
export async function post(path, body = {}, key = uuid(), patience = 60_000) {
  const end = performance.now() + patience;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once("POST", path, body, key, Math.max(1000, end - performance.now()));
    } catch (problem) {
      if (attempt === 3 || !navigator.onLine || !problem.unreached || performance.now() > end) throw problem;
      await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(problem.retryAfter, attempt), 5) * 1000));
    }
  }
}

/** Sends a CSV file, whatever type the device thinks it has; sending it again has no second effect. */
export const upload = (path, file) => once("POST", path, new Blob([file], { type: "text/csv" }));

async function once(method, path, body, key, patience = 15_000) {
  if (method !== "GET") first.clear();
  const isFile = body instanceof Blob;
  const headers = { Accept: "application/json", "Accept-Language": language };
  if (body !== undefined) headers["Content-Type"] = isFile ? body.type : "application/json";
  if (key) headers["Idempotency-Key"] = key;
  let response, text;
  try {
    const options = { method, headers, body: body === undefined || isFile ? body : JSON.stringify(body) };
    response = await fetch(`/api/v1${path}`, {
      ...options,
      signal: AbortSignal.timeout(isFile ? 120_000 : Math.min(patience, 15_000)),
    });
    text = await response.text();
  } catch {
    throw new Problem(0, { code: "unreachable" });
  }
  const isJSON = /^application\/(problem\+)?json/.test(response.headers.get("Content-Type") ?? "");
  const value = isJSON && text ? JSON.parse(text) : null;
  reached.now = ![502, 503, 504].includes(response.status);
  learnTime(value, performance.now());
  if (response.ok) return isJSON ? value : text || null;
  const problem = new Problem(response.status, value ?? {}, Number(response.headers.get("Retry-After") ?? 0));
  if (problem.status === 401 && problem.code !== "wrong_credentials") signedOut.handler(problem);
  throw problem;
}

/** `crypto.randomUUID` exists only on secure origins, which a classroom's LAN is not. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
