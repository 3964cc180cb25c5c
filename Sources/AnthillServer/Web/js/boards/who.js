import { bdi } from "../parts/dom.js";
import { words } from "../words/i18n.js";

/** Identifies an entry of a board: by account, for a hidden member by place; null for a deleted account. */
export const key = ({ uid, hidden, rank }) => (hidden ? `someone-${rank}` : uid);

/** The name shown for an entry. */
export function name({ hidden, nickname }) {
  if (hidden) return words.board.someone;
  return nickname === null ? words.board.gone : bdi(nickname);
}
