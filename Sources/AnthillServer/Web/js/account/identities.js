import { b, bdi, button, h } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { get, postOnce, remove } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { confirming } from "./confirm.js";
import { providers } from "./providers.js";
import { card, line } from "./settings-card.js";

/** The card with one's ways to sign in; without providers there is only the password, and no card. */
export function waysToSignIn() {
  const trouble = h("div", { role: "alert" });
  const place = h("div", { hidden: true }, trouble);
  const show = async () => {
    const [offered, mine] = await Promise.all([providers(), get("/me/identities")]);
    if (offered.length === 0 && mine.items.length === 0) return;
    const linked = mine.items.map((identity) => identityLine(identity, attempt, show));
    const others = offered.filter(({ id }) => !mine.items.some(({ provider }) => provider === id));
    const rest = others.map((provider) => providerLine(provider, attempt));
    place.hidden = false;
    place.replaceChildren(card("ways", words.providers.title, [passwordLine(mine.has_password), linked, rest]), trouble);
  };
  /** Does something and shows what went wrong. */
  const attempt = async (act) => {
    trouble.replaceChildren();
    try {
      await act();
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      place.hidden = false;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  };
  attempt(async () => {
    await show();
    await tellWhatHappened(trouble);
  });
  return place;
}

const passwordLine = (has) =>
  line(
    b(words.password.label),
    has ? words.providers.passwordSet : words.providers.passwordNone,
    !has && h("a", { class: "btn quiet small", href: "/reset" }, words.providers.passwordChoose),
    false,
  );

function identityLine({ id, name, email }, attempt, refresh) {
  const { providers: text } = words;
  const unlink = () =>
    attempt(() =>
      confirming(text.unlinkTitle(name), text.unlinkLead(name), text.unlink, async (password) => {
        await remove(`/me/identities/${id}`, password === undefined ? {} : { password });
        announce(text.unlinked(name));
        await refresh();
      }),
    );
  const label = text.unlinkLabel(name);
  return line(
    b(name),
    email ? bdi(email) : text.linked,
    button(text.unlink, unlink, "btn text small", { "aria-label": label }),
    false,
  );
}

function providerLine({ id, name }, attempt) {
  const { providers: text } = words;
  const link = () =>
    attempt(() =>
      confirming(text.linkTitle(name), text.linkLead(name), text.link, async (password) => {
        location.assign((await postOnce("/me/identities", { provider: id, password })).url);
      }),
    );
  const label = text.linkLabel(name);
  return line(b(name), text.notLinked, button(text.link, link, "btn quiet small", { "aria-label": label }), false);
}

/** What a provider has sent us back with. */
async function tellWhatHappened(place) {
  const [, what, id] = location.hash.match(/^#(linked|confirmed)=(\w+)$/) ?? [];
  if (!what) return;
  history.replaceState(null, "", location.pathname);
  const { name } = (await providers()).find((provider) => provider.id === id) ?? { name: id };
  const text = what === "linked" ? words.providers.nowLinked(name) : words.providers.nowConfirmed(name);
  place.replaceChildren(notice("leaf", "info", null, text));
  place.scrollIntoView({ block: "center" });
}
