import { b, h } from "../parts/dom.js";
import { emailInput, field, form } from "../parts/form.js";
import { postOnce } from "../server/api.js";
import { publicPage } from "../shell/frame.js";
import { gate } from "../shell/gate.js";
import { announce, fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { noMail, terms } from "./terms.js";

/** A page that takes an address, sends it to `path`, and answers by mail alone. */
export async function askByMail(text, path) {
  const main = publicPage({ title: text.title });
  const email = field("email", words.email, emailInput());

  const ask = async (values) => {
    await postOnce(path, values);
    main.replaceChildren(gate(text.sentTitle, null, h("p", {}, text.sent(b(values.email))), notice("", "info", null, text.spam)));
    announce(text.sentTitle, { seen: true });
  };

  const also = h("p", { class: "small muted" }, h("a", { href: "/sign-in" }, words.signIn.title));
  await fill(main, async () =>
    (await terms()).sends_mail ? gate(text.title, text.lead, form([email], text.submit, ask), also) : noMail(text.noMail),
  );
}
