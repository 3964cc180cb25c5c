import { signOut } from "../js/account/account.js";
import { devicesCard } from "../js/account/devices.js";
import { emailLine } from "../js/account/email.js";
import { waysToSignIn } from "../js/account/identities.js";
import { keysCard } from "../js/account/keys-card.js";
import { leavingCard } from "../js/account/leaving.js";
import { mailRefused } from "../js/account/mail-refused.js";
import { ownBadgeCard } from "../js/account/own-badge-card.js";
import { pictureButtons, showFace } from "../js/account/picture.js";
import { providers } from "../js/account/providers.js";
import { pushCard } from "../js/account/push-card.js";
import { secretCard } from "../js/account/secret-card.js";
import { card, choice, switches } from "../js/account/settings-card.js";
import { terms } from "../js/account/terms.js";
import { yourData } from "../js/account/your-data.js";
import { askForNotices, noticesAllowed } from "../js/device/bell.js";
import { wear } from "../js/device/look.js";
import { b, bdi, button, face, h } from "../js/parts/dom.js";
import { field, form, input, said } from "../js/parts/form.js";
import { line } from "../js/parts/line.js";
import { segmented } from "../js/parts/segmented.js";
import { get, patch } from "../js/server/api.js";
import { memberPage } from "../js/shell/frame.js";
import { announce } from "../js/shell/notices.js";
import { shortcutsSheet } from "../js/shell/shortcuts.js";
import { accountWords } from "../js/words/account/i18n.js";
import { speak, words } from "../js/words/i18n.js";
import { tongues } from "../js/words/language.js";
import { numbers } from "../js/words/numbers.js";
import { hm, timeZones } from "../js/words/time.js";

memberPage({ title: accountWords.settings.title, current: "me" }, async (main, user) => {
  /** Saves one change; if it is refused, `undo(problem)` shows the old choice. */
  const save = async (change, undo = () => {}) => {
    try {
      Object.assign(user, await patch("/me", change));
      announce(accountWords.settings.saved);
      return true;
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      undo(problem);
      announce(said(problem));
      return false;
    }
  };
  const [{ sends_mail: sendsMail }, mine, offered] = await Promise.all([terms(), get("/me/identities"), providers()]);
  const keys = keysCard(user);
  const devices = devicesCard(user, keys.refresh);
  const ways = waysToSignIn(mine, offered, sendsMail, devices.refresh);
  const left = [
    youCard(user, sendsMail),
    ways.root,
    clockCard(user, save, sendsMail),
    timerCard(user, save, sendsMail),
    boardsCard(user, save, sendsMail),
  ];
  const right = [
    lookCard(user, save),
    alarmCard(),
    pushCard(user, save),
    devices.root,
    secretCard(user, "feed", "/me/calendar-feed", accountWords.feed),
    ownBadgeCard(user),
    keys.root,
    yourData(user),
    leaveCard(),
    leavingCard(),
  ];
  main.append(
    h("div", { class: "head" }, h("h1", {}, accountWords.settings.title)),
    mailRefused(user),
    contents([...left, ...right]),
    h("div", { class: "setgrid" }, h("div", {}, left), h("div", {}, right)),
  );
  ways.tell();
  // A link to one of the settings leads to it.
  document.getElementById(location.hash.slice(1))?.focus();
});

/** Links to the cards; a phone shows these one below the other. */
const contents = (cards) =>
  h(
    "nav",
    { class: "card contents only-phone", "aria-label": accountWords.settings.contents },
    h(
      "ul",
      {},
      cards
        .map((each) => each.querySelector("h2"))
        .map(({ id, textContent }) => h("li", {}, h("a", { href: `#${id}` }, textContent))),
    ),
  );

function youCard(user, sendsMail) {
  const name = h("b", {}, bdi(user.nickname));
  const typed = input({ autocomplete: "nickname", value: user.nickname, maxlength: 100 });
  const store = async (values) => {
    Object.assign(user, await patch("/me", values));
    announce(accountWords.settings.saved);
    typed.value = user.nickname;
    name.replaceChildren(bdi(user.nickname));
    showFace(user);
  };
  return card("you", accountWords.settings.you, [
    h(
      "li",
      {},
      face(user, "a-64"),
      h("div", { class: "l" }, name, h("span", { class: "hint" }, user.email)),
      pictureButtons(user),
    ),
    h(
      "li",
      {},
      h(
        "div",
        { class: "l" },
        form([field("nickname", words.nickname, typed, accountWords.settings.nicknameHint)], words.save, store, {
          look: "quiet",
        }),
      ),
    ),
    emailLine(user, sendsMail),
  ]);
}

