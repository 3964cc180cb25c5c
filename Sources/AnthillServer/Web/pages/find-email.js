import { askByMail } from "../js/account/ask-by-mail.js";
import { words } from "../js/words/i18n.js";

await askByMail(words.findEmail, "/email-reminders");
