import { activityRow } from "../js/account/activity.js";
import { h } from "../js/parts/dom.js";
import { paged } from "../js/parts/paged.js";
import { get } from "../js/server/api.js";
import { memberPage } from "../js/shell/frame.js";
import { fill } from "../js/shell/notices.js";
import { accountWords } from "../js/words/account/i18n.js";

memberPage({ title: accountWords.activity.title, current: "me" }, async (main, user) => {
  const place = h("div");
  main.append(
    h("div", { class: "head" }, h("h1", { id: "activity" }, accountWords.activity.title)),
    h("section", { class: "card", "aria-labelledby": "activity" }, h("p", { class: "muted" }, accountWords.activity.lead), place),
  );
  const load = (after) => get(`/me/activity?limit=30${after}`);
  const row = (event) => activityRow(event, user.study_clock.time_zone);
  await fill(place, () => paged(load, row, () => h("p", {}, accountWords.activity.none)));
});
