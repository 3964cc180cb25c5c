import { suspensionRow } from "../groups/suspending.js";
import { asking } from "../parts/asking.js";
import { bdi, button, face, h } from "../parts/dom.js";
import { emailInput, field, form, input, said } from "../parts/form.js";
import { paged } from "../parts/paged.js";
import { sheet } from "../parts/sheet.js";
import { get, postOnce, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { admin } from "../words/admin/i18n.js";
import { fairness } from "../words/fairness/i18n.js";
import { words } from "../words/i18n.js";
import { dayAndTime } from "../words/time.js";
import { card, none } from "./card.js";
import { suspending } from "./suspending.js";

/** Looking for people, letting them in, and who is suspended. */
export async function peoplePart(user) {
  const text = admin.people;
  const zone = user.study_clock.time_zone;
  const people = card(
    "people",
    admin.parts.people,
    button(text.letIn, () => lettingIn(), "btn quiet small"),
  );
  const suspensions = card("suspensions", admin.suspensions.title);
  const found = h("div", { class: "stackup" });
  const count = h("p", { class: "hint", role: "status" });
  const sought = input({ type: "search", required: false, maxlength: 254, autocomplete: "off" });

  const row = (each) => {
    const { uid, nickname, email } = each;
    const link = async () => {
      const made = await postOnce("/admin/links", { email });
      showLink(email, made);
    };
    return h(
      "li",
      {},
      face(each),
      h(
        "div",
        { class: "l" },
        h(
          "span",
          { class: "nick" },
          bdi(nickname),
          each.site_admin && h("span", { class: "chip me" }, text.siteAdmin),
          each.suspended_until && h("span", { class: "chip honey" }, admin.reports.suspended),
          each.status === "suspended" && h("span", { class: "chip honey" }, text.closed),
        ),
        h("span", { class: "hint" }, email ?? text.noAddress),
        h("span", { class: "hint" }, text.facts(each.group_count, each.report_count)),
        h("span", { class: "hint" }, text.seen(each.last_seen_at && dayAndTime(each.last_seen_at, zone))),
        each.suspended_until && h("span", { class: "hint" }, text.suspendedUntil(dayAndTime(each.suspended_until, zone))),
        each.leaves_at && h("span", { class: "hint" }, text.leaves(dayAndTime(each.leaves_at, zone))),
      ),
      h(
        "div",
        { class: "deeds" },
        email &&
          asking(text.reset, text.resetAsk(bdi(nickname)), link, {
            className: "btn quiet small",
            attributes: { "aria-label": text.resetLabel(nickname) },
          }),
        !each.suspended_until &&
          uid !== user.uid &&
          button(fairness.suspend, () => suspending(user, each, again), "btn quiet small", {
            "aria-label": fairness.suspendLabel(nickname),
          }),
        h("a", { class: "btn text small", href: `/admin/audit?uid=${uid}`, "aria-label": text.auditLabel(nickname) }, text.audit),
      ),
    );
  };

  let latest;
  const find = async () => {
    const mine = sought.value;
    latest = mine;
    try {
      const { items } = await get(`/admin/people?q=${encodeURIComponent(mine)}`);
      if (mine !== latest) return;
      count.textContent = text.found(items.length);
      found.replaceChildren(h("ul", { class: "set people" }, items.map(row)));
    } catch (problem) {
      count.textContent = said(problem);
    }
  };
  let timer;
  sought.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, 300);
  });

  const showSuspensions = () => {
    const load = (after) => get(`/admin/suspensions?limit=30${after}`);
    const line = (each) => {
      const lift = async () => {
        await remove(`/admin/suspensions/${each.id}`);
        await again(fairness.lifted(each.nickname ?? words.fairness.gone));
      };
      return suspensionRow(each, zone, each.uid === user.uid, lift);
    };
    return fill(suspensions.place, () => paged(load, line, none(admin.suspensions.nobody)));
  };

  /** After an action: announces it and loads both lists anew. */
  async function again(told) {
    announce(told);
    suspensions.heading.focus();
    await Promise.all([find(), showSuspensions()]);
  }

  people.place.append(field("q", text.find, sought, text.findHint).root, count, found);
  await Promise.all([find(), showSuspensions()]);
  return [people.root, suspensions.root];
}

/** The sheet in which an address is let in: registered, or to a new password. */
function lettingIn() {
  const text = admin.people;
  const address = field("email", text.address, emailInput({ autocomplete: "off" }), text.addressHint);
  const send = async ({ email }) => {
    const made = await postOnce("/admin/links", { email });
    close();
    showLink(email, made);
  };
  const close = sheet(text.letIn, form([address], text.letInSubmit, send));
}

/** What was made: a mail that is on its way, or the link to hand over. */
function showLink(email, { kind, url, expires_in_seconds: seconds }) {
  const text = admin.people;
  const title = text.kinds[kind];
  if (!url) {
    sheet(title, notice("leaf", "info", null, text.mailed(email)));
    return announce(text.mailed(email), { seen: true });
  }
  const link = input({ readonly: true, value: url, required: false });
  sheet(title, field("url", text.handOver(email), link, text.lasts(words.duration(seconds))).root);
  link.select();
}
