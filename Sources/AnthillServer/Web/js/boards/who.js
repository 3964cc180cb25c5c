import { bdi } from "../parts/dom.js";
import { words } from "../words/i18n.js";

/** What tells the entries of a board apart; null for who has no account any more. Of those who hide it is their place. */
export const key = ({ uid, hidden, rank }) => (hidden ? `someone-${rank}` : uid);

/** What to call whom an entry of a board is about. */
export function name({ hidden, nickname }) {
  if (hidden) return words.board.someone;
  return nickname === null ? words.board.gone : bdi(nickname);
}
