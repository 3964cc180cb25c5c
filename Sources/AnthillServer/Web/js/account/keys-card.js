import { asking } from "../parts/asking.js";
import { b, bdi, button, h, icon } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { helpLink } from "../parts/help-link.js";
import { shownOnce } from "../parts/once.js";
import { sheet } from "../parts/sheet.js";
import { get, postOnce, remove } from "../server/api.js";
import { announce, fill } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { numbers } from "../words/numbers.js";
import { date, dayAndTime } from "../words/time.js";

const text = accountWords.keys;
const longest = numbers.most_api_key_days;
const lengths = [30, 90, longest].filter((days) => days <= longest);

/** The card of the keys that other programs use; `refresh()` reads them again. */
export function keysCard(user) {
  const heading = h("h2", { id: "keys", tabindex: "-1" }, text.title);
  const place = h("div", { class: "stackup" });

  const refresh = () =>
    fill(place, async () => {
      const { items } = await get("/me/api-keys");
      const list = items.length > 0 ? h("ul", { class: "set" }, items.map(row)) : h("p", { class: "small muted" }, text.none);
      return [list, button(text.make, () => making(refresh), "btn quiet small")];
    });

  function row({ id, name, scopes, last_used_at: used, client_address: address, expires_at: end }) {
    const zone = user.study_clock.time_zone;
    const facts = [
      text.scopes[scopes.at(-1)],
      used ? text.used(dayAndTime(used, zone)) : text.never,
      address,
      text.until(date(end, zone)),
    ];
    const over = async () => {
      await remove(`/me/api-keys/${id}`);
      announce(text.ended(name));
      heading.focus();
      await refresh();
    };
    const ask = asking(text.end, text.endAsk(bdi(name)), over, {
      className: "btn quiet small",
      attributes: { "aria-label": text.endLabel(name) },
    });
    return h(
      "li",
      {},
      h("div", { class: "l" }, b(bdi(name)), h("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
      h("div", { class: "c" }, ask),
    );
  }

  const root = h(
    "section",
    { class: "card", "aria-labelledby": "keys" },
    h("header", {}, heading),
    h("p", { class: "small muted" }, text.lead),
    place,
    helpLink("keys"),
  );
  refresh();
  return { root, refresh };
}

/** A sheet that makes a key and shows it once. */
function making(refresh) {
  const list = (values, chosen) =>
    h(
      "div",
      { class: "sel" },
      h(
        "select",
        { class: "in" },
        values.map(([value, shown]) => h("option", { value, selected: value === chosen }, shown)),
      ),
      icon("down"),
    );
  const name = field("name", text.name, input({ maxlength: 40, autocomplete: "off" }), text.nameHint);
  const scopes = field("scopes", text.may, list(Object.entries(text.scopes), "read"));
  const days = field(
    "expires_in_days",
    text.lasts,
    list(
      lengths.map((value) => [value, text.days(value)]),
      longest,
    ),
  );
  const make = async (values) => {
    const made = await postOnce("/me/api-keys", {
      name: values.name,
      scopes: values.scopes === "record" ? ["read", "record"] : ["read"],
      expires_in_days: Number(values.expires_in_days),
    });
    const title = h("h3", { tabindex: "-1" }, text.made);
    asked.replaceChildren(title, shownOnce("key", text.key, made.key, text.once));
    title.focus();
    refresh();
  };
  const asked = h(
    "div",
    { class: "stackup" },
    h("p", { class: "muted" }, text.makeLead),
    form([name, scopes, days], text.make, make),
  );
  sheet(text.make, asked);
}
