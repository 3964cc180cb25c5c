import { providerButtons } from "../js/account/providers.js";
import { noMail, terms } from "../js/account/terms.js";
import { waitingButton } from "../js/account/waiting-button.js";
import { remember } from "../js/device/memory.js";
import { haveLink } from "../js/groups/have-link.js";
import { b, bdi, button, h } from "../js/parts/dom.js";
import { emailInput, field, form } from "../js/parts/form.js";
import { get, postOnce } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate } from "../js/shell/gate.js";
import { announce, fill, notice } from "../js/shell/notices.js";
import { entranceWords } from "../js/words/entrance/i18n.js";
import { words } from "../js/words/i18n.js";
import { language } from "../js/words/language.js";

const main = publicPage({ title: entranceWords.register.title });
const text = entranceWords.register;
const already = () => h("p", { class: "small muted" }, text.already, " ", h("a", { href: "/sign-in" }, words.signIn.title));

/** The invitation that led here, if it still works. */
async function invitation() {
  const next = new URLSearchParams(location.search).get("next") ?? "";
  const [, code] = /^\/join\/([^/?#]+)$/.exec(next) ?? [];
  if (!code) return null;
  try {
    const found = await get(`/invitations/${code}`);
    // An invitation to the service is of no use afterwards; one to a group leads to the group.
    if (!found.group) remember("next", null);
    return { code: decodeURIComponent(code), ...found };
  } catch (problem) {
    if (problem.status !== 404 && problem.status !== 410) throw problem;
    return null;
  }
}

function ask(invited) {
  const email = field("email", words.email, emailInput());
  const send = async (values) => {
    const register = () => postOnce("/registrations", { ...values, locale: language, invitation: invited?.code ?? null });
    await register();
    sent(values.email, register, () => main.replaceChildren(ask(invited)));
  };
  const joins = invited?.group && notice("leaf", "people", null, text.joins(b(bdi(invited.group.name))));
  return gate(text.title, text.lead, joins, form([email], text.submit, send), providerButtons(), already());
}

function sent(address, again, other) {
  const title = h("h1", { id: "gate", tabindex: "-1" }, text.sentTitle);
  const card = h(
    "div",
    { class: "card form" },
    title,
    h("p", {}, text.sent(b(address))),
    notice("", "info", null, text.spam),
    waitingButton(text.again, text.againIn, again),
    h("p", { class: "small" }, button(text.other, other, "link")),
  );
  main.replaceChildren(h("section", { class: "gate", "aria-labelledby": "gate" }, card));
  announce(text.sentTitle, { seen: true });
  title.focus();
}

await fill(main, async () => {
  const [{ mode, sends_mail: sendsMail }, invited] = await Promise.all([terms(), invitation()]);
  if (mode === "closed") return gate(text.closedTitle, text.closed, already());
  const mayCome = mode === "open" || invited;
  // A provider that vouches for an address needs no mail.
  if (!sendsMail) return noMail(text.noMail, mayCome && providerButtons());
  if (!mayCome) return gate(text.invitationTitle, text.invitation, haveLink(), already());
  return ask(invited);
});
