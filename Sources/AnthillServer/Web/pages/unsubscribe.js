import { h } from "../js/parts/dom.js";
import { form } from "../js/parts/form.js";
import { Problem } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate } from "../js/shell/gate.js";
import { announce, lost } from "../js/shell/notices.js";
import { accountWords } from "../js/words/account/i18n.js";
import { entranceWords } from "../js/words/entrance/i18n.js";

const text = entranceWords.unsubscribe;
const main = publicPage({ title: text.page });
const [, , kind] = location.pathname.split("/");
const label = Object.assign({}, ...Object.values(accountWords.settings.switches))[kind]?.[0];
const home = h("a", { class: "btn", href: "/settings" }, text.settings);

function gone() {
  main.replaceChildren(); // before the card is made, so that its title is the heading of the page
  main.append(lost(text.goneTitle, text.gone, home));
  announce(text.goneTitle, { seen: true });
}

/** The request that mail programs send, too. */
async function stop() {
  const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  const answer = await fetch(location.pathname, { method: "POST", body }).catch(() => null);
  if (answer?.status === 404) return gone();
  if (!answer?.ok) throw new Problem(answer?.status ?? 0, { code: "unreachable" });
  main.replaceChildren(gate(text.doneTitle, text.done, h("a", { class: "btn quiet wide", href: "/settings" }, text.settings)));
  announce(text.doneTitle, { seen: true });
}

if (label) main.append(gate(label, text.lead, form([], text.submit, stop)));
else gone();
