import { terms } from "../js/account/terms.js";
import { h } from "../js/parts/dom.js";
import { sharing } from "../js/parts/sharing.js";
import { memberPage } from "../js/shell/frame.js";
import { fill } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";

/** The link to the service, for a friend; where not everybody may come, the page says who can let a friend in. */
memberPage({ title: words.invite.title, current: "me" }, async (main) => {
  const place = h("section", { class: "card form invite", "aria-labelledby": "invite" });
  main.append(h("div", { class: "head" }, h("h1", { id: "invite" }, words.invite.title)), place);
  await fill(place, async () => {
    const { mode, sends_mail: sendsMail, url } = await terms();
    const groups = h("p", {}, h("a", { class: "btn quiet", href: "/groups" }, words.invite.groups));
    if (mode === "closed") return h("p", {}, words.invite.closed);
    if (!sendsMail) return h("p", {}, words.invite.noMail);
    if (mode === "invitation") return [h("p", {}, words.invite.invitation), groups];
    return [h("p", {}, words.invite.open), ...sharing(url, "/api/v1/registration/qr.svg"), groups];
  });
});
