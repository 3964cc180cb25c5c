import { askForNotices, noticesAllowed } from "../device/bell.js";
import { remember } from "../device/memory.js";
import { canPush, pushSubscription, subscribe } from "../device/push.js";
import { b, bdi, button, h } from "../parts/dom.js";
import { complaint, said, timeInput } from "../parts/form.js";
import { line } from "../parts/line.js";
import { get, post, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { words } from "../words/i18n.js";
import { card, toggle } from "./settings-card.js";

const text = accountWords.push;

/** The card of pushes: on which devices they come, which of them, and when none. */
export function pushCard(user, save) {
  const devices = h("ul", { class: "set" });
  const state = h("div", { role: "alert" });
  const complain = (sentence) => state.replaceChildren(...(sentence ? [notice("apple", "info", null, sentence)] : []));

  /** Does it and says what came of it. */
  async function doing(act, done) {
    complain();
    try {
      await act();
      announce(done);
    } catch (problem) {
      if (!("status" in problem || problem instanceof DOMException)) throw problem;
      complain("status" in problem ? said(problem) : problem.name === "NotAllowedError" ? text.blocked : text.unreachable);
    }
  }

  /** The same for what changes on which devices pushes come. */
  async function changing(act, done) {
    try {
      await doing(act, done);
    } finally {
      await refresh();
      devices.querySelector("input")?.focus();
    }
  }

  async function turnOn() {
    if ((await askForNotices()) !== "granted") throw new DOMException("not granted", "NotAllowedError");
    await subscribe(user);
  }

  async function turnOff(id) {
    await remove(`/me/push-subscriptions/${id}`);
    remember("push", null);
    await (await pushSubscription())?.unsubscribe();
  }

  const refresh = () =>
    fill(devices, async () => {
      const [{ items }, mine] = await Promise.all([get("/me/push-subscriptions"), pushSubscription()]);
      // What the browser has forgotten, or the service, is off.
      const here = mine && items.find(({ current }) => current);
      return [thisDevice(here), here && testing(), ...items.filter((item) => item !== here).map(other)].filter(Boolean);
    });

  function thisDevice(here) {
    const hint = canPush ? (noticesAllowed() === "denied" ? text.blocked : text.hereHint) : text.impossible;
    const onchange = ({ target }) => {
      target.disabled = true;
      return target.checked ? changing(turnOn, text.turnedOn) : changing(() => turnOff(here.id), text.turnedOff);
    };
    const box = { type: "checkbox", class: "sw", role: "switch", id: "push-here", checked: Boolean(here), onchange };
    box.disabled = !here && (!canPush || noticesAllowed() === "denied");
    return line(h("label", { for: box.id }, b(text.here)), hint, h("input", box), false);
  }

  const testing = () =>
    line(
      b(text.test),
      text.testHint,
      button(text.testNow, () => doing(() => post("/me/push-tests"), text.sent), "btn quiet small"),
      false,
    );

  const other = ({ id, device, current }) => {
    const name = device ?? words.unknownDevice;
    const forget = () => changing(() => remove(`/me/push-subscriptions/${id}`), text.otherOff(name));
    return line(
      b(bdi(name)),
      current ? text.stale : text.otherHint,
      button(text.turnOff, forget, "btn quiet small", { "aria-label": text.turnOffLabel(name) }),
      false,
    );
  };

  const kinds = Object.entries(text.kinds).map(([name, [label, hint]]) => toggle(user, save, name, label, hint));
  const root = card("push", text.title, [...kinds, quietHours(user, save)]);
  root.querySelector("header").after(state, devices);
  refresh();
  return root;
}

/** The switch of the quiet hours, with their times while they are on. */
function quietHours(user, save) {
  const usual = { from: "22:00", to: "07:00" };
  const ends = ["from", "to"].map((name) => {
    const input = timeInput({ onchange: keep, name, id: `quiet-${name}` });
    return { input, label: h("label", { class: "small" }, text[name], " ", input), ...complaint(input) };
  });
  const join = h(
    "div",
    { class: "join" },
    ends.map(({ label }) => label),
  );
  const times = h(
    "div",
    { class: "field" },
    join,
    ends.map(({ error }) => error),
  );
  const box = h("input", { type: "checkbox", class: "sw", role: "switch", id: "quiet", onchange: turn });
  const show = () => {
    box.checked = Boolean(user.quiet_hours);
    times.hidden = !box.checked;
    for (const { input, complain } of ends) {
      input.value = (user.quiet_hours ?? usual)[input.name];
      complain("");
    }
  };

  async function turn() {
    await save({ quiet_hours: box.checked ? usual : null }, show);
    show();
  }
  async function keep() {
    for (const { complain } of ends) complain("");
    const wrong = ends.find(({ input }) => !input.checkValidity());
    if (wrong) {
      const lacking = words.form.lacking(wrong.input);
      wrong.complain(lacking);
      return announce(lacking, { seen: true });
    }
    const hours = Object.fromEntries(ends.map(({ input }) => [input.name, input.value]));
    await save({ quiet_hours: hours }, (problem) => {
      const refused = ends.find(({ input }) => problem.field === `quiet_hours.${input.name}`);
      if (refused) refused.complain(said(problem));
      else show();
    });
  }
  show();
  return line([h("label", { for: "quiet" }, b(text.quiet)), times], text.quietHint, box, false);
}
