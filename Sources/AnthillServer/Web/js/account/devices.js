import { asking } from "../parts/asking.js";
import { b, bdi, h } from "../parts/dom.js";
import { get, remove } from "../server/api.js";
import { announce, fill } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { words } from "../words/i18n.js";
import { dayAndTime } from "../words/time.js";

const text = accountWords.devices;

/** The card of the devices on which one is signed in; `refresh()` reads them again. `after()`: when others have ended. */
export function devicesCard(user, after) {
  const heading = h("h2", { id: "devices", tabindex: "-1" }, text.title);
  const place = h("div");

  const refresh = () =>
    fill(place, async () => {
      const { items } = await get("/sign-ins");
      items.sort((a, b) => b.current - a.current);
      return [h("ul", { class: "set" }, items.map(row), items.length > 1 && others(), about())];
    });

  /** Signs out over that path, and says so. */
  const end = (path, said) => async () => {
    await remove(path);
    after();
    announce(said);
    heading.focus();
    await refresh();
  };

  function row({ id, device, client_address: address, provider_name: provider, last_seen_at: seen, current }) {
    const name = device ?? words.unknownDevice;
    const when = current ? text.now : text.seen(dayAndTime(seen, user.study_clock.time_zone));
    const facts = [when, address, provider && text.through(provider)];
    const out = () =>
      asking(text.signOut, text.signOutAsk(bdi(name)), end(`/sign-ins/${id}`, text.ended(name)), {
        className: "btn quiet small",
        attributes: { "aria-label": text.signOutLabel(name) },
      });
    return h(
      "li",
      {},
      h("div", { class: "l" }, b(bdi(name)), h("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
      h("div", { class: "c" }, current ? h("span", { class: "chip leaf" }, text.current) : out()),
    );
  }

  const others = () =>
    h(
      "li",
      {},
      h("div", { class: "l" }, b(text.others), h("span", { class: "hint" }, text.othersHint)),
      h(
        "div",
        { class: "c" },
        asking(text.signOut, text.othersAsk, end("/sign-ins", text.othersEnded), {
          className: "btn quiet small",
          attributes: { "aria-label": text.others },
        }),
      ),
    );

  const about = () =>
    h(
      "li",
      {},
      h("div", { class: "l" }, b(accountWords.activity.title), h("span", { class: "hint" }, accountWords.activity.hint)),
      h("div", { class: "c" }, h("a", { class: "btn quiet small", href: "/activity" }, accountWords.activity.open)),
    );

  const root = h(
    "section",
    { class: "card", "aria-labelledby": "devices" },
    h("header", {}, heading),
    h("p", { class: "small muted" }, text.kept),
    place,
  );
  refresh();
  return { root, refresh };
}
