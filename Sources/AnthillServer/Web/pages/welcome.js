import { enter } from "../js/account.js";
import { postOnce } from "../js/api.js";
import { h } from "../js/dom.js";
import { field, form, input } from "../js/form.js";
import { publicPage } from "../js/frame.js";
import { gate, tokenFromLink } from "../js/gate.js";
import { words } from "../js/i18n.js";
import { language } from "../js/language.js";
import { notice } from "../js/notices.js";
import { newPassword } from "../js/password.js";
import { ownZone } from "../js/time.js";

const token = tokenFromLink();
const main = publicPage({ title: words.welcome.page });

const expired = () =>
  main.replaceChildren(
    gate(words.welcome.expiredTitle, words.welcome.expired, h("a", { class: "btn wide", href: "/register" }, words.welcome.anew)),
  );

function choose() {
  const nickname = field(
    "nickname",
    words.nickname,
    input({ autocomplete: "nickname", maxlength: 100 }),
    words.welcome.nicknameHint,
  );
  const password = newPassword(words.password.label);
  const create = async (values) => {
    try {
      const { user } = await postOnce("/users", { token, ...values, time_zone: ownZone(), locale: language, delivery: "cookie" });
      enter(user);
    } catch (problem) {
      if (problem.status !== 410) throw problem;
      expired();
    }
  };
  const extra = [notice("leaf", "clock", null, words.welcome.clock("05:00", ownZone()))];
  main.replaceChildren(
    gate(words.welcome.title, words.welcome.lead, form([nickname, password], words.welcome.submit, create, { extra })),
  );
}

if (token) choose();
else expired();
