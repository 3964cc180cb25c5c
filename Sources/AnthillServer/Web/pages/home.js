import { mailRefused } from "../js/account/mail-refused.js";
import { hasBegun, rows, table } from "../js/boards/board.js";
import { liveSeconds } from "../js/boards/live.js";
import { sittings, studyingNow } from "../js/boards/now.js";
import { todayCard } from "../js/calendar/today-card.js";
import { keptAt } from "../js/device/kept-pages.js";
import { recall, remember } from "../js/device/memory.js";
import { DayStrip } from "../js/goals/day-strip.js";
import { goalsCard } from "../js/goals/goals-card.js";
import { requestsWaiting } from "../js/groups/join-requests.js";
import { waiting } from "../js/offline/acts.js";
import { actsCard } from "../js/offline/acts-card.js";
import { send } from "../js/offline/sending.js";
import { timerHere } from "../js/offline/timer-here.js";
import { bdi, button, h, icon, redraw, scene } from "../js/parts/dom.js";
import { moving } from "../js/parts/moving.js";
import { get } from "../js/server/api.js";
import { poll } from "../js/server/poll.js";
import { logSession, sessionRows } from "../js/sessions/sessions.js";
import { unconfirmedCards } from "../js/sessions/unconfirmed.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, empty, fill } from "../js/shell/notices.js";
import { shortcut } from "../js/shell/shortcuts.js";
import { nextTasks } from "../js/tasks/next-tasks.js";
import { TimerPanel } from "../js/timer/timer-panel.js";
import { words } from "../js/words/i18n.js";
import { monthTitle } from "../js/words/time.js";

const wide = matchMedia("(min-width: 56.25rem)");

memberPage({ title: words.home.title, current: "home" }, async (main, user) => {
  const heading = h("h1", { class: "vh" }, words.home.title);
  const place = h("div");
  main.append(heading, place);
  await fill(place, async () => {
    const refreshAll = async () => {
      await Promise.all([panel.refresh(), refreshGroup(), sessions.refresh(), tasks.refresh()]);
      goals.show(panel.today);
      await Promise.all([days.show(panel.today), strip.show(panel.today.day)]);
    };
    // Out of the group meanwhile, the reader sees another one, or that there is none.
    const refreshGroup = () =>
      group.refresh().catch(async (problem) => {
        if (problem.status !== 404) throw problem;
        remember("group", null);
        const next = await groupCards(user);
        await next.refresh();
        const [first, ...others] = group.roots;
        first.replaceWith(...next.roots);
        for (const root of others) root.remove();
        group = next;
        announce(words.groups.noLonger);
      });
    const changed = () => Promise.all([refreshAll(), stopped.refresh()]).catch(() => {});
    const tasks = nextTasks(user, changed);
    const panel = new TimerPanel(user, changed);
    const days = todayCard();
    const goals = goalsCard(() => panel.refresh().then(() => goals.show(panel.today)));
    const strip = new DayStrip();
    strip.root.classList.add("card", "o4");
    const sessions = sessionsCard(user, () => panel.today, changed);
    shortcut("s", () => panel.actIfOffered("start"));
    shortcut(" ", () => panel.actIfOffered("pause", "resume"));
    shortcut("f", () => panel.actIfOffered("stop"));
    shortcut("l", () => logSession(user.study_clock, changed));
    const stopped = unconfirmedCards(user.study_clock, changed);
    let group = await groupCards(user);
    await panel.refresh();
    goals.show(panel.today);
    const { day } = panel.today;
    await Promise.all(
      [group, sessions, tasks, stopped].map((card) => card.refresh()).concat(days.show(panel.today), strip.show(day)),
    );
    const again = poll(30, async () => {
      await send();
      await refreshAll();
    });
    if (keptAt || timerHere() || waiting().length > 0) again();
    const acts = actsCard(user.study_clock, changed, () => panel.renew());
    const left = h("div", { class: "col" }, mailRefused(user), stopped.root, acts, panel.root);
    const right = h("div", { class: "col" }, group.roots, sessions.root, strip.root);
    // Where the columns are one below the other, the keyboard goes from card to card as the eye does.
    const arrange = () => {
      const mine = [days.root, tasks.root, goals.root];
      if (wide.matches) left.append(...mine);
      else sessions.root.before(...mine);
    };
    wide.addEventListener("change", arrange);
    arrange();
    return h("div", { class: "home" }, left, right);
  });
});

