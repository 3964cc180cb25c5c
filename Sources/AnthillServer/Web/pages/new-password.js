import { newPassword, ownAddress } from "../js/account/password.js";
import { newLink } from "../js/account/terms.js";
import { h } from "../js/parts/dom.js";
import { form } from "../js/parts/form.js";
import { put } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { forgetToken, gate, ownerOf, tokenFromLink } from "../js/shell/gate.js";
import { announce } from "../js/shell/notices.js";
import { accountWords } from "../js/words/account/i18n.js";
import { words } from "../js/words/i18n.js";

const token = tokenFromLink();
const main = publicPage({ title: accountWords.newPassword.title });
const link = (href, label) => h("a", { class: "btn wide", href }, label);

async function expired() {
  const text = accountWords.newPassword;
  main.replaceChildren(
    await newLink(gate(text.expiredTitle, text.expired, link("/reset", text.again)), gate(text.expiredTitle, text.expiredNoMail)),
  );
}

const change = async ({ password }) => {
  try {
    await put("/password-resets", { token, password });
    forgetToken();
    main.replaceChildren(
      gate(accountWords.newPassword.doneTitle, accountWords.newPassword.done, link("/sign-in", words.signIn.title)),
    );
    announce(accountWords.newPassword.doneTitle, { seen: true });
  } catch (problem) {
    if (problem.status !== 410) throw problem;
    forgetToken();
    await expired();
    announce(accountWords.newPassword.expiredTitle, { seen: true });
  }
};

function choose({ email }) {
  const fields = [email && ownAddress(email), newPassword(accountWords.newPassword.label)].filter(Boolean);
  const chosen = form(fields, accountWords.newPassword.submit, change);
  main.replaceChildren(gate(accountWords.newPassword.title, accountWords.newPassword.lead, chosen));
}

const owner = token && (await ownerOf(token, "/password-resets/checks"));
if (owner) choose(owner);
else await expired();
