const calm = matchMedia("(prefers-reduced-motion: reduce)");
const pause = 5000;

/** Moves rows to their new places: at most every five seconds, and not while the pointer or focus is inside. */
export function moving(board) {
  let waiting = null;
  let last = -pause;
  let timer;
  const inside = () => board.root.matches(":hover, :focus-within");

  function attempt() {
    clearTimeout(timer);
    if (!waiting || inside()) return;
    const wait = last + pause - performance.now();
    if (wait > 0) timer = setTimeout(attempt, wait);
    else {
      last = performance.now();
      glide(waiting);
      waiting = null;
    }
  }

  function glide(list) {
    const tops = new Map([...board.body.rows].map((row) => [row, row.getBoundingClientRect().top]));
    board.update(list);
    if (calm.matches) return;
    for (const row of board.body.rows) {
      const distance = (tops.get(row) ?? row.getBoundingClientRect().top) - row.getBoundingClientRect().top;
      if (distance === 0) continue;
      const steps = [{ transform: `translateY(${distance}px)` }, { transform: "none" }];
      row.animate(steps, { duration: 360, easing: "cubic-bezier(.2,.7,.2,1)" });
    }
  }

  board.root.addEventListener("pointerleave", attempt);
  board.root.addEventListener("focusout", () => setTimeout(attempt));

  return {
    /** Shows a change that came from elsewhere. */
    update(list) {
      waiting = null;
      if (board.body.rows.length === 0 || !board.wouldMove(list)) return board.update(list);
      waiting = list;
      attempt();
    },
    /** Shows what the user asked for, at once. */
    replace(list) {
      waiting = null;
      last = performance.now();
      board.update(list);
    },
  };
}
