import { h } from "../parts/dom.js";
import { get } from "../server/api.js";
import { gate } from "../shell/gate.js";
import { words } from "../words/i18n.js";

/** Who may register, and whether the service sends mail. */
export const terms = () => get("/registration");

/** Chooses what a page says about a new link: people ask for it by mail, or ask the operator of a service without mail. */
export const newLink = async (byMail, fromOperator) =>
  (await terms().catch(() => ({ sends_mail: true }))).sends_mail ? byMail : fromOperator;

/** Says that nothing will come by mail, and whom to ask for a link; `also` is what one can do without. */
export const noMail = (lead, also) =>
  gate(words.noMail.title, lead, h("a", { class: "btn quiet wide", href: "/sign-in" }, words.signIn.title), also);
