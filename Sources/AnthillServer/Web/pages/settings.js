import { patch, remove } from "../js/api.js";
import { b, bdi, button, face, h, icon } from "../js/dom.js";
import { said } from "../js/form.js";
import { memberPage } from "../js/frame.js";
import { words } from "../js/i18n.js";
import { wear } from "../js/look.js";
import { remember } from "../js/memory.js";
import { announce, notice } from "../js/notices.js";

memberPage({ title: words.settings.title, current: "me" }, async (main, user) => {
  const trouble = h("div", { role: "alert" });
  /** Saves one change; a refused one leaves the old choice standing. */
  const save = async (change, undo = () => {}) => {
    trouble.replaceChildren();
    try {
      Object.assign(user, await patch("/me", change));
      announce(words.settings.saved);
      return true;
    } catch (problem) {
      undo();
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
      return false;
    }
  };
  const left = [youCard(user, save), clockCard(user, save)];
  const right = [lookCard(user, save), leaveCard()];
  main.append(h("div", { class: "head" }, h("h1", {}, words.settings.title)), trouble, h("div", { class: "setgrid" }, h("div", {}, left), h("div", {}, right)));
});

const card = (id, title, rows) =>
  h("section", { class: "card", "aria-labelledby": id }, h("header", {}, h("h2", { id }, title)), h("ul", { class: "set" }, rows));

const line = (label, hint, control, wide = true) =>
  h("li", {}, h("div", { class: "l" }, label, hint && h("span", { class: "hint" }, hint)), h("div", { class: wide ? "c wide" : "c" }, control));

function youCard(user, save) {
  const name = h("b", {}, bdi(user.nickname));
  const input = h("input", { class: "in", id: "nickname", autocomplete: "nickname", value: user.nickname, maxlength: 100, required: true });
  const store = async (event) => {
    event.preventDefault();
    if (!(await save({ nickname: input.value }))) return input.focus();
    input.value = user.nickname;
    name.replaceChildren(bdi(user.nickname));
    for (const old of document.querySelectorAll(".face")) old.replaceWith(face(user, old.classList.contains("a-64") ? "a-64" : ""));
  };
  return card("you", words.settings.you, [
    h("li", {}, face(user, "a-64"), h("div", { class: "l" }, name, h("span", { class: "hint" }, user.email))),
    line(
      h("label", { for: "nickname" }, b(words.nickname)),
      words.settings.nicknameHint,
      h("form", { class: "join", onsubmit: store }, input, h("button", { class: "btn quiet" }, words.save)),
    ),
    line(b(words.password.label), words.settings.passwordHint, h("a", { class: "btn quiet small", href: "/reset" }, words.settings.passwordChange), false),
  ]);
}

/** A select that saves at once. */
function choice(id, label, options, chosen, change) {
  let kept = String(chosen);
  const onchange = async ({ target }) => {
    await change(target.value, () => {
      target.value = kept;
    });
    kept = target.value;
  };
  const all = options.map(([value, text]) => h("option", { value, selected: String(value) === kept }, text));
  return h("div", { class: "sel" }, h("select", { class: "in", id, "aria-label": label, onchange }, all), icon("down"));
}

function clockCard(user, save) {
  const { study_clock: clock } = user;
  const zones = [...new Set([clock.time_zone, ...(Intl.supportedValuesOf?.("timeZone") ?? ["UTC"])])].sort();
  const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
  const starts = [...new Set([clock.day_starts_at, ...hours])].sort();
  const goals = [...new Set([user.daily_goal_seconds, ...Array.from({ length: 16 }, (_, hour) => (hour + 1) * 3600)])].sort((x, y) => x - y);
  const clockWith = (part) => ({ study_clock: { ...user.study_clock, ...part } });
  const { zone, start, goal, goalHint, startHint } = words.settings;
  return card("clock", words.settings.clock, [
    line(b(zone), null, choice("zone", zone, zones.map((each) => [each, each]), clock.time_zone, (value, undo) => save(clockWith({ time_zone: value }), undo))),
    line(b(start), startHint, choice("start", start, starts.map((each) => [each, each]), clock.day_starts_at, (value, undo) => save(clockWith({ day_starts_at: value }), undo))),
    line(b(goal), goalHint, choice("goal", goal, goals.map((each) => [each, words.duration(each)]), user.daily_goal_seconds, (value, undo) => save({ daily_goal_seconds: Number(value) }, undo))),
  ]);
}

/** Radios in a row. */
const segmented = (name, label, options, chosen, choose) =>
  h(
    "div",
    { class: "seg", role: "radiogroup", "aria-label": label },
    options.map(([value, text, lang]) =>
      h("label", { lang }, h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => choose(value) }), text),
    ),
  );

function lookCard(user, save) {
  const themes = Object.entries(words.settings.themes);
  const dress = (theme) => {
    wear(theme);
    save({ theme });
  };
  const talk = async (locale) => {
    if (!(await save({ locale }))) return;
    remember("language", locale);
    location.reload();
  };
  const languages = [["ko", "한국어", "ko"], ["en", "English", "en"]];
  return card("look", words.settings.look, [
    line(b(words.settings.theme), null, segmented("theme", words.settings.theme, themes, user.theme, dress)),
    line(b(words.settings.language), null, segmented("language", words.settings.language, languages, user.locale, talk)),
  ]);
}

function leaveCard() {
  const leave = async () => {
    await remove("/sign-ins/current").catch(({ status }) => status);
    for (const name of ["signed-in", "group", "next", "goal"]) remember(name, null);
    location.assign("/");
  };
  return card("leave", words.settings.device, [
    line(b(words.settings.help), words.settings.helpHint, h("a", { class: "btn quiet small", href: "/help" }, words.foot.help), false),
    line(b(words.settings.signOut), words.settings.signOutHint, button(words.settings.signOut, leave, "btn quiet small"), false),
  ]);
}
