// What a board ranks by: the score in an entry, the gap to the next rank, and how both are shown and spoken.

import { words } from "../words/i18n.js";
import { hm } from "../words/time.js";

const percent = (permille) => words.board.percent(permille / 10);

const orders = {
  seconds: {
    score: (entry) => entry.seconds,
    gap: (me) => me.gap_to_next_seconds,
    shown: hm,
    said: (seconds) => words.duration(seconds),
  },
  goal: {
    score: (entry) => entry.goal_permille,
    gap: (me) => me.gap_to_next_permille,
    shown: percent,
    said: percent,
    saidGap: (permille) => words.board.points(permille / 10),
  },
  consistency: {
    score: (entry) => entry.days_met,
    gap: (me) => me.gap_to_next_days,
    shown: (days) => words.board.days(days),
    said: (days) => words.board.days(days),
  },
};

export const orderNames = Object.keys(orders);

/** The order of a board. */
export const orderOf = (board) => orders[board.order];

/** The gap from the reader to the next rank up, in words; null for the first. */
export function gapInWords(board) {
  const { gap, said, saidGap = said } = orderOf(board);
  const missing = board.me && gap(board.me);
  return missing ? saidGap(missing) : null;
}
