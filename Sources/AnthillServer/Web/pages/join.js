import { account, wasSignedIn } from "../js/account/account.js";
import { terms } from "../js/account/terms.js";
import { remember } from "../js/device/memory.js";
import { groupName } from "../js/groups/group-face.js";
import { bdi, h, icon } from "../js/parts/dom.js";
import { form } from "../js/parts/form.js";
import { get, post, signedOut } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate } from "../js/shell/gate.js";
import { fill, lost } from "../js/shell/notices.js";
import { entranceWords } from "../js/words/entrance/i18n.js";
import { words } from "../js/words/i18n.js";

const code = location.pathname.split("/")[2];
const main = publicPage({ title: entranceWords.join.page });

/** The account, if signed in. This page is for everyone, so it does not redirect. */
async function whoIsHere() {
  if (!wasSignedIn()) return null;
  const here = account();
  signedOut.handler = () => remember("signed-in", null);
  return here.catch(() => null);
}

async function preview(group, user) {
  const { id, description, member_count: count, rules } = group;
  const facts = h(
    "ul",
    { class: "facts" },
    h("li", {}, icon("people"), h("span", {}, words.groups.members_count(count))),
    h("li", {}, icon("clock"), h("span", {}, words.rules.clock(rules.day_starts_at, rules.time_zone))),
    h("li", {}, icon("stop"), h("span", {}, words.rules.cap(rules.daily_cap_seconds))),
    h("li", {}, icon("pencil"), h("span", {}, rules.manual_counts ? entranceWords.join.manual : words.rules.timerOnly)),
  );
  return gate(
    groupName(group),
    description || entranceWords.join.lead,
    facts,
    user
      ? [h("p", { class: "small muted" }, entranceWords.join.as(bdi(user.nickname))), accept(id)]
      : await doors(entranceWords.join.haveAccount),
  );
}

/** An invitation to the service. */
const toTheService = async (user) =>
  user
    ? gate(
        entranceWords.join.member,
        entranceWords.join.memberLead,
        h("a", { class: "btn wide", href: "/invite" }, words.invite.title),
        h("a", { class: "btn quiet wide", href: "/home" }, words.toHome),
      )
    : gate(entranceWords.join.toService, entranceWords.join.serviceLead, await doors(words.signIn.title));

const accept = (id) =>
  form([], entranceWords.join.submit, async () => {
    const go = () => {
      remember("group", id);
      location.assign(`/groups/${id}`);
    };
    await post(`/invitations/${code}/acceptances`).then(go, (problem) => {
      if (problem.code === "already_member") go();
      else throw problem;
    });
  });

/** The ways in, which take the invitation along; only people with an account have one while registration is closed. */
async function doors(signIn) {
  remember("next", location.pathname);
  const next = encodeURIComponent(location.pathname);
  const { mode } = await terms();
  if (mode === "closed") {
    return [h("p", {}, entranceWords.register.closed), h("a", { class: "btn wide", href: `/sign-in?next=${next}` }, signIn)];
  }
  return [
    h("a", { class: "btn wide", href: `/register?next=${next}` }, entranceWords.register.title),
    h("a", { class: "btn quiet wide", href: `/sign-in?next=${next}` }, signIn),
  ];
}

await fill(main, async () => {
  try {
    const [{ group }, user] = await Promise.all([get(`/invitations/${code}`), whoIsHere()]);
    if (!group) return toTheService(user);
    document.title = `${group.name} · ${words.brand}`;
    return preview(group, user);
  } catch (problem) {
    if (problem.status !== 404 && problem.status !== 410) throw problem;
    const toStart = h("a", { class: "btn", href: "/" }, words.trouble.home);
    return lost(entranceWords.join.goneTitle, entranceWords.join.gone, toStart);
  }
});
