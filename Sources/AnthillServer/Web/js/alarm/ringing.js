import { after } from "../device/after.js";
import { noticesAllowed, show } from "../device/bell.js";
import { recall, remember } from "../device/memory.js";
import { playAlarm } from "../device/sound.js";
import { b, h, icon } from "../parts/dom.js";
import { get } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { timeOfDay } from "../words/time.js";

const minute = 60_000;

/** How open pages show the alarm; the alarm page replaces this. */
export const ringer = { show: banner, look: async () => {} };

/** Rings the alarm on this page while it is open: at the server's times, until it is solved or its time is over. */
export function ringing(user) {
  let alarm = null;
  let ahead = 0; // the server's clock minus this device's, in milliseconds
  let looked = { wall: 0, steady: 0 };
  let turn = 0;
  let playing = false;
  const now = () => Date.now() + ahead;
  const over = () => now() > Date.parse(alarm?.window?.closes_at ?? 0) + 1000;

  /** Asks the server. Offline, the page rings by what it last knew: an alarm must not wait for a network. */
  async function look() {
    try {
      alarm = await get("/me/alarm");
      const { server_time: then, received = performance.now() } = alarm;
      ahead = Date.parse(then) + performance.now() - received - Date.now();
    } catch (problem) {
      if (!("status" in problem) || problem.status === 401) throw problem;
      const due = alarm?.rings_at.findLast((ring) => Date.parse(ring) <= now());
      const closes = Date.parse(due ?? 0) + numbers.alarm_window_minutes * minute;
      if (now() <= closes) {
        alarm.window = { opened_at: due, closes_at: new Date(closes).toISOString(), tries_left: numbers.alarm_tries };
      }
    }
    looked = { wall: Date.now(), steady: performance.now() };
    if (!alarm) return;
    if (over()) alarm.window = null;
    ringer.show(alarm, user);
    if (alarm.window?.tries_left > 0) begin();
  }

  function begin() {
    tell();
    if (playing) return;
    playing = true;
    play();
  }

  function play() {
    playing = alarm.window?.tries_left > 0 && !over();
    if (!playing) return;
    playAlarm(alarm.sound);
    after(2000, play);
  }

  /** One notification per ring, whichever open page is first. */
  function tell() {
    const key = `alarm ${alarm.window.opened_at}`;
    if (recall("alarm-told") === key) return;
    remember("alarm-told", key);
    announce(words.alarm.wake, { seen: true });
    if (noticesAllowed() === "granted") show(key, words.alarm.wake, () => location.assign("/alarm"));
  }

  /** Checks when a ring is due, after the device slept, and now and then for changes made elsewhere. */
  async function step(mine) {
    if (mine !== turn) return;
    const slept = Math.abs(Date.now() - looked.wall - (performance.now() - looked.steady)) > 2000;
    const due = alarm?.rings_at.some((ring) => Date.parse(ring) <= now());
    if (!alarm || alarm.window || due || slept || Date.now() - looked.wall > 5 * minute) await look().catch(() => {});
    if (mine !== turn) return;
    const next = Math.min(...(alarm?.rings_at ?? []).map((ring) => Date.parse(ring) - now()).filter((wait) => wait > 0));
    after(alarm?.window ? 5000 : Math.min(Math.max(next + 100, 1000), minute / 2), () => step(mine));
  }

  async function again() {
    turn += 1;
    looked = { wall: 0, steady: 0 };
    await step(turn);
  }
  ringer.look = again;
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  addEventListener("pageshow", ({ persisted }) => persisted && again());
  again();
}

/** A strip at the top of the page with a link to the problem. */
function banner({ window: ring, time_zone: zone }) {
  document.querySelector("#ringing")?.remove();
  if (!ring) return;
  const tired = ring.tries_left === 0;
  const strip = h(
    "section",
    { class: "notice honey", id: "ringing", "aria-label": words.alarm.title },
    icon("bell"),
    h(
      "div",
      {},
      h("p", {}, b(tired ? words.alarm.tired : words.alarm.wake)),
      !tired && h("p", { class: "small" }, words.alarm.until(timeOfDay(ring.closes_at, zone))),
    ),
    !tired && h("a", { class: "btn small", href: "/alarm" }, words.alarm.solve),
  );
  document.querySelector("main").prepend(strip);
}
