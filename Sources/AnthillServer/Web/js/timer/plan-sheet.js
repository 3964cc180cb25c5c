import { art, bdi, button, h, keepingFocus } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, put, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { planTitle } from "./face.js";

/** The sheet to choose or create a cycle; calls `chosen(plan)`. */
export function choosePlan(current, chosen) {
  const take = (plan) => {
    close();
    chosen(plan);
  };
  const list = h("div");
  const trouble = h("div", { role: "alert" });
  const offer = () =>
    fill(list, async () => {
      const { presets, own } = await get("/me/plans");
      const row = (plan, erase) => h("li", {}, choice(plan, current, take), erase);
      return h(
        "ul",
        { class: "plans" },
        presets.map((plan) => row(plan)),
        own.map((plan) => row(plan, eraser(plan))),
      );
    });
  const eraser = (plan) => {
    const drop = async () => {
      try {
        await remove(`/me/plans/${encodeURIComponent(plan.name)}`);
        announce(words.timer.plan.dropped);
        await keepingFocus(offer);
      } catch (problem) {
        trouble.replaceChildren(notice("apple", "info", null, said(problem)));
      }
    };
    const label = words.timer.plan.drop(plan.name);
    return button(art("i-close", "i-s"), drop, "btn text icon", { "aria-label": label });
  };
  const close = sheet(words.timer.plan.title, trouble, list, ownPlan(take));
  offer();
}

function choice(plan, current, take) {
  const same = ["name", "work_seconds", "rest_seconds"].every((key) => plan[key] === current[key]);
  const [work, rest] = [words.duration(plan.work_seconds), words.duration(plan.rest_seconds)];
  const text = [h("b", {}, bdi(planTitle(plan))), h("span", { class: "small muted" }, words.timer.plan.of(work, rest))];
  return button(text, () => take(plan), "btn quiet", { "aria-pressed": String(same) });
}

/** The form for an own cycle. */
function ownPlan(take) {
  const min = numbers.shortest_length / 60;
  const minutes = (name, label) =>
    field(name, label, input({ type: "number", inputmode: "numeric", min, max: 1440 - min, step: 1 }));
  const name = field("name", words.timer.plan.name, input({ maxlength: 50 }));
  const work = minutes("work_seconds", words.timer.plan.work);
  const rest = minutes("rest_seconds", words.timer.plan.rest);
  const store = async (typed) => {
    const plan = {
      name: typed.name,
      work_seconds: Number(typed.work_seconds) * 60,
      rest_seconds: Number(typed.rest_seconds) * 60,
    };
    take(await put("/me/plan", plan));
  };
  const all = form([name, work, rest], words.timer.plan.submit, store);
  name.root.after(h("div", { class: "pair" }, work.root, rest.root));
  return h(
    "section",
    { class: "card", "aria-labelledby": "own-plan" },
    h("header", {}, h("h3", { id: "own-plan" }, words.timer.plan.own)),
    all,
  );
}
