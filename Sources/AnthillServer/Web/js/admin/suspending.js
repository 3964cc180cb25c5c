import { reasonAndEnd } from "../groups/suspending.js";
import { bdi, h } from "../parts/dom.js";
import { form } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { post } from "../server/api.js";
import { admin } from "../words/admin/i18n.js";
import { fairness } from "../words/fairness/i18n.js";

/** The sheet in which a site admin suspends somebody from the service's boards; then calls `changed(told)`. */
export function suspending(user, { uid, nickname }, changed) {
  const text = admin.suspensions;
  const { reason, until, ends } = reasonAndEnd(user.study_clock, text.reasonHint);
  const store = async (values) => {
    await post("/admin/suspensions", { ...values, uid, until: ends() });
    close();
    await changed(fairness.isSuspended(nickname));
  };
  const close = sheet(
    fairness.suspend,
    h("p", {}, text.who(bdi(nickname))),
    h(
      "ul",
      { class: "points" },
      text.means.map((each) => h("li", {}, each)),
    ),
    form([reason, until], fairness.suspendSubmit, store),
  );
}
