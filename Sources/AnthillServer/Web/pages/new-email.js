import { linkPage } from "../js/account/link-page.js";
import { accountWords } from "../js/words/account/i18n.js";

const settings = ["/settings", accountWords.newEmail.toSettings];
linkPage(accountWords.newEmail, "/email-changes", { done: settings, again: settings });
