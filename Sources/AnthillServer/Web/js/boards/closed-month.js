import { b, button, h, hidden, icon, nodes, spoken } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { helpLink } from "../parts/help-link.js";
import { drawn, sharePicture } from "../parts/share-picture.js";
import { sheet } from "../parts/sheet.js";
import { get, getAll, post } from "../server/api.js";
import { announce, fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { date, hm } from "../words/time.js";
import { canCheck, isAsSealed } from "./check-seal.js";
import { strata } from "./strata.js";
import { name } from "./who.js";

/**
 * The cards beside the board of a closed month: its seal, its amendments, and for admins a button to amend. Empty
 * before the month is sealed. `changed()` is called after an amendment.
 */
export async function closedMonth(group, board, changed) {
  try {
    const standings = await get(`/groups/${group.id}/standings/${board.at}`);
    const zone = board.rules.time_zone;
    return nodes([seal(standings), amendments(standings, zone, group.my_role !== "member" && changed)]);
  } catch (problem) {
    if (problem.status === 404) return [];
    throw problem;
  }
}

/** The digest, as layers and as text. */
function seal(standings) {
  const { group, month, sha256, entries } = standings;
  const fours = sha256.match(/.{4}/g);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(sha256);
      announce(words.closed.copied);
    } catch {
      announce(words.once.byHand);
    }
  };
  const share = async () => {
    try {
      const picture = await drawn(`/api/v1/groups/${group.id}/standings/${month}/podium.svg`);
      const done = await sharePicture(picture, `anthill-${month}.png`);
      if (done === "saved") announce(words.closed.saved);
    } catch (problem) {
      announce(problem.name === "EncodingError" ? words.trouble.unreachable[0] : words.closed.notShared);
    }
  };
  const result = h("p", { class: "small", role: "status" });
  const check = async () => {
    const hiding = entries.filter((entry) => entry.hidden).length;
    const holds = await isAsSealed(standings);
    result.replaceChildren(b(holds ? words.closed.holds(entries.length - hiding, hiding) : words.closed.broken));
  };
  return h(
    "section",
    { class: "card seal", "aria-labelledby": "seal" },
    h("div", { class: "head" }, icon("seal"), h("h2", { id: "seal" }, words.closed.seal)),
    strata(sha256),
    h("p", { class: "hash" }, b(fours.slice(0, 4).join(" ")), " ", fours.slice(4).join(" ")),
    h("p", { class: "small muted" }, words.closed.sealText),
    helpLink("seals"),
    result,
    canCheck && button([icon("seal"), words.closed.check], check, "btn quiet small"),
    navigator.clipboard && button([icon("copy"), words.closed.copy], copy, "btn quiet small"),
    button([icon("share"), words.closed.share], share, "btn quiet small"),
  );
}

function amendments(standings, zone, changed) {
  const all = standings.amendments;
  if (all.length === 0 && !changed) return null;
  return h(
    "section",
    { class: "card amended", "aria-labelledby": "amended" },
    h("header", {}, h("h2", { id: "amended" }, words.closed.amendments(all.length))),
    all.map((each) => [
      h(
        "p",
        {},
        words.closed.of(name({ nickname: each.nickname, hidden: each.old_rank === null })),
        each.old_rank !== null && [
          " ",
          each.old_rank !== each.new_rank && [
            was(words.board.ranked(each.old_rank, false), words.board.ranked(each.new_rank, false)),
            ", ",
          ],
          was(hm(each.old_seconds), hm(each.new_seconds), words.duration(each.old_seconds), words.duration(each.new_seconds)),
        ],
      ),
      h("p", { class: "small muted" }, words.closed.because(date(each.at, zone), each.reason, each.by)),
    ]),
    changed && button([icon("pencil"), words.closed.amend], () => amend(standings, changed), "btn quiet small wide"),
  );
}

const was = (before, after, ...said) => [
  h("span", { class: "was num" }, hidden(words.closed.before), said[0] ? spoken(before, said[0]) : before),
  " → ",
  h("b", { class: "num" }, said[1] ? spoken(after, said[1]) : after),
];

/** The sheet in which an admin amends a member's time; also that of a hidden member. */
function amend(standings, changed) {
  const place = h("div");
  const done = () => {
    close();
    announce(words.closed.done);
    changed();
  };
  const close = sheet(words.closed.amend, h("p", { class: "muted before-form" }, words.closed.amendLead), place);
  fill(place, () => amending(standings, done));
}

async function amending({ group, month, entries }, done) {
  const path = `/groups/${group.id}`;
  const people = entries.filter(({ uid }) => uid !== null);
  const times = new Map(people.map(({ uid, amended_seconds: now }) => [uid, now]));
  // The standings do not tell who is hidden.
  const members = entries.some((entry) => entry.hidden) ? await getAll(`${path}/members`) : [];
  const hiding = members.filter(({ uid, visibility }) => visibility === "hidden" && !times.has(uid));
  const option = ({ uid, nickname }) => {
    const about = times.has(uid) ? hm(times.get(uid)) : words.groups.visibilities.hidden;
    return h("option", { value: uid }, words.closed.option(nickname, about));
  };
  const options = [...people, ...hiding].map(option);
  // Nobody is chosen beforehand: what is amended stays so before everyone's eyes.
  const list = h("select", { class: "in", required: true }, h("option", { value: "", disabled: true, selected: true }), options);
  const who = field("uid", words.closed.who, h("div", { class: "sel" }, list, icon("down")));
  const hours = field(
    "hours",
    words.closed.hours,
    input({ type: "number", min: 0, max: numbers.longest_month / 3600, inputmode: "numeric" }),
  );
  const minutes = field("minutes", words.closed.minutes, input({ type: "number", min: 0, max: 59, inputmode: "numeric" }));
  const rest = field("seconds", words.closed.seconds, input({ type: "number", min: 0, max: 59, inputmode: "numeric" }));
  const reason = field("reason", words.closed.reason, input({ maxlength: 500 }), words.closed.reasonHint);
  const show = async () => {
    const uid = list.value;
    if (!times.has(uid)) {
      const { rank, seconds } = await get(`${path}/leaderboard/explanation?period=month&at=${month}&uid=${uid}`);
      times.set(uid, rank && seconds);
    }
    if (uid !== list.value) return;
    const now = times.get(uid);
    if (now === null) {
      list.value = "";
      return who.complain(words.closed.notOnIt);
    }
    hours.input.value = Math.floor(now / 3600);
    minutes.input.value = Math.floor(now / 60) % 60;
    rest.input.value = now % 60;
  };
  list.addEventListener("change", () => show().catch((problem) => who.complain(said(problem))));
  const store = async ({ uid, reason: why }) => {
    const seconds = Number(hours.input.value) * 3600 + Number(minutes.input.value) * 60 + Number(rest.input.value);
    await post(`${path}/standings/${month}/amendments`, { uid, seconds, reason: why });
    done();
  };
  const all = form([who, hours, minutes, rest, reason], words.closed.amend, store);
  who.root.after(h("div", { class: "pair" }, hours.root, minutes.root, rest.root));
  return all;
}
