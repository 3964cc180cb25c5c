import { linkPage } from "../js/account/link-page.js";
import { remember } from "../js/device/memory.js";
import { accountWords } from "../js/words/account/i18n.js";
import { words } from "../js/words/i18n.js";

linkPage(accountWords.keepEmail, "/email-changes/cancellations", {
  done: ["/sign-in", words.signIn.title],
  again: ["/reset", words.signIn.forgotten],
  after: () => remember("signed-in", null),
});
