import { after } from "../device/after.js";
import { h, svg } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { post } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { alarmWords } from "../words/alarm/i18n.js";
import { words } from "../words/i18n.js";
import { clock } from "../words/time.js";

/**
 * The problem of the current ring. Calls `solved(text)` once the ant is earned, and `look()` when the alarm should be
 * loaded again, because the ring or its tries are over.
 */
export function puzzle({ window: ring, server_time: asked }, solved, look) {
  const left = h("span", { class: "chip honey", role: "timer", "aria-label": alarmWords.timeLeft });
  const body = h("div", { class: "stackup" });
  const root = h(
    "section",
    { class: "card riddle", "aria-labelledby": "riddle" },
    h("header", {}, h("h2", { id: "riddle" }, words.alarm.wake), left),
    h("p", { class: "small muted" }, alarmWords.ringOf(ring.ring ?? 1, ring.rings ?? 1)),
    body,
  );
  const ends = performance.now() + Date.parse(ring.closes_at) - Date.parse(asked);
  const tick = () => {
    const seconds = Math.ceil((ends - performance.now()) / 1000);
    left.textContent = clock(Math.max(0, seconds));
    if (seconds < 0) look();
    else if (root.isConnected) after(1000, tick);
  };
  after(0, tick);

  const fail = (problem) => {
    if (!("status" in problem)) throw problem;
    if (problem.status === 409) look();
    body.replaceChildren(notice("apple", "info", null, said(problem), { role: "alert" }));
  };
  post("/me/wake-ups/challenge").then((challenge) => body.replaceChildren(...question(challenge, solved, look)), fail);
  return root;
}

function question({ challenge_id: id, kind, parts, question: text, tries_left: tries }, solved, look) {
  const verdict = h("p", { class: "err", role: "alert", hidden: true });
  const tried = h("p", { class: "small muted" }, alarmWords.tries(tries));
  const input = h("input", {
    class: "in",
    id: "answer",
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    pattern: "-?[0-9]{1,15}",
    required: true,
    "aria-describedby": "asked",
  });
  const submit = h("button", { class: "btn" }, alarmWords.answer);

  const tell = (said_) => {
    verdict.hidden = false;
    verdict.textContent = said_;
    input.setAttribute("aria-invalid", "true");
    input.focus();
    input.select();
  };

  async function onsubmit(event) {
    event.preventDefault();
    if (submit.disabled) return;
    verdict.hidden = true;
    input.value = input.value.trim();
    if (!input.checkValidity()) return tell(alarmWords.aNumber);
    submit.disabled = true;
    try {
      const {
        correct,
        wake_up: earned,
        tries_left: rest,
      } = await post("/me/wake-ups", {
        challenge_id: id,
        answer: Number(input.value),
      });
      tried.textContent = alarmWords.tries(rest);
      if (earned) {
        announce(alarmWords.wonTitle, { seen: true });
        solved(correct ? alarmWords.won : alarmWords.earned);
      } else if (rest === 0) look();
      else tell(alarmWords.wrong);
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      tell(said(problem));
      if (problem.status === 409) look();
    } finally {
      submit.disabled = false;
    }
  }

  queueMicrotask(() => input.focus());
  return [
    kind === "clock" ? face(parts.shown) : null,
    h("p", { class: "asked", id: "asked" }, kind === "arithmetic" ? sum(text) : text),
    h(
      "form",
      { class: "stackup", novalidate: true, onsubmit },
      h("label", { class: "vh", for: "answer" }, alarmWords.yourAnswer),
      h("div", { class: "join" }, input, submit),
      verdict,
      tried,
    ),
  ].filter(Boolean);
}

/** A question with its sum on a line of its own. */
function sum(text) {
  const end = text.indexOf("?") + 2;
  return [text.slice(0, end), h("span", {}, text.slice(end))];
}

/** The clock that the question describes. */
function face({ hour, minute }) {
  const hand = (turn, length, className) => {
    const angle = (turn * 2 - 0.5) * Math.PI;
    const [x2, y2] = [60 + length * Math.cos(angle), 60 + length * Math.sin(angle)].map((at) => at.toFixed(2));
    return svg("line", { x1: 60, y1: 60, x2, y2, class: className });
  };
  const numbers = Array.from({ length: 12 }, (_, n) => {
    const angle = ((n + 1) / 6 - 0.5) * Math.PI;
    const at = (centre, way) => (centre + 43 * way).toFixed(2);
    return svg("text", { x: at(60, Math.cos(angle)), y: at(64, Math.sin(angle)) }, String(n + 1));
  });
  const marks = Array.from({ length: 60 }, (_, n) => {
    const angle = (n / 30) * Math.PI;
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    const inner = n % 5 ? 53 : 51;
    const place = (centre, radius, way) => (centre + radius * way).toFixed(2);
    return svg("line", { x1: place(60, inner, x), y1: place(60, inner, y), x2: place(60, 55, x), y2: place(60, 55, y) });
  });
  return svg(
    "svg",
    { class: "clockface", viewBox: "0 0 120 120", "aria-hidden": "true" },
    svg("circle", { cx: 60, cy: 60, r: 57 }),
    svg("g", { class: "marks" }, marks),
    numbers,
    hand((hour % 12) / 12 + minute / 720, 27, "short"),
    hand(minute / 60, 40, "long"),
    svg("circle", { cx: 60, cy: 60, r: 3, class: "pin" }),
  );
}
