import { lines } from "../groups/suspension.js";
import { bdi, h } from "../parts/dom.js";
import { field, form } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { post } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";

/** The sheet in which somebody on a board is reported to the site admins; `group` is null on the global board. */
export function reporting({ uid, nickname }, group) {
  const text = words.report;
  const reason = field("reason", text.reason, lines(""), text.reasonHint);
  const send = async (values) => {
    await post("/reports", { uid, ...(group && { group_id: group }), ...values });
    close();
    announce(text.sent);
  };
  const close = sheet(
    text.title,
    h("p", {}, text.who(bdi(nickname))),
    h(
      "ul",
      { class: "points" },
      text.means.map((each) => h("li", {}, each)),
    ),
    form([reason], text.send, send),
  );
}
