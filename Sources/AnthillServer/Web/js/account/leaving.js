import { b, bdi, button, h } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { line } from "../parts/line.js";
import { post, remove } from "../server/api.js";
import { gate } from "../shell/gate.js";
import { announce, notice } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { dayAndTime, ownZone } from "../words/time.js";
import { signOut } from "./account.js";
import { confirming } from "./confirm.js";
import { card } from "./settings-card.js";

const { leaving } = accountWords;

/** The card on the settings page that leads to leaving. */
export const leavingCard = () =>
  card("leaving", leaving.card, [
    line(b(leaving.title), leaving.hint(numbers.leaving_days), link("/leave", leaving.open, "btn danger small"), false),
  ]);

/** Says that signing in kept the account. */
export const cameBack = (wouldHaveLeftAt, goOn) =>
  gate(leaving.staysTitle, leaving.cameBack(when(wouldHaveLeftAt)), button(leaving.goOn, goOn, "btn wide"));

/**
 * What leaving means, and the form that asks for it; calls `left(leavesAt)` when the account will be deleted. An account
 * without a password is confirmed through a provider. A service that `sendsMail` tells the date by mail, too.
 */
export function askToLeave(hasPassword, sendsMail, left) {
  const password = field("password", accountWords.password.label, input({ type: "password", autocomplete: "current-password" }));
  const sure = field("sure", leaving.sure, h("input", { type: "checkbox", class: "sw", required: true }));
  const groups = h("div", { role: "alert" });
  const leave = async (values) => {
    groups.replaceChildren();
    try {
      if (hasPassword) left((await remove("/me", { password: values.password })).leaves_at);
      else await confirming(leaving.title, leaving.lead, leaving.submit, async () => left((await remove("/me", {})).leaves_at));
    } catch (problem) {
      if (problem.code !== "last_owner") throw problem;
      groups.replaceChildren(ownerless(problem.more.groups));
    }
  };
  return h(
    "section",
    { class: "gate", "aria-labelledby": "leave" },
    h(
      "div",
      { class: "card form" },
      h("div", {}, h("h1", { id: "leave" }, leaving.title), h("p", { class: "muted" }, leaving.lead)),
      told(leaving.goesTitle, leaving.goes),
      told(leaving.remainsTitle, leaving.remains),
      told(leaving.thenTitle, leaving.next(numbers.leaving_days, sendsMail)),
      link("/api/v1/me/export", leaving.download, "btn quiet wide", { download: true }),
      form(hasPassword ? [password, sure] : [sure], leaving.submit, leave, { extra: groups, look: "danger" }),
      link("/settings", words.back, "btn text wide"),
    ),
  );
}

/** The page of an account that will be deleted: when, and the way back; calls `kept()` when it stays. */
export function due(leavesAt, kept) {
  const keep = form([], leaving.keep, async () => {
    await post("/me/return");
    announce(leaving.kept);
    kept();
  });
  return gate(
    leaving.dueTitle,
    leaving.due(when(leavesAt)),
    keep,
    link("/api/v1/me/export", leaving.download, "btn quiet wide", { download: true }),
    button(accountWords.settings.signOut, signOut, "btn text wide"),
  );
}

/** The groups that need another owner first, each with the way to it. */
const ownerless = (groups) =>
  notice("honey", "info", leaving.ownerTitle, [
    leaving.owner,
    h(
      "ul",
      {},
      groups.map(({ id, name, member_count: members }) =>
        h("li", {}, h("a", { href: `/groups/${id}` }, bdi(name)), " · ", leaving.members(members)),
      ),
    ),
  ]);

const told = (title, points) =>
  h(
    "section",
    {},
    h("h2", {}, title),
    h(
      "ul",
      { class: "points" },
      points.map((point) => h("li", {}, point)),
    ),
  );

const link = (href, label, className, more = {}) => h("a", { class: className, href, ...more }, label);

const when = (instant) => dayAndTime(instant, ownZone());
