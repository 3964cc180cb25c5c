import { remember } from "../device/memory.js";
import { asking } from "../parts/asking.js";
import { bdi, button, h, icon } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { huePicker } from "../parts/hues.js";
import { sheet } from "../parts/sheet.js";
import { get, patch, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { dayAndTime, hm, instantAt, monthTitle, timeZones } from "../words/time.js";
import { badgeSheet } from "./badge-sheet.js";
import { frameSheet } from "./frame-sheet.js";
import { webhooksSheet } from "./webhooks-sheet.js";

/**
 * The sheet in which admins change a group's name, description and goal. Who else sees it is set by switches, each of which
 * applies at once. Calls `changed()` after each change.
 */
export function groupSettings({ id }, changed) {
  const place = h("div", { class: "form" });
  const close = sheet(words.groups.settings, place);
  fill(place, async () => settings(await get(`/groups/${id}`), close, changed));
}

function settings(group, close, changed) {
  const text = words.groups;
  const name = field("name", text.name, input({ maxlength: 60, autocomplete: "off", value: group.name }), text.nameHint);
  const about = field("description", text.description, lines(group.description));
  const emoji = field(
    "emoji",
    text.emoji,
    input({ class: "in short", maxlength: 16, autocomplete: "off", required: false, value: group.emoji ?? "" }),
    text.emojiHint,
  );
  const hours = group.month_goal ? group.month_goal.seconds / 3600 : "";
  const goal = field(
    "month_goal_seconds",
    text.goal,
    input({
      type: "number",
      min: 1,
      max: numbers.most_month_goal / 3600,
      step: "any",
      inputmode: "numeric",
      required: false,
      value: hours,
    }),
    text.goalHint,
  );
  const colour = huePicker(group.colour);
  const trouble = h("div", { role: "alert" });
  const apply = async ({ target: box }) => {
    trouble.replaceChildren();
    try {
      offer(await patch(`/groups/${group.id}`, { [box.name]: box.checked }));
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      box.checked = !box.checked;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
      return;
    }
    announce(text.saved);
    await changed();
  };
  const at = (name, label, hint) => toggle(name, label, hint, group[name], apply).root;
  const typed = () => ({
    name: name.input.value,
    description: about.input.value,
    colour: colour.value(),
    emoji: emoji.input.value.trim() || null,
    month_goal_seconds: Math.round(Number(goal.input.value) * 3600) || null,
  });
  const before = typed();
  const save = async () => {
    // What another admin changed meanwhile stays.
    const changes = Object.entries(typed()).filter(([key, value]) => value !== before[key]);
    await patch(`/groups/${group.id}`, Object.fromEntries(changes));
    close();
    announce(text.saved);
    await changed();
  };
  const instead = (open) => () => close.leave() && open(group, changed);
  const badge = button([icon("share"), words.badge.show], instead(badgeSheet), "btn quiet small");
  const frame = button([icon("board"), words.boardFrame.show], instead(frameSheet), "btn quiet small");
  const offer = (now) => {
    badge.hidden = !now.badge_allowed;
    frame.hidden = !now.board_public;
  };
  offer(group);
  return [
    form([name, about, emoji, goal], words.save, save, { extra: colour.root }),
    h(
      "ul",
      { class: "set" },
      at("badge_allowed", text.badge, text.badgeHint),
      at("duel", text.duel, text.duelHint),
      at("months_public", text.monthsPublic, text.monthsPublicHint),
      at("board_public", text.boardPublic, text.boardPublicHint),
      group.my_role === "owner" && at("listed", text.listed, text.listedHint),
    ),
    trouble,
    h(
      "div",
      { class: "endings" },
      h("p", { class: "small muted" }, text.rulesHint),
      h(
        "div",
        { class: "btns" },
        button([icon("clock"), text.changeRules], instead(groupRules), "btn quiet small"),
        button([icon("bell"), words.webhooks.show], instead(webhooksSheet), "btn quiet small"),
        badge,
        frame,
        group.my_role === "owner" && ending(group),
      ),
    ),
  ];
}

/** The sheet in which admins announce new rules, which take effect in a later month. */
function groupRules(group, changed) {
  const text = words.groups;
  const month = monthTitle(group.new_rules_from);
  // Starts from the rules announced last.
  const {
    time_zone: zone,
    day_starts_at: start,
    daily_cap_seconds: cap,
    manual_counts: manual,
  } = group.coming_rules.at(-1) ?? group.rules;
  const zones = timeZones();
  const starts = Array.from({ length: numbers.day_starts_before_hour * 2 }, (_, half) => hm(half * 1800).padStart(5, "0"));
  const caps = Array.from({ length: 24 }, (_, hour) => (hour + 1) * 3600);
  const fields = [
    field("time_zone", words.zone, list(zones, zone)),
    field("day_starts_at", words.dayStart, list(starts, start), words.earlyStart),
    field("daily_cap_seconds", text.cap, list(caps, cap, words.duration)),
  ];
  const byHand = toggle("manual_counts", text.manual, text.manualHint, manual);
  const hours = h("p", { class: "small muted", role: "status" });
  const tell = () => {
    const [{ input: zone }, { input: start }] = fields;
    hours.replaceChildren(...clockChange(group, { time_zone: zone.value, day_starts_at: start.value }));
  };
  const save = async (values) => {
    const { coming_rules: coming } = await patch(`/groups/${group.id}`, {
      rules: { ...values, daily_cap_seconds: Number(values.daily_cap_seconds), manual_counts: byHand.box.checked },
    });
    close();
    const next = coming.at(-1);
    announce(next ? text.rulesSaved(monthTitle(next.from_month)) : text.rulesSame);
    await changed();
  };
  const root = form(fields, text.declare(month), save, { extra: [hours, h("ul", { class: "set" }, byHand.root)] });
  root.addEventListener("change", tell);
  tell();
  const close = sheet(text.changeRules, h("p", { class: "muted" }, text.rulesLead(month)), root);
}

/** Says which hours would lie between two clocks, if the clock of the rules `next` were announced; nothing if it stays. */
function clockChange({ rules, coming_rules: coming, new_rules_from: month }, next) {
  const turn = ({ time_zone: zone, day_starts_at: start }) => instantAt(`${month}-01`, start, zone).getTime();
  const before = coming.filter(({ from_month: from }) => from < month).at(-1) ?? rules;
  const [end, begin] = [turn(before), turn(next)];
  if (end === begin) return [];
  const [from, until] = [Math.min(end, begin), Math.max(end, begin)].map((instant) => dayAndTime(instant, before.time_zone));
  return words.rules.clockChange(from, until, end < begin ? "neither" : "both");
}

const lines = (value) => {
  const area = h("textarea", { class: "in", maxlength: 500, rows: 3 });
  area.value = value;
  return area;
};

/** A select of values that always contains the chosen one. */
function list(offered, chosen, shown = (value) => value) {
  const values = [...new Set([chosen, ...offered])].sort((x, y) => (x < y ? -1 : 1));
  const options = values.map((value) => h("option", { value, selected: value === chosen }, shown(value)));
  return h("div", { class: "sel" }, h("select", { class: "in" }, options), icon("down"));
}

function toggle(name, label, hint, checked, onchange = null) {
  const id = `group-${name}`;
  const described = { "aria-describedby": `${id}-hint` };
  const box = h("input", { type: "checkbox", class: "sw", role: "switch", id, name, checked, onchange, ...described });
  const said = h(
    "div",
    { class: "l" },
    h("label", { for: id }, h("b", {}, label)),
    h("span", { class: "hint", id: `${id}-hint` }, hint),
  );
  return { box, root: h("li", {}, said, h("div", { class: "c" }, box)) };
}

/** Deletes the group; for owners. */
function ending(group) {
  const end = async () => {
    await remove(`/groups/${group.id}`);
    remember("group", null);
    location.assign("/groups");
  };
  return asking(words.groups.end, words.groups.endAsk(bdi(group.name)), end, { className: "btn danger small" });
}
