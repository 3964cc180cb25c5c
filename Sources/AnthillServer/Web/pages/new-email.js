import { linkPage } from "../js/account/link-page.js";
import { words } from "../js/words/i18n.js";

const settings = ["/settings", words.newEmail.toSettings];
linkPage(words.newEmail, "/email-changes", { done: settings, again: settings });
