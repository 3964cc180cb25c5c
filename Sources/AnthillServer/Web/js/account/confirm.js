import { button, h } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, postOnce } from "../server/api.js";
import { notice } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";

/**
 * A sheet that asks for the password and then calls `act(password)`. Without a password, somebody confirms through a linked
 * account; `act(undefined)` is tried first, since they may have done so a moment ago.
 */
export async function confirming(title, lead, label, act) {
  const { items, has_password: hasPassword } = await get("/me/identities");
  if (!hasPassword) {
    try {
      return await act();
    } catch (problem) {
      if (problem.code !== "confirmation_required") throw problem;
    }
  }
  const body = hasPassword
    ? passwordForm(label, async (password) => {
        await act(password);
        close();
      })
    : throughProvider(items);
  const close = sheet(title, h("p", {}, lead), body);
}

function passwordForm(label, act) {
  const password = field("password", accountWords.password.label, input({ type: "password", autocomplete: "current-password" }));
  return form([password], label, (values) => act(values.password));
}

/** Leads to the provider and back to the settings. */
function throughProvider(identities) {
  const place = h("div", { role: "alert" });
  const go = async (provider) => {
    try {
      location.assign((await postOnce("/me/confirmations", { provider })).url);
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      place.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  };
  const open = identities.filter(({ provider }) => provider);
  return h(
    "div",
    { class: "form" },
    h("p", { class: "muted" }, accountWords.providers.confirmLead),
    place,
    open.map(({ provider, name }) => button(accountWords.providers.confirm(name), () => go(provider), "btn wide")),
  );
}
