import { enter } from "../js/account/account.js";
import { newPassword } from "../js/account/password.js";
import { remember } from "../js/device/memory.js";
import { button, h } from "../js/parts/dom.js";
import { field, form, input } from "../js/parts/form.js";
import { postOnce } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate, tokenFromLink } from "../js/shell/gate.js";
import { announce, notice } from "../js/shell/notices.js";
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

/** The account is there, but not the membership that the invitation promised. */
function alone(user) {
  const go = button(words.toHome, () => enter(user), "btn wide");
  main.replaceChildren(gate(words.welcome.aloneTitle, words.welcome.alone, go));
  announce(words.welcome.aloneTitle);
  go.focus();
}

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
      const chosen = { token, ...values, time_zone: ownZone(), locale: language, delivery: "cookie" };
      const { user, group } = await postOnce("/users", chosen);
      if (group) remember("next", group.joined ? `/groups/${group.id}` : null);
      if (group && !group.joined) alone(user);
      else enter(user);
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
