import { h } from "../parts/dom.js";
import { form } from "../parts/form.js";
import { postOnce } from "../server/api.js";
import { publicPage } from "../shell/frame.js";
import { forgetToken, gate, tokenFromLink } from "../shell/gate.js";
import { announce } from "../shell/notices.js";

/**
 * A page behind an emailed link. Opening it does nothing, since mail programs open links, too: its button sends the token
 * to `path`. `done` and `again` are links, [path, label], for afterwards and for a link that no longer works;
 * `after()` is called when it is done.
 */
export function linkPage(text, path, { done, again, after = () => {} }) {
  const token = tokenFromLink();
  const main = publicPage({ title: text.title });
  const link = ([href, label]) => h("a", { class: "btn wide", href }, label);
  const expired = () => main.replaceChildren(gate(text.expiredTitle, text.expired, link(again)));

  const act = async () => {
    try {
      await postOnce(path, { token });
      forgetToken();
      after();
      main.replaceChildren(gate(text.doneTitle, text.done, link(done)));
      announce(text.doneTitle, { seen: true });
    } catch (problem) {
      if (problem.status !== 410) throw problem;
      forgetToken();
      expired();
      announce(text.expiredTitle, { seen: true });
    }
  };

  if (token) main.replaceChildren(gate(text.title, text.lead, form([], text.submit, act)));
  else expired();
}
