import { askByMail } from "../js/account/ask-by-mail.js";
import { entranceWords } from "../js/words/entrance/i18n.js";

await askByMail(entranceWords.reset, "/password-resets");