function sessionsCard(user, today, changed) {
  const list = h("div");
  const open = button([icon("plus"), words.log.title], () => logSession(user.study_clock, changed), "btn quiet small");
  const root = h(
    "section",
    { class: "card o4", "aria-labelledby": "sessions" },
    h("header", {}, h("h2", { id: "sessions" }, words.sessions.title), open),
    list,
  );
  return {
    root,
    async refresh() {
      const { day } = today();
      const { items } = await get("/me/sessions");
      const caption = h("caption", { class: "vh" }, words.sessions.title);
      const head = h(
        "thead",
        { class: "vh" },
        h("tr", {}, h("th", { scope: "col" }, words.sessions.when), h("th", { scope: "col" }, words.board.time)),
      );
      const body = () => h("tbody", {}, sessionRows(items, day, user, changed));
      redraw(list, [day, items], () =>
        items.length > 0
          ? h("table", { class: "parts" }, caption, head, body())
          : h("p", { class: "muted" }, words.sessions.none),
      );
    },
  };
}

/** Shown while the reader is suspended, with a link to the explanation. */
const offTheBoards = (group) =>
  group.my_suspension && h("p", { class: "small" }, h("a", { href: `/groups/${group.id}` }, words.fairness.mineChip));

/** The month's top three and me in the group opened last, and who is studying now. */
async function groupCards(user) {
  const { items } = await get("/groups");
  const group = items.find(({ id }) => id === recall("group")) ?? items[0];
  if (!group) {
    const found = h("a", { class: "btn quiet", href: "/groups#new" }, icon("plus"), words.groups.create);
    const look = h("a", { class: "btn text", href: "/groups/find" }, words.directory.title);
    const none = empty(scene("empty"), words.groups.noneTitle, words.groups.none, found, look);
    none.classList.add("o2");
    return {
      roots: [none],
      refresh: async () => {},
    };
  }
  remember("group", group.id);
  // The board in the navigation is this one from the first day on.
  document.querySelector('.nav [href="/groups"]')?.setAttribute("href", `/groups/${group.id}`);
  const board = table("", { user, short: true });
  const motion = moving(board);
  const live = liveSeconds();
  const liveSittings = liveSeconds("sitting");
  const gap = h("span", { class: "small muted nowrap" });
  const fresh = h("p", { class: "muted" });
  const now = h("section", { class: "card o3 nowcard", "aria-labelledby": "now" });
  const title = h("h2", { id: "group" }, h("a", { href: `/groups/${group.id}` }, bdi(group.name)));
  const root = h(
    "section",
    { class: "card o2", "aria-labelledby": "group" },
    h("header", {}, title, gap),
    offTheBoards(group),
    requestsWaiting(group),
    fresh,
    board.root,
  );
  return {
    roots: [root, now],
    async refresh() {
      const path = `/groups/${group.id}`;
      const [month, room] = await Promise.all([get(`${path}/leaderboard?period=month`), get(`${path}/today?limit=8`)]);
      const all = rows({ ...month, next: null });
      const shown = all.filter(({ entry }, index) => index < 3 || entry.uid === user.uid);
      const title = monthTitle(month.at);
      board.rename(words.home.excerpt(title));
      fresh.textContent = hasBegun(month) ? "" : words.board.freshTitle(title);
      board.root.hidden = !hasBegun(month);
      board.close(month.state !== "open");
      motion.update(shown);
      const missing = month.me?.gap_to_next_seconds;
      gap.textContent = missing ? words.board.gapShort(words.duration(missing)) : "";
      now.replaceChildren(...studyingNow(room, user));
      live(month);
      liveSittings(sittings(room));
    },
  };
}
