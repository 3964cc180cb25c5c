import { enter } from "../js/account/account.js";
import { newPassword, ownAddress } from "../js/account/password.js";
import { newLink, noMail, terms } from "../js/account/terms.js";
import { recall, remember } from "../js/device/memory.js";
import { b, button, h } from "../js/parts/dom.js";
import { emailInput, field, form, input } from "../js/parts/form.js";
import { get, postOnce } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { forgetToken, gate, ownerOf, tokenFromLink } from "../js/shell/gate.js";
import { announce, notice } from "../js/shell/notices.js";
import { accountWords } from "../js/words/account/i18n.js";
import { entranceWords } from "../js/words/entrance/i18n.js";
import { words } from "../js/words/i18n.js";
import { language } from "../js/words/language.js";
import { ownZone } from "../js/words/time.js";

const token = tokenFromLink();
const main = publicPage({ title: entranceWords.welcome.page });
// The registration of a mail knows its invitation; a provider leads back without one.
const [, code] = (!token && /^\/join\/([^/?#]+)$/.exec(recall("next") ?? "")) || [];
const invitation = code && decodeURIComponent(code);

async function expired(ticket) {
  const { providers } = accountWords;
  const { welcome } = entranceWords;
  // Most people who open a used link already have an account.
  const signIn = () => link("/sign-in", words.signIn.title);
  main.replaceChildren(
    ticket
      ? gate(providers.expiredTitle, providers.expired(ticket.name), signIn())
      : await newLink(
          gate(welcome.expiredTitle, welcome.expired, signIn(), link("/register", welcome.again, "btn quiet wide")),
          gate(welcome.expiredTitle, welcome.expiredNoMail, signIn()),
        ),
  );
}

/** The account is there, but not the membership that the invitation promised. */
function alone(user) {
  const go = button(words.toHome, () => enter(user), "btn wide");
  main.replaceChildren(gate(entranceWords.welcome.aloneTitle, entranceWords.welcome.alone, go));
  announce(entranceWords.welcome.aloneTitle, { seen: true });
  go.focus();
}

const link = (href, label, kind = "btn wide") => h("a", { class: kind, href }, label);

/** The last step. With a ticket, somebody signs in through its provider from now on and needs no password. */
function choose(ticket, email) {
  const nickname = field(
    "nickname",
    words.nickname,
    input({ autocomplete: "nickname", maxlength: 100 }),
    entranceWords.welcome.nicknameHint,
  );
  const fields = ticket ? [nickname] : [email && ownAddress(email), nickname, newPassword(accountWords.password.label)];
  const proof = { ...(token && { token }), ...(ticket && { provider: ticket.provider, invitation }) };
  const create = async ({ nickname: name, password }) => {
    try {
      const more = { time_zone: ownZone(), locale: language, delivery: "cookie" };
      const { user, group } = await postOnce("/users", { ...proof, nickname: name, password, ...more });
      forgetToken();
      if (group || invitation) remember("next", group?.joined ? `/groups/${group.id}` : null);
      if (group && !group.joined) alone(user);
      else enter(user);
    } catch (problem) {
      if (problem.status !== 410) throw problem;
      if (problem.code === "token_used_or_expired") forgetToken();
      await expired(problem.code === "ticket_used_or_expired" ? ticket : null);
      announce(main.querySelector("h1").textContent, { seen: true });
    }
  };
  const extra = [notice("leaf", "clock", null, entranceWords.welcome.clock("05:00", ownZone()))];
  const [title, lead] = ticket
    ? [accountWords.providers.welcome(ticket.name), accountWords.providers.welcomeLead(ticket.name, ticket.email)]
    : [entranceWords.welcome.title, entranceWords.welcome.lead];
  const other =
    token &&
    ticket &&
    h(
      "p",
      { class: "small" },
      button(accountWords.providers.password, () => choose(null, email), "link"),
    );
  main.replaceChildren(gate(title, lead, form(fields.filter(Boolean), entranceWords.welcome.submit, create, { extra }), other));
}

/** The provider told no verified address, so a mail has to verify one. */
async function askForAddress(ticket) {
  const { providers } = accountWords;
  const { sends_mail: sendsMail } = await terms().catch(() => ({ sends_mail: true }));
  if (!sendsMail) return main.replaceChildren(noMail(providers.noAddress(ticket.name)));
  const email = field("email", words.email, emailInput());
  const send = async (values) => {
    await postOnce("/registrations", { email: values.email, locale: language, invitation });
    const text = h("p", {}, providers.sent(b(values.email)));
    main.replaceChildren(
      gate(entranceWords.register.sentTitle, null, text, notice("", "info", null, entranceWords.register.spam)),
    );
    announce(entranceWords.register.sentTitle, { seen: true });
  };
  main.replaceChildren(
    gate(providers.welcome(ticket.name), providers.addressLead(ticket.name), form([email], entranceWords.register.submit, send)),
  );
}

async function open() {
  const [{ ticket }, owner] = await Promise.all([
    get("/provider-ticket").catch(() => ({ ticket: null })),
    token && ownerOf(token, "/registrations/checks"),
  ]);
  if (owner) choose(ticket?.email === null ? ticket : null, owner.email);
  else if (token) await expired();
  else if (ticket?.email) choose(ticket);
  else if (ticket) await askForAddress(ticket);
  else await expired();
}

open();
