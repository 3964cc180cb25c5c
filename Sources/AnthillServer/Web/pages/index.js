import { wasSignedIn } from "../js/account/account.js";
import { strata } from "../js/boards/strata.js";
import { art, b, bdi, h, spoken, svg } from "../js/parts/dom.js";
import { publicPage } from "../js/shell/frame.js";
import { words } from "../js/words/i18n.js";
import { dayTitle, hm } from "../js/words/time.js";

const { landing } = words;
const main = publicPage({});

const [way, label] = wasSignedIn() ? ["/home", words.toHome] : ["/register", words.register.title];
const start = h("a", { class: "btn", href: way }, label);

const lead = h(
  "div",
  { class: "lead" },
  h(
    "div",
    { class: "say" },
    h("h1", {}, landing.title),
    h("p", {}, landing.lead),
    h("div", { class: "cta" }, start, h("a", { class: "btn quiet", href: "/help" }, landing.how)),
  ),
  stage(),
);

/** A sample board in the soil. */
function stage() {
  const ground = svg(
    "svg",
    { class: "ground", viewBox: "0 0 640 96", "aria-hidden": "true" },
    svg("use", { href: "/art/sprite.svg#scene-ground" }),
  );
  const first = landing.sample[0].seconds;
  const at = (seconds) => `${((seconds / first) * 100).toFixed(1)}%`;
  const line = (kind, from, to) => svg("line", { class: kind, x1: from, x2: to, y1: 3, y2: 3 });
  const row = ({ rank, name, seconds, hand = 0, live }) =>
    h(
      "tr",
      { class: rank === 1 && "first" },
      h("td", {}, String(rank)),
      h(
        "th",
        { scope: "row" },
        bdi(name),
        live && h("span", { class: "live" }, h("span", { class: "dot" }), words.board.studying),
        svg(
          "svg",
          { class: "tunnel", "aria-hidden": "true" },
          line("bg", "0", "100%"),
          line("t", "0", at(seconds - hand)),
          hand > 0 && line("m", at(seconds - hand), at(seconds)),
        ),
      ),
      h("td", {}, spoken(hm(seconds), words.duration(seconds))),
    );
  const heads = [words.board.rank, words.board.name, words.board.time].map((label) => h("th", { scope: "col" }, label));
  const table = h(
    "table",
    { class: "dig" },
    h("caption", {}, landing.caption),
    h("thead", { class: "vh" }, h("tr", {}, heads)),
    h("tbody", {}, landing.sample.map(row)),
  );
  return h("div", { class: "stage" }, ground, h("div", { class: "soil" }, table));
}

/** A night of study across midnight, within one study day. */
function nightFigure() {
  const { night } = landing;
  const text = (className, x, y, words, anchor) => svg("text", { class: className, x, y, "text-anchor": anchor }, words);
  return svg(
    "svg",
    { class: "fig", viewBox: "0 0 340 128", role: "img", "aria-label": night.label },
    svg("rect", { x: 2, y: 34, width: 248, height: 40, rx: 14, fill: "var(--heat-3)" }),
    svg("rect", { x: 254, y: 34, width: 84, height: 40, rx: 14, fill: "var(--heat-1)", stroke: "var(--line)" }),
    text("b", 14, 24, dayTitle("2026-11-20")),
    text("b", 258, 24, night.next),
    svg("rect", { x: 72, y: 42, width: 128, height: 24, rx: 12, fill: "var(--leaf)" }),
    text("inv", 136, 59, night.study, "middle"),
    svg("path", { d: "M116 68V84", stroke: "var(--edge)", "stroke-width": 2.5, "stroke-dasharray": "4 4" }),
    svg("path", { d: "M252 30V84", stroke: "var(--leaf)", "stroke-width": 3, "stroke-linecap": "round" }),
    text(null, 116, 101, night.midnight, "middle"),
    text(null, 116, 119, night.passes, "middle"),
    text("lf", 252, 101, "05:00", "middle"),
    text("lf", 252, 119, night.turns, "middle"),
  );
}

/** A sealed month with an amendment. */
function sealedFigure() {
  const { seal } = landing;
  const fours = seal.sha256.match(/.{4}/g);
  return [
    strata(seal.sha256),
    h("p", { class: "hash" }, seal.title, " ", b(fours.slice(0, 4).join(" ")), " …"),
    h("p", { class: "small" }, seal.amended(bdi(seal.name), h("span", { class: "was" }, seal.was), b(seal.is)), " ", seal.reason),
  ];
}

const card = (title, ...children) => h("section", { class: "card" }, h("h2", {}, title), children);
const muted = (text) => h("p", { class: "muted" }, text);

const growth = ["seed", "sprout", "apple", "tree"].map((name) =>
  h("li", {}, art(name, ""), b(words.growth[name]), h("span", { class: "xs muted" }, landing.growsAt[name])),
);
const stamps = ["wake", "study", "perfect"].map((name) =>
  h(
    "li",
    {},
    art(`stamp-${name}`, ""),
    h("div", {}, b(words.ants[name]), h("p", { class: "muted small" }, landing.stamps[name])),
  ),
);

main.append(
  lead,
  h(
    "div",
    { class: "promise" },
    card(landing.dayTitle, nightFigure(), muted(landing.day)),
    card(landing.monthTitle, ...sealedFigure(), muted(landing.month)),
    card(landing.growthTitle, h("ul", { class: "stairs" }, growth), muted(landing.growth)),
    card(landing.stampTitle, h("ul", { class: "stamps3" }, stamps)),
  ),
);
