import { linkPage } from "../js/account/link-page.js";
import { remember } from "../js/device/memory.js";
import { words } from "../js/words/i18n.js";

linkPage(words.keepEmail, "/email-changes/cancellations", {
  done: ["/sign-in", words.signIn.title],
  again: ["/reset", words.signIn.forgotten],
  after: () => remember("signed-in", null),
});
