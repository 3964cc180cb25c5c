import { put } from "../js/api.js";
import { h } from "../js/dom.js";
import { form } from "../js/form.js";
import { publicPage } from "../js/frame.js";
import { gate, tokenFromLink } from "../js/gate.js";
import { words } from "../js/i18n.js";
import { announce } from "../js/notices.js";
import { newPassword } from "../js/password.js";

const token = tokenFromLink();
const main = publicPage({ title: words.newPassword.title });
const link = (href, label) => h("a", { class: "btn wide", href }, label);

const expired = () =>
  main.replaceChildren(gate(words.newPassword.expiredTitle, words.newPassword.expired, link("/reset", words.newPassword.anew)));

const change = async ({ password }) => {
  try {
    await put("/password-resets", { token, password });
    main.replaceChildren(gate(words.newPassword.doneTitle, words.newPassword.done, link("/sign-in", words.signIn.title)));
    announce(words.newPassword.doneTitle);
  } catch (problem) {
    if (problem.status !== 410) throw problem;
    expired();
  }
};

function choose() {
  const chosen = form([newPassword(words.newPassword.label)], words.newPassword.submit, change);
  main.replaceChildren(gate(words.newPassword.title, words.newPassword.lead, chosen));
}

if (token) choose();
else expired();
