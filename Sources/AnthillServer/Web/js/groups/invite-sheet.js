import { asking } from "../parts/asking.js";
import { bdi, h, icon } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { sharing } from "../parts/sharing.js";
import { sheet } from "../parts/sheet.js";
import { getAll, postOnce, remove } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { announce, fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { dayAndTime, ownZone } from "../words/time.js";

const usual = numbers.default_invitation_days;
const most = numbers.most_invitation_days;
const lengths = [...new Set([1, usual, 30, most])].filter((days) => days <= most).sort((a, b) => a - b);

/** A sheet in which admins create and withdraw invitation links. */
export function invitations(group) {
  const text = words.groups;
  const made = h("div", { class: "form" });
  const sent = h("div", { class: "endings" });
  const days = h(
    "select",
    { class: "in" },
    lengths.map((value) => h("option", { value, selected: value === usual }, text.days(value))),
  );
  const expiry = field("expires_in_days", text.expiry, h("div", { class: "sel" }, days, icon("down")));
  const uses = field(
    "uses",
    text.uses,
    input({ type: "number", min: 1, max: numbers.most_invitation_uses, step: 1, inputmode: "numeric", required: false }),
    text.usesHint,
  );
  const make = async (values) => {
    const body = { expires_in_days: Number(values.expires_in_days), uses: values.uses ? Number(values.uses) : null };
    const invitation = await postOnce(`/groups/${group.id}/invitations`, body);
    made.replaceChildren(...link(invitation));
    made.querySelector("input").focus();
    show();
  };
  const show = () => fill(sent, () => list(group, show));
  sheet(text.invite, h("p", { class: "muted" }, text.inviteLead), form([expiry, uses], text.makeLink, make), made, sent);
  show();
}

/** A new link to copy, share or scan. */
const link = ({ code, url, expires_at: end, uses_left: left }) =>
  sharing(url, `/api/v1/invitations/${code}/qr.svg`, words.groups.lasts(dayAndTime(end, ownZone()), left));

/** The invitations that still work. */
async function list(group, again) {
  const text = words.groups;
  const all = await getAll(`/groups/${group.id}/invitations`);
  const open = all.filter(
    ({ revoked, uses_left: left, expires_at: end }) => !revoked && left !== 0 && Date.parse(end) > serverNow(),
  );
  const row = ({ id, nickname, created_at: made, expires_at: end, uses_left: left }) => {
    const revoke = async () => {
      await remove(`/groups/${group.id}/invitations/${id}`);
      announce(text.revoked);
      await again();
    };
    const when = dayAndTime(made, ownZone());
    return h(
      "li",
      {},
      h(
        "div",
        { class: "l" },
        text.madeBy(nickname && bdi(nickname), when),
        h("span", { class: "hint" }, text.lasts(dayAndTime(end, ownZone()), left)),
      ),
      h(
        "div",
        { class: "c" },
        asking(text.revoke, text.revokeAsk, revoke, { attributes: { "aria-label": text.revokeLabel(when) } }),
      ),
    );
  };
  return [
    h("h3", {}, text.sent),
    open.length > 0 ? h("ul", { class: "set" }, open.map(row)) : h("p", { class: "small muted" }, text.noneSent),
  ];
}
