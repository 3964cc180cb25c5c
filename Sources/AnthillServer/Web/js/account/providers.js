import { remember } from "../device/memory.js";
import { h } from "../parts/dom.js";
import { get } from "../server/api.js";
import { accountWords } from "../words/account/i18n.js";

/** The providers that this service offers: `{id, name}`. */
export const providers = async () => (await get("/providers")).items;

/** A place for buttons that lead to the providers; it stays empty where there are none, or they cannot be asked. */
export function providerButtons() {
  const place = h("div", { class: "providers" });
  // They lead back to another page, which has to know where somebody was going.
  const onclick = () => {
    const next = new URLSearchParams(location.search).get("next");
    if (next) remember("next", next);
  };
  const show = (offered) => {
    if (offered.length === 0) return;
    place.append(
      h("p", { class: "or" }, h("span", {}, accountWords.providers.or)),
      ...offered.map(({ id, name }) =>
        h("a", { class: "btn quiet wide", href: `/api/v1/oidc/${id}`, onclick }, accountWords.providers.go(name)),
      ),
    );
  };
  providers().then(show, () => {});
  return place;
}
