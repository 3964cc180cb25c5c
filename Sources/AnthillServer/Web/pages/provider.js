// Where people arrive after a sign-in through a provider, whatever came of it.
import { enter, wasSignedIn } from "../js/account/account.js";
import { providers } from "../js/account/providers.js";
import { h } from "../js/parts/dom.js";
import { get } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate } from "../js/shell/gate.js";
import { bones, trouble } from "../js/shell/notices.js";
import { accountWords } from "../js/words/account/i18n.js";

const arrived = new URLSearchParams(location.hash.slice(1));
const main = publicPage({ title: accountWords.providers.page, entrance: false });

async function open() {
  main.replaceChildren(bones());
  try {
    if (arrived.has("signed-in")) return enter(await get("/me"));
    const id = arrived.get("provider");
    const name = (await providers()).find((provider) => provider.id === id)?.name ?? accountWords.providers.some;
    explain(name, id);
  } catch (problem) {
    if (!("status" in problem)) throw problem;
    main.replaceChildren(trouble(problem, open));
  }
}

function explain(name, id) {
  const problems = accountWords.providers.problems;
  const text = problems[arrived.get("problem")] ?? problems.fault;
  const [way, label] = wasSignedIn()
    ? ["/settings", accountWords.providers.backToSettings]
    : ["/sign-in", accountWords.providers.backToSignIn];
  const again =
    id && !wasSignedIn() && h("a", { class: "btn wide", href: `/api/v1/oidc/${id}` }, accountWords.providers.again(name));
  const back = h("a", { class: again ? "btn quiet wide" : "btn wide", href: way }, label);
  main.replaceChildren(gate(accountWords.providers.failed(name), text(name), again, back));
}

open();
