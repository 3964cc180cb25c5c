import { h } from "../parts/dom.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { admin } from "../words/admin/i18n.js";
import { dayAndTime } from "../words/time.js";
import { card } from "./card.js";

/** The figures of the service. */
export async function figuresPart(user) {
  const text = admin.figures;
  const figures = card("figures", admin.parts.figures);
  const show = async () => {
    const { as_of: at, oldest_mail_due: due, ...counts } = await get("/admin/figures");
    const zone = user.study_clock.time_zone;
    return [
      h(
        "dl",
        { class: "figures" },
        Object.entries(text.names).map(([name, called]) =>
          h("div", {}, h("dt", {}, called), h("dd", { class: "num" }, counts[name].toLocaleString())),
        ),
      ),
      h("p", { class: "muted small" }, due && `${text.oldest(dayAndTime(due, zone))} `, text.asOf(dayAndTime(at, zone))),
    ];
  };
  await fill(figures.place, show);
  return [figures.root];
}
