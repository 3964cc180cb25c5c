import { b, bdi, button, h } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { line } from "../parts/line.js";
import { get, postOnce, remove } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { confirming } from "./confirm.js";
import { passwordLine } from "./password.js";
import { card } from "./settings-card.js";

/**
 * The card with one's ways to sign in: `mine` as the API returns it, the `offered` providers, and whether the service
 * `sendsMail`. `changed()` is called
 * after a new password and an unlinked provider, which both sign out other devices; `tell()` says what a provider has sent us back with.
 */
export function waysToSignIn(mine, offered, sendsMail, changed) {
  const trouble = h("div", { role: "alert" });
  const place = h("div");
  const show = ({ items, has_password: hasPassword }) => {
    const linked = items.map((identity) => identityLine(identity, attempt, refresh));
    const others = offered.filter(({ id }) => !items.some(({ provider }) => provider === id));
    const rest = others.map((provider) => providerLine(provider, attempt));
    place.replaceChildren(
      card("ways", accountWords.providers.title, [passwordLine(hasPassword, sendsMail, changed), linked, rest]),
      trouble,
    );
  };
  const refresh = async () => {
    show(await get("/me/identities"));
    changed();
  };
  /** Does something and shows what went wrong. */
  const attempt = async (act) => {
    trouble.replaceChildren();
    try {
      await act();
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  };
  show(mine);
  return { root: place, tell: () => tellWhatHappened(trouble, offered) };
}

function identityLine({ id, provider, name, email }, attempt, refresh) {
  const { providers: text } = accountWords;
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
    button(text.unlink, unlink, "btn text small", { "aria-label": label, "data-key": `way-${provider}` }),
    false,
  );
}

function providerLine({ id, name }, attempt) {
  const { providers: text } = accountWords;
  const link = () =>
    attempt(() =>
      confirming(text.linkTitle(name), text.linkLead(name), text.link, async (password) => {
        location.assign((await postOnce("/me/identities", { provider: id, password })).url);
      }),
    );
  const label = text.linkLabel(name);
  const press = button(text.link, link, "btn quiet small", { "aria-label": label, "data-key": `way-${id}` });
  return line(b(name), text.notLinked, press, false);
}

function tellWhatHappened(place, offered) {
  const [, what, id] = location.hash.match(/^#(linked|confirmed)=(\w+)$/) ?? [];
  if (!what) return;
  history.replaceState(null, "", location.pathname);
  const { name } = offered.find((provider) => provider.id === id) ?? { name: id };
  const text = what === "linked" ? accountWords.providers.nowLinked(name) : accountWords.providers.nowConfirmed(name);
  place.replaceChildren(notice("leaf", "info", null, text));
  place.scrollIntoView({ block: "center" });
}
