import { button, h, icon, nodes, svg } from "../parts/dom.js";
import { hue } from "../parts/hues.js";
import { get } from "../server/api.js";
import { fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { timeOfDay } from "../words/time.js";
import { shareStrip } from "./strip-picture.js";

const cellSeconds = 600;
const inARow = 6;
const size = { cell: 28, row: 9, label: 16 };

/** A study day as rows of an hour with six cells of ten minutes, coloured by subject. */
export class DayStrip {
  constructor(level = "h2") {
    this.content = h("div");
    this.told = h("p", { class: "small muted", role: "status" });
    this.share = button([icon("share"), words.strip.share], () => this.send(), "btn quiet small");
    const title = h(level, { id: "strip" }, words.strip.title);
    this.root = h(
      "section",
      { class: "strip", "aria-labelledby": "strip" },
      h("header", {}, title, this.share),
      this.content,
      this.told,
    );
  }

  /** Shows a day; the old one stays until the new one is there. */
  show(day) {
    const load = async () => {
      const strip = await get(`/me/days/${day}/strip`);
      if (this.day === day) this.present(strip);
    };
    if (this.day === day) return load();
    this.day = day;
    this.told.textContent = "";
    return fill(this.content, async () => {
      await load();
      return [...this.content.childNodes];
    });
  }

  present(strip) {
    const known = JSON.stringify(strip.cells);
    if (this.known === known && this.strip?.day === strip.day) return;
    this.known = known;
    this.strip = strip;
    this.share.hidden = strip.cells.length === 0;
    this.content.replaceChildren(...nodes([picture(strip), legend(strip), stretches(strip)]));
  }

  /** Shares the day as a picture, or saves it where nothing can be shared. */
  async send() {
    try {
      this.told.textContent = words.strip[await shareStrip(this.strip, rowsOf(this.strip), sums(this.strip))];
    } catch (problem) {
      this.told.replaceChildren(notice("apple", "info", null, words.strip.failed));
      if (!(problem instanceof DOMException)) throw problem;
    }
  }
}

/** The rows of a day: the local hour each begins at, and its cells with their colours; null without study. */
function rowsOf({ starts_at: start, ends_at: end, time_zone: zone, cells, subjects }) {
  const colours = new Map(subjects.map(({ id, colour }) => [id, colour]));
  const filled = new Map(cells.map((cell) => [Date.parse(cell.starts_at), colours.get(cell.subject_id) ?? "none"]));
  const [first, last] = [Date.parse(start), Date.parse(end)];
  const rows = [];
  for (let at = first; at < last; at += inARow * cellSeconds * 1000) {
    const row = Array.from({ length: inARow }, (_, index) => filled.get(at + index * cellSeconds * 1000) ?? null);
    rows.push({ hour: timeOfDay(at, zone), cells: row });
  }
  return rows;
}

function picture(strip) {
  const rows = rowsOf(strip);
  const { cell, row, label } = size;
  const rect = (colour, x, y) =>
    svg("rect", {
      class: colour ? `hue-${colour === "none" ? "plain" : colour}` : "idle",
      x: label + x * cell,
      y: y * row,
      width: cell - 1,
      height: row - 1,
      rx: 2,
    });
  return svg(
    "svg",
    { class: "tens", viewBox: `0 0 ${label + inARow * cell} ${rows.length * row}`, "aria-hidden": "true" },
    rows.map(({ hour, cells }, y) => [
      svg("text", { x: label - 4, y: y * row + row - 2.5, "text-anchor": "end" }, hour.slice(0, 2)),
      cells.map((colour, x) => rect(colour, x, y)),
    ]),
  );
}

/** The subjects with how long each coloured its cells. */
function legend(strip) {
  const of = sums(strip);
  const named = [...strip.subjects.map(({ id, name, colour }) => [id, name, colour]), [null, words.strip.noSubject, "plain"]];
  const rows = named.filter(([id]) => of.has(id));
  if (rows.length === 0) return h("p", { class: "small muted" }, words.strip.nothing);
  return h(
    "ul",
    { class: "facts" },
    rows.map(([id, name, colour]) => h("li", {}, hue(colour), h("bdi", {}, name), words.duration(of.get(id)))),
  );
}

function sums({ cells }) {
  const of = new Map();
  for (const { subject_id: id, seconds } of cells) of.set(id, (of.get(id) ?? 0) + seconds);
  return of;
}

/** The same in words, for screen readers: neighbouring cells of one subject are one line. */
function stretches({ cells, subjects, time_zone: zone }) {
  const names = new Map(subjects.map(({ id, name }) => [id, name]));
  const lines = [];
  for (const { starts_at: start, seconds, subject_id: id } of cells) {
    const at = Date.parse(start);
    const last = lines.at(-1);
    if (last && last.id === id && last.until === at)
      Object.assign(last, { until: at + cellSeconds * 1000, seconds: last.seconds + seconds });
    else lines.push({ id, at, until: at + cellSeconds * 1000, seconds });
  }
  const line = ({ id, at, until, seconds }) =>
    h(
      "li",
      {},
      words.strip.stretch(
        timeOfDay(at, zone),
        timeOfDay(until, zone),
        names.get(id) ?? words.strip.noSubject,
        words.duration(seconds),
      ),
    );
  return lines.length > 0 && h("ul", { class: "vh", "aria-label": words.strip.inWords }, lines.map(line));
}
