import { b, bdi, h, icon } from "../parts/dom.js";
import { helpLink } from "../parts/help-link.js";
import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { dayAndTime, studyDay } from "../words/time.js";
import { hasBegun } from "./board.js";
import { explainButton } from "./explain-sheet.js";
import { gapInWords, orderOf } from "./orders.js";
import { clockChanges, periodTitle } from "./periods.js";
import { podium } from "./podium.js";

/** My place: rank, and how far it is to the next. */
export function myPlace(board) {
  const { me } = board;
  if (!me) return null;
  const gap = gapInWords(board);
  const { score, gap: missing } = orderOf(board);
  const above = [...board.entries, ...me.neighbours].find((other) => score(other) === score(me) + missing(me));
  return h(
    "section",
    { class: "card", "aria-labelledby": "mine" },
    h(
      "header",
      {},
      h("h2", { id: "mine" }, words.board.myPlace),
      hasBegun(board) && h("span", { class: "chip leaf" }, words.board.ranked(me.rank, false)),
    ),
    gap === null || board.state === "closed"
      ? h("p", { class: "muted" }, standing(board))
      : h(
          "p",
          { class: "gapnum" },
          h("span", { class: "muted small" }, words.board.toNext),
          b(gap),
          above && h("span", { class: "small muted" }, words.board.ranked(above.rank, false), " ", bdi(above.nickname)),
        ),
    explainButton(board),
  );
}

/** My place in words where there is no gap to close: the board is final, or I have not begun, lead or am alone. */
function standing({ me, state, participants }) {
  if (state === "closed") return words.board.finalPlace(words.duration(me.seconds));
  if (me.seconds === 0) return words.board.notBegun;
  return participants > 1 ? words.board.leading : words.board.alone(words.duration(me.seconds));
}

/** The one line that stays above the board on phones. */
export const clockLine = (board) =>
  h(
    "ul",
    { class: "facts only-phone" },
    h(
      "li",
      {},
      icon("clock"),
      h("span", {}, words.rules.clockShort(board.rules.day_starts_at, board.rules.time_zone), " ", ending(board)),
    ),
  );

function ending({ period, at, as_of: now, ends_at: end, state, rules }) {
  const left = Math.round((Date.parse(end) - Date.parse(now)) / 1000);
  const title = periodTitle(period, at, studyDay(now, rules));
  return state === "open" && left > 0 ? words.rules.endsIn(title, words.rules.span(left)) : words.rules.ended(title);
}

const closing = ({ ends_at: end }) => new Date(Date.parse(end) + numbers.grace_period_hours * 3_600_000);

/** What this board counts. */
export function rulesCard(board) {
  const { rules, period } = board;
  const line = (name, ...text) => h("li", {}, icon(name), h("span", {}, text));
  return h(
    "section",
    { class: "card", "aria-labelledby": "rules" },
    h("header", {}, h("h2", { id: "rules" }, words.rules.title)),
    h(
      "ul",
      { class: "facts" },
      line("clock", words.rules.clock(rules.day_starts_at, rules.time_zone)),
      clockChanges(board).map((text) => line("clock", text)),
      line(
        "calendar",
        ending(board),
        period === "month" && [
          " ",
          words.rules[board.state === "closed" ? "closed" : "closes"](dayAndTime(closing(board), rules.time_zone)),
        ],
      ),
      line("stop", words.rules.cap(rules.daily_cap_seconds)),
      line("pencil", rules.manual_counts ? words.rules.manual : words.rules.timerOnly),
    ),
    helpLink("ranks"),
  );
}

/** What is shown above the board of a past month: that late uploads still count, or how it ended. */
export function outcome(board) {
  const { state, at, period, as_of: now, rules, entries } = board;
  const title = periodTitle(period, at, studyDay(now, rules));
  const closes = dayAndTime(closing(board), rules.time_zone);
  if (state === "grace" && period === "month") {
    return notice("honey", "clock", words.board.grace(title), words.board.graceText(closes, rules.time_zone));
  }
  const won = state === "closed" && period === "month" && board.order === "seconds" && entries[0]?.seconds > 0;
  return won ? podium(board, words.board.finalTitle(title), words.board.finalSince(closes)) : null;
}

/** My rank and gap at the bottom of a phone's screen while my row is not visible. */
export function pin() {
  const root = h("a", { class: "pin", href: "#me", hidden: true });
  let seen = new IntersectionObserver(() => {});
  return {
    root,
    show(board, row) {
      const { me } = board;
      seen.disconnect();
      if (!me || !row) {
        root.hidden = true;
        return;
      }
      const [{ score, shown }, gap] = [orderOf(board), gapInWords(board)];
      const distance = board.state !== "closed" && gap && words.board.gapShort(gap);
      root.replaceChildren(
        b(words.board.ranked(me.rank, false)),
        h("span", { class: "num" }, shown(score(me))),
        h("span", {}, me.seconds > 0 && distance),
      );
      seen = new IntersectionObserver(
        ([{ isIntersecting }]) => {
          root.hidden = isIntersecting;
        },
        { rootMargin: "0px 0px -120px" },
      );
      seen.observe(row);
    },
  };
}
