import { auditPart } from "../js/admin/audit.js";
import { figuresPart } from "../js/admin/figures.js";
import { mailPart } from "../js/admin/mail.js";
import { peoplePart } from "../js/admin/people.js";
import { reportsPart } from "../js/admin/reports.js";
import { h } from "../js/parts/dom.js";
import { Problem } from "../js/server/api.js";
import { memberPage } from "../js/shell/frame.js";
import { fill } from "../js/shell/notices.js";
import { admin } from "../js/words/admin/i18n.js";

const parts = { reports: reportsPart, people: peoplePart, mail: mailPart, audit: auditPart, figures: figuresPart };
const part = location.pathname.split("/")[2] ?? "reports";

/** The site admins' pages: one for each part. */
memberPage({ title: admin.title, current: "admin" }, async (main, user) => {
  const place = h("div");
  main.append(place);
  await fill(place, async () => {
    if (!user.site_admin || !(part in parts)) throw new Problem(404, { code: "not_found" });
    document.title = `${admin.parts[part]} · ${admin.title}`;
    const roots = await parts[part](user);
    return [h("div", { class: "head" }, h("h1", {}, admin.title)), tabs(), h("div", { class: "fairness admin" }, roots)];
  });
  // On a phone the row of parts is wider than the screen.
  place.querySelector(".admin-parts [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
});

const tabs = () =>
  h(
    "nav",
    { class: "seg admin-parts", "aria-label": admin.whichPart },
    Object.keys(parts).map((name) =>
      h("a", { href: `/admin/${name}`, "aria-current": name === part && "page" }, admin.parts[name]),
    ),
  );
