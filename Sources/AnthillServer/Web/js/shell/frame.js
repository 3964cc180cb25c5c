import { account, wasSignedIn } from "../account/account.js";
import { ringing } from "../alarm/ringing.js";
import { perfectAnt } from "../calendar/perfect-ant.js";
import { recall } from "../device/memory.js";
import { actsNotice } from "../offline/acts-notice.js";
import { send } from "../offline/sending.js";
import { timerShown } from "../offline/timer-here.js";
import { art, face, h, hidden, nodes, svg } from "../parts/dom.js";
import { get } from "../server/api.js";
import { poll } from "../server/poll.js";
import { everySecond, Stopwatch } from "../timer/stopwatch.js";
import { speak, words } from "../words/i18n.js";
import { language, tongues } from "../words/language.js";
import { clock } from "../words/time.js";
import { bones, trouble } from "./notices.js";
import { shortcuts } from "./shortcuts.js";

const [other, otherName] = tongues.find(([tag]) => tag !== language);

const languageSwitch = (className, picture) =>
  h("button", { type: "button", class: className, lang: other, onclick: () => speak(other) }, picture, otherName);

function open({ title, current, className = "" }, end, nav) {
  document.title = title ? `${title} · ${words.brand}` : words.brandInFull;
  const main = h("main", { class: `wrap ${className}`, id: "main", tabindex: "-1" });
  const brand = h("a", { class: "brand", href: wasSignedIn() ? "/home" : "/" }, art("mark", ""), h("span", {}, words.brand));
  document.body.prepend(
    h("a", { class: "skip", href: "#main" }, words.skip),
    h(
      "header",
      { class: "top" },
      h("div", { class: "wrap" }, brand, nav && navigation(current), h("div", { class: "end" }, end)),
    ),
    main,
    footer(nav),
  );
  return main;
}

function navigation(current) {
  const board = recall("group");
  const links = [
    ["home", "/home"],
    ["board", board ? `/groups/${board}` : "/groups"],
    ["calendar", "/calendar"],
    ["tasks", "/tasks"],
    ["me", "/settings"],
  ];
  return h(
    "nav",
    { class: "nav", "aria-label": words.nav.label },
    h(
      "ul",
      {},
      links.map(([name, href]) =>
        h("li", {}, h("a", { href, "aria-current": current === name && "page" }, art(`i-${name}`, "i"), words.nav[name])),
      ),
    ),
  );
}

const footer = (member) =>
  h(
    "footer",
    { class: member ? "foot member" : "foot" },
    h(
      "div",
      { class: "wrap" },
      h(
        "div",
        { class: "in" },
        h("a", { href: "/help" }, words.foot.help),
        h("a", { href: "/api/v1/openapi.yaml" }, words.foot.api),
        !member && languageSwitch("link", art("i-globe", "i-s")),
      ),
    ),
  );

/** A page for anyone; `className` is that of main. Returns main. */
export function publicPage({ title, className, entrance = true }) {
  const doors = wasSignedIn()
    ? h("a", { class: "btn quiet small", href: "/home" }, words.toHome)
    : entrance && h("a", { class: "btn quiet small", href: "/sign-in" }, words.signIn.title);
  return open({ title, className }, [languageSwitch("btn text small"), doors], false);
}

/**
 * A page for signed-in users: the frame at once, then `build(main, user)` once the user is loaded. `current` is the
 * entry in the navigation; every page but home shows a running timer.
 */
export async function memberPage({ title, current, className }, build) {
  const end = h("div", { class: "end" });
  const main = open({ title, current, className }, null, true);
  document.querySelector("header .end").replaceWith(end);
  shortcuts([...document.querySelectorAll(".nav a")]);
  const start = async () => {
    const slow = setTimeout(() => main.replaceChildren(bones()), 300);
    try {
      const user = await account();
      clearTimeout(slow);
      const mine = face(user);
      const admin = user.site_admin && h("a", { class: "btn text small", href: "/admin" }, words.nav.admin);
      end.replaceChildren(
        ...nodes([admin]),
        h("a", { class: "me", href: "/settings", "aria-label": words.nav.profile(user.nickname) }, mine),
      );
      main.replaceChildren();
      if (current !== "home") {
        runningPill(end);
        poll(60, async () => perfectAnt(await get("/me/today")))();
      }
      await build(main, user);
      if (current !== "home") actsNotice(main);
      ringing(user);
    } catch (problem) {
      clearTimeout(slow);
      if (problem.status !== 401) main.replaceChildren(trouble(problem, start));
    }
  };
  await start();
}

/** The timer in the header, running or on a break. */
async function runningPill(end) {
  const shown = h("span", { class: "num" });
  const state = h("span");
  const pill = h("a", { class: "running", href: "/home", hidden: true }, state, shown);
  end.prepend(pill);
  let watch = null;
  const refresh = async () => {
    const latest = new Stopwatch(timerShown(await get("/me/timer")));
    watch = latest;
    pill.hidden = latest.state === "idle";
    state.replaceChildren(
      ...(latest.state === "paused"
        ? [art("i-pause", "i-s"), hidden(words.timer.rests)]
        : [h("span", { class: "dot" }), hidden(words.timer.runs)]),
    );
    everySecond(latest, () => {
      if (watch !== latest) return false;
      shown.textContent = clock(latest.seconds);
      return true;
    });
  };
  poll(60, async () => {
    await refresh();
    if (await send()) await refresh();
  })();
}

/** The dark soil's pebbles. */
export const pebbles = () =>
  svg(
    "svg",
    { class: "pebbles", viewBox: "0 0 360 300", preserveAspectRatio: "xMidYMid slice", "aria-hidden": "true" },
    svg(
      "g",
      { fill: "currentColor" },
      [
        [26, 52, 11, 7],
        [54, 120, 5, 4],
        [20, 196, 8, 6],
        [330, 40, 7, 5],
        [342, 128, 11, 8],
        [312, 196, 5, 4],
        [60, 26, 4, 3],
        [300, 88, 4, 3],
        [42, 268, 6, 4],
        [328, 262, 8, 5],
      ].map(([cx, cy, rx, ry]) => svg("ellipse", { cx, cy, rx, ry })),
    ),
  );
