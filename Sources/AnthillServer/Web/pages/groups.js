import { terms } from "../js/account/terms.js";
import { formerGroups } from "../js/groups/former-groups.js";
import { groupName } from "../js/groups/group-face.js";
import { haveLink } from "../js/groups/have-link.js";
import { requestsWaiting } from "../js/groups/join-requests.js";
import { ownRequests } from "../js/groups/own-requests.js";
import { button, h, icon, scene } from "../js/parts/dom.js";
import { field, form, input } from "../js/parts/form.js";
import { huePicker } from "../js/parts/hues.js";
import { sheet } from "../js/parts/sheet.js";
import { get, post } from "../js/server/api.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, empty, fill } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";

memberPage({ title: words.groups.title, current: "board" }, async (main, user) => {
  const create = () => createGroup(user);
  const join = () => sheet(words.groups.haveLink, haveLink());
  const place = h("div");
  main.append(place);
  await fill(place, async () => {
    const [{ items }, { mode }, asked] = await Promise.all([get("/groups?limit=200"), terms(), get("/me/join-requests")]);
    const own = ownRequests(asked.items);
    const former = formerGroups(items);
    const friend = (className) => mode === "open" && h("a", { class: className, href: "/invite" }, words.invite.title);
    const found = button([icon("plus"), words.groups.create], create);
    if (items.length === 0) {
      const code = button(words.groups.haveLink, join, "btn quiet");
      const all = h("a", { class: "btn text", href: "/board" }, words.everyone.title);
      const none = empty(
        scene("empty"),
        words.groups.noneTitle,
        words.groups.none,
        found,
        look("btn quiet"),
        code,
        all,
        friend("btn text"),
      );
      return h("div", { class: "stackup" }, none, own, former);
    }
    found.classList.add("end");
    return [
      h("div", { class: "head" }, h("h1", {}, words.groups.title), found),
      h("ul", { class: "cards" }, items.map(card), everyone()),
      ...(own ? [own] : []),
      former,
      h("p", { class: "btns" }, look("btn text"), button(words.groups.haveLink, join, "btn text"), friend("btn text")),
    ];
  });
  // Home's button leads straight to the sheet; the way back to this page does not.
  const { hash } = location;
  history.replaceState(null, "", "/groups");
  if (hash === "#new") create();
  if (hash === "#left") announce(words.groups.left);
});

const card = (group) => {
  const { id, description, rules, member_count: count } = group;
  return h(
    "li",
    { class: "card" },
    h("h2", {}, h("a", { href: `/groups/${id}` }, groupName(group))),
    description && h("p", { class: "muted small" }, description),
    h(
      "p",
      { class: "small muted facts" },
      words.groups.members_count(count),
      " · ",
      words.groups.clock(rules.day_starts_at, rules.time_zone),
    ),
    requestsWaiting(group),
    group.my_suspension && h("p", { class: "small" }, h("span", { class: "chip honey" }, words.fairness.mineChip)),
  );
};

const look = (className) => h("a", { class: className, href: "/groups/find" }, words.directory.title);

/** The link to the global board, after the groups. */
const everyone = () =>
  h(
    "li",
    { class: "card" },
    h("h2", {}, h("a", { href: "/board" }, words.everyone.title)),
    h("p", { class: "muted small" }, words.everyone.card),
  );

function createGroup(user) {
  const name = field("name", words.groups.name, input({ maxlength: 60, autocomplete: "off" }), words.groups.nameHint);
  const description = field(
    "description",
    words.groups.description,
    input({ maxlength: 500, required: false, autocomplete: "off" }),
  );
  const emoji = field(
    "emoji",
    words.groups.emoji,
    input({ class: "in short", maxlength: 16, autocomplete: "off", required: false }),
    words.groups.emojiHint,
  );
  const colour = huePicker();
  const create = async (values) => {
    const sign = { emoji: values.emoji.trim() || null, colour: colour.value() };
    const group = await post("/groups", { ...values, ...sign });
    location.assign(`/groups/${group.id}`);
  };
  const { day_starts_at: start, time_zone: zone } = user.study_clock;
  sheet(
    words.groups.create,
    form([name, description, emoji], words.groups.createSubmit, create, { extra: colour.root }),
    h("p", { class: "small muted" }, words.groups.ruleHint(start, zone)),
  );
}
