import { called } from "../groups/suspension.js";
import { h, icon } from "../parts/dom.js";
import { factsOf } from "../parts/facts.js";
import { field } from "../parts/form.js";
import { paged } from "../parts/paged.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { admin } from "../words/admin/i18n.js";
import { events } from "../words/events/i18n.js";
import { dayAndTime } from "../words/time.js";
import { card, none } from "./card.js";

/** What happened in the service: of one kind, about or by one person, or all. */
export async function auditPart(user) {
  const text = admin.audit;
  const zone = user.study_clock.time_zone;
  const uid = new URLSearchParams(location.search).get("uid");
  const audit = card("audit", admin.parts.audit);
  const kinds = h(
    "select",
    { class: "in" },
    h("option", { value: "" }, text.all),
    Object.keys(events).map((kind) => h("option", { value: kind }, label(kind))),
  );
  const place = h("div", { class: "stackup" });
  const row = ({ at, kind, actor, member, details }) => {
    const whom = member ?? actor;
    const isBy = actor && member && actor.uid !== member.uid;
    const operator = details.admin ?? details.by;
    return h(
      "li",
      {},
      h(
        "div",
        { class: "l" },
        h("span", { class: "nick" }, whom ? person(whom) : text.nobody),
        h("span", {}, sentence(kind, factsOf(details, zone), Boolean(member))),
        h(
          "span",
          { class: "hint" },
          h("time", { datetime: at }, dayAndTime(at, zone)),
          isBy && [" · ", text.by(person(actor))],
          operator && !actor && ` · ${text.byOperator(operator)}`,
        ),
      ),
    );
  };
  const show = () => {
    const query = new URLSearchParams({ limit: 50, ...(kinds.value && { kind: kinds.value }), ...(uid && { uid }) });
    return fill(place, () => paged((after) => get(`/admin/audit?${query}${after}`), row, none(text.none)));
  };
  kinds.addEventListener("change", show);
  const chosen = field("kind", text.kind, h("div", { class: "sel" }, kinds, icon("down"))).root;
  const all = uid && h("p", {}, h("a", { href: "/admin/audit" }, text.everybody));
  audit.place.append(h("p", { class: "muted small" }, text.lead), chosen, ...(all ? [all] : []), place);
  await show();
  return [audit.root];
}

/** What is left open where it is not known. */
const open = Object.fromEntries(
  ["until", "reason", "answer", "month", "from_month", "from", "to", "old_name", "new_name"].map((name) => [name, "…"]),
);

/** An event in the words in which the person concerned reads it. */
const sentence = (kind, facts, aboutMe = true) =>
  events[kind]?.({ ...open, group: admin.audit.aGroup, ...facts, aboutMe, byMe: !aboutMe }) ?? kind;

/** What events of a kind have in common. */
const label = (kind) => h("span", {}, sentence(kind, {})).textContent.split(/[:“]/)[0].trim();

const person = (each) => h("a", { href: `/admin/audit?uid=${each.uid}` }, called(each));
