import { account } from "../js/account/account.js";
import { askToLeave, due } from "../js/account/leaving.js";
import { terms } from "../js/account/terms.js";
import { get } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { announce, trouble } from "../js/shell/notices.js";
import { accountWords } from "../js/words/account/i18n.js";

const main = publicPage({ title: accountWords.leaving.title });

const showDue = (leavesAt) => {
  main.replaceChildren(due(leavesAt, () => location.replace("/home")));
  announce(accountWords.leaving.dueTitle, { seen: true });
  main.focus();
};

async function start() {
  try {
    const user = await account();
    if (user.leaves_at) return showDue(user.leaves_at);
    const [{ has_password: hasPassword }, { sends_mail: sendsMail }] = await Promise.all([get("/me/identities"), terms()]);
    main.replaceChildren(askToLeave(hasPassword, sendsMail, showDue));
  } catch (problem) {
    if (problem.status !== 401) main.replaceChildren(trouble(problem, start));
  }
}

await start();