function clockCard(user, save, sendsMail) {
  const { time_zone: zone, day_starts_at: start } = user.study_clock;
  const zones = timeZones();
  const starts = Array.from({ length: numbers.day_starts_before_hour * 2 }, (_, half) => hm(half * 1800).padStart(5, "0"));
  const goals = Array.from({ length: 32 }, (_, half) => (half + 1) * 1800);
  const moveTo = (value, undo) => save({ study_clock: { time_zone: value } }, undo);
  const beginAt = (value, undo) => save({ study_clock: { day_starts_at: value } }, undo);
  const aimAt = (value, undo) => save({ daily_goal_seconds: Number(value) }, undo);
  const { settings } = accountWords;
  const { duration } = words;
  return card("clock", settings.clock, [
    choice("zone", words.zone, null, zones, zone, moveTo),
    choice("start", words.dayStart, settings.startHint, starts, start, beginAt),
    choice("goal", settings.goal, settings.goalHint, goals, user.daily_goal_seconds, aimAt, duration),
    switches("clock", user, save, sendsMail),
  ]);
}

const lengths = [5, 10, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 120, 150, 180, 240].map((minutes) => minutes * 60);

function timerCard(user, save, sendsMail) {
  const { settings } = accountWords;
  const { duration } = words;
  const asLong = (value, undo) => save({ default_timer_seconds: Number(value) }, undo);
  const refused = h("span", { class: "hint", role: "status" });
  const askBrowser = async () => {
    if (!user.notices) return refused.replaceChildren();
    const answer = await askForNotices().catch(() => "denied");
    refused.replaceChildren(answer === "granted" ? "" : settings.noticesBlocked);
  };
  if (user.notices && ["denied", "impossible"].includes(noticesAllowed())) refused.append(settings.noticesBlocked);
  return card("timer", settings.timer, [
    choice("length", settings.length, settings.lengthHint, lengths, user.default_timer_seconds, asLong, duration),
    switches("timer", user, save, sendsMail, { notices: [refused, askBrowser] }),
  ]);
}

const boardsCard = (user, save, sendsMail) =>
  card("boards", accountWords.settings.boards, switches("boards", user, save, sendsMail));

function lookCard(user, save) {
  const themes = Object.entries(accountWords.settings.themes);
  const dress = (theme) => {
    wear(theme);
    return save({ theme }, () => wear(user.theme));
  };
  const talk = async (locale) => (await save({ locale })) && speak(locale);
  return card("look", accountWords.settings.look, [
    line(b(words.theme), null, segmented("theme", words.theme, themes, user.theme, dress)),
    line(
      b(accountWords.settings.language),
      null,
      segmented("language", accountWords.settings.language, tongues, user.locale, talk),
    ),
    // Who has a mouse has a keyboard.
    matchMedia("(any-hover: hover)").matches &&
      line(
        b(words.shortcuts.title),
        words.shortcuts.hint,
        button(words.shortcuts.open, shortcutsSheet, "btn quiet small"),
        false,
      ),
  ]);
}

const alarmCard = () =>
  card("alarm", words.alarm.title, [
    line(
      accountWords.settings.alarmHint,
      null,
      h("a", { class: "btn quiet small", href: "/alarm" }, accountWords.settings.alarmOpen),
      false,
    ),
  ]);

function leaveCard() {
  return card("leave", accountWords.settings.device, [
    line(
      b(accountWords.settings.help),
      accountWords.settings.helpHint,
      h("a", { class: "btn quiet small", href: "/help" }, words.foot.help),
      false,
    ),
    line(
      b(words.invite.title),
      accountWords.settings.inviteHint,
      h("a", { class: "btn quiet small", href: "/invite" }, accountWords.settings.inviteOpen),
      false,
    ),
    line(
      b(accountWords.settings.signOut),
      accountWords.settings.signOutHint,
      button(accountWords.settings.signOut, signOut, "btn quiet small"),
      false,
    ),
  ]);
}
