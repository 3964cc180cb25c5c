import { asking } from "../parts/asking.js";
import { b, bdi, button, h, icon, redraw } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { shownOnce } from "../parts/once.js";
import { paged } from "../parts/paged.js";
import { sheet } from "../parts/sheet.js";
import { get, patch, post, postOnce, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { language, tongues } from "../words/language.js";
import { dayAndTime, ownZone } from "../words/time.js";

const text = words.webhooks;

const nameOf = (event) => text.events[event]?.[0] ?? text.testName;

/** A sheet in which admins see a group's webhooks and add one. */
export function webhooksSheet(group) {
  const path = `/groups/${group.id}/webhooks`;
  const place = h("div");
  const list = h("div", { class: "stackup" });
  const trouble = h("div", { role: "alert" });
  const refresh = async () => {
    const { items } = await get(path);
    redraw(list, items, () =>
      items.length > 0 ? h("ul", { class: "set" }, items.map(row)) : h("p", { class: "small muted" }, text.none),
    );
  };
  const show = () =>
    fill(place, async () => {
      await refresh();
      return list;
    });

  /** Does it and says so, or why not. */
  const doing = (act, done) => async () => {
    trouble.replaceChildren();
    try {
      await act();
      announce(done);
      await refresh();
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  };

  function row(webhook) {
    const { id, kind, host, events, off_because: off } = webhook;
    const one = `${path}/${id}`;
    const about = [text.kinds[kind], ...events.map(nameOf)].join(" · ");
    const turn = doing(() => patch(one, { active: Boolean(off) }), off ? text.turnedOn : text.turnedOff);
    const over = async () => {
      await remove(one);
      announce(text.removed, { seen: true });
      await refresh();
    };
    return h(
      "li",
      {},
      h(
        "div",
        { class: "l" },
        b(bdi(host)),
        h("span", { class: "hint" }, about),
        off && h("span", { class: "hint" }, text.off[off]),
        h(
          "div",
          { class: "btns" },
          button(
            text.test,
            doing(() => post(`${one}/tests`), text.sent),
            "btn quiet small",
            { "aria-label": text.testLabel(host), "data-key": `test-${id}` },
          ),
          button(text.change, () => changeSheet(one, webhook, refresh), "btn quiet small", {
            "aria-label": text.changeLabel(host),
            "data-key": `change-${id}`,
          }),
          button(text.log, () => logSheet(one, host), "btn quiet small", { "aria-label": text.logLabel(host) }),
          // With another secret its address cannot be read any more.
          off !== "secret_changed" &&
            button(off ? text.turnOn : text.turnOff, turn, "btn quiet small", {
              "aria-label": text.turnLabel(host, off),
              "data-key": `turn-${id}`,
            }),
          asking(text.remove, text.removeAsk(bdi(host)), over, { attributes: { "aria-label": text.removeLabel(host) } }),
        ),
      ),
    );
  }

  const made = h("div");
  const added = (secret) => {
    announce(text.added, { seen: true });
    made.replaceChildren(...(secret ? [shownOnce("secret", text.secret, secret, text.secretLead)] : []));
    made.querySelector("input")?.focus();
    show();
  };
  sheet(
    text.title,
    h("p", { class: "muted" }, text.lead),
    place,
    trouble,
    h("div", { class: "endings" }, h("h3", {}, text.add), adding(path, added), made),
  );
  show();
}

/** The form that adds a webhook. */
function adding(path, added) {
  const choose = (options) =>
    h(
      "div",
      { class: "sel" },
      h(
        "select",
        { class: "in" },
        options.map(([value, shown]) => h("option", { value, selected: value === language }, shown)),
      ),
      icon("down"),
    );
  const kind = field("kind", text.kind, choose(Object.entries(text.kinds)));
  const url = field(
    "url",
    text.url,
    input({ type: "url", maxlength: 2000, autocomplete: "off", placeholder: "https://" }),
    text.urlHint,
  );
  const locale = field("locale", text.locale, choose(tongues));
  const events = eventSwitches(Object.keys(text.events));
  const add = async (values) => {
    const { secret } = await postOnce(path, { ...values, events: events.chosen() });
    url.input.value = "";
    added(secret);
  };
  const extra = [events.root, h("p", { class: "small muted" }, text.hidden)];
  return form([kind, url, locale], text.add, add, { extra });
}

/** Switches for what a webhook is told; `chosen()` gives the names of those that are on. */
function eventSwitches(told, of = "new") {
  const boxes = Object.keys(text.events).map((name) => {
    const checked = told.includes(name);
    return h("input", { type: "checkbox", class: "sw", role: "switch", id: `event-${name}-${of}`, name, checked });
  });
  const row = (box) => {
    const [label, hint] = text.events[box.name];
    return h(
      "li",
      {},
      h("div", { class: "l" }, h("label", { for: box.id }, b(label)), h("span", { class: "hint" }, hint)),
      h("div", { class: "c" }, box),
    );
  };
  return {
    root: h("ul", { class: "set" }, boxes.map(row)),
    chosen: () => boxes.filter((box) => box.checked).map(({ name }) => name),
  };
}

/** A sheet in which admins change what a webhook is told. */
function changeSheet(one, { id, host, events }, changed) {
  const switches = eventSwitches(events, id);
  const save = async () => {
    await patch(one, { events: switches.chosen() });
    await changed();
    close();
    announce(words.groups.saved);
  };
  const close = sheet(text.changeLabel(host), form([], words.save, save, { extra: switches.root }));
}

/** A sheet with what a webhook was told lately. */
function logSheet(one, host) {
  const place = h("div", { class: "stackup" });
  const load = (after) => get(`${one}/deliveries?limit=20${after}`);
  const show = () => fill(place, () => paged(load, attempt, () => h("p", { class: "small muted" }, text.logNone)));
  sheet(text.logTitle(host), place, button(text.again, show, "btn quiet small"));
  show();
}

function attempt({ event, state, created_at: made, attempts, next_at: next, failure, status, answer }) {
  const facts = [
    dayAndTime(made, ownZone()),
    status && text.status(status),
    attempts > 1 && text.attempts(attempts),
    next && attempts > 0 && text.next(dayAndTime(next, ownZone())),
  ];
  return h(
    "li",
    {},
    h(
      "div",
      { class: "l" },
      b(nameOf(event)),
      h("span", { class: "hint" }, facts.filter(Boolean).join(" · ")),
      failure && h("span", { class: "hint" }, text.failures[failure]),
      answer && h("span", { class: "hint", dir: "auto" }, bdi(answer)),
    ),
    h("div", { class: "c" }, h("span", { class: state === "sent" ? "chip leaf" : "chip" }, text.states[state])),
  );
}
