import { enter } from "../js/account/account.js";
import { newPassword } from "../js/account/password.js";
import { h } from "../js/parts/dom.js";
import { field, form, input } from "../js/parts/form.js";
import { postOnce } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate, tokenFromLink } from "../js/shell/gate.js";
import { notice } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";
import { language } from "../js/words/language.js";
import { ownZone } from "../js/words/time.js";

const token = tokenFromLink();
const main = publicPage({ title: words.welcome.page });

const expired = () =>
  main.replaceChildren(
    gate(
      words.welcome.expiredTitle,
      words.welcome.expired,
      h("a", { class: "btn wide", href: "/register" }, words.welcome.again),
    ),
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
