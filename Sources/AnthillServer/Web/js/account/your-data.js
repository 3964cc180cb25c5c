import { b, button, h, icon, nodes } from "../parts/dom.js";
import { field, form, said } from "../parts/form.js";
import { upload } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";

/** The card on the settings page for exporting and importing study. */
export function yourData(user) {
  const { data } = accountWords;
  return h(
    "section",
    { class: "card", "aria-labelledby": "data" },
    h("header", {}, h("h2", { id: "data" }, data.title)),
    h(
      "ul",
      { class: "set" },
      out(data.sessions, data.sessionsHint, ["CSV", "sessions.csv"], ["JSON", "sessions.json"]),
      out(data.intervals, data.intervalsHint, ["CSV", "intervals.csv"]),
      out(data.everything, data.everythingHint, ["JSON", "export"]),
    ),
    h("h3", { class: "in-card" }, data.bring),
    h("p", { class: "muted small" }, data.bringLead),
    importer(user.study_clock.time_zone),
  );
}

/** A line with files to download. */
const out = (label, hint, ...files) =>
  h(
    "li",
    {},
    h("div", { class: "l" }, b(label), h("span", { class: "hint" }, hint)),
    h(
      "div",
      { class: "c files" },
      files.map(([kind, path]) =>
        h("a", { class: "btn quiet small", href: `/api/v1/me/${path}`, download: true, "aria-label": `${label}, ${kind}` }, kind),
      ),
    ),
  );

/** A labelled select: pairs of a value and its name. */
function choose(name, label, options, hint) {
  const list = h("select", { class: "in" });
  const made = field(name, label, h("div", { class: "sel" }, list, icon("down")), hint);
  made.offer = (pairs) => list.replaceChildren(...pairs.map(([value, text]) => h("option", { value }, text)));
  made.offer(options);
  return made;
}

/** A file to choose, in the words of the page: the browser's own speak its language. */
function filePicker(attributes) {
  const shown = h(
    "span",
    { class: "btn quiet", "aria-hidden": "true" },
    icon("plus"),
    h("span", {}, accountWords.data.chooseFile),
  );
  const onchange = ({ target }) => {
    shown.lastChild.textContent = target.files[0]?.name ?? accountWords.data.chooseFile;
  };
  const control = h("input", { class: "vh", type: "file", onchange, ...attributes });
  shown.addEventListener("click", () => control.click());
  return h("div", { class: "file" }, control, shown);
}

/** Chooses a file, previews what would be imported, and imports it. */
function importer(zone) {
  const { data } = accountWords;
  const file = field("file", data.file, filePicker({ accept: ".csv,text/csv", required: true }), data.fileHint(zone));
  const format = choose("format", data.format, Object.entries(data.formats));
  // Shown only if the file does not tell.
  const dates = choose("date_format", data.dates, [["", data.choose]]);
  const person = choose("person", data.person, [["", data.choose]]);
  const result = h("div", { class: "stackup", id: "import-result" });

  const forget = () => {
    for (const each of [dates, person]) {
      each.offer([["", data.choose]]);
      each.root.hidden = true;
    }
    result.replaceChildren();
  };

  const ask = (each, options) => {
    if (options.length === 0) return;
    const kept = each.input.value;
    each.offer([["", data.choose], ...options.map((value) => [value, value])]);
    each.input.value = options.includes(kept) ? kept : "";
    each.root.hidden = false;
  };

  const send = (dryRun) => {
    const query = new URLSearchParams({ format: format.input.value, dry_run: String(dryRun) });
    for (const each of [dates, person]) if (each.input.value) query.set(each.input.name, each.input.value);
    return upload(`/me/imports?${query}`, file.input.files[0]);
  };

  const check = async () => {
    result.replaceChildren();
    try {
      show(await send(true));
    } catch (problem) {
      if (problem.code === "several_people") ask(person, problem.more.people);
      if (problem.code === "ambiguous_dates") ask(dates, problem.more.date_formats);
      throw problem;
    }
  };

  const show = (answer) => {
    const title = h("h3", { tabindex: "-1" }, answer.dry_run ? data.checked(answer) : data.imported(answer));
    const take = async () => {
      try {
        show(await send(false));
      } catch (problem) {
        if (!("status" in problem)) throw problem;
        result.append(notice("apple", "info", null, said(problem), { role: "alert" }));
      }
    };
    result.replaceChildren(
      ...nodes([
        title,
        h("p", { class: "small" }, data.counts(answer)),
        answer.subjects_created.length > 0 &&
          h("p", { class: "small muted" }, data.subjects(answer.dry_run, answer.subjects_created)),
        answer.refused.length > 0 && refusals(answer),
        answer.dry_run && answer.recorded > 0 && button(data.take(answer.recorded), take, "btn wide"),
      ]),
    );
    announce(title.textContent, { seen: true });
    title.focus();
  };

  const all = form([file, format, person, dates], data.check, check);
  file.input.addEventListener("change", forget);
  for (const each of [format, dates, person]) each.input.addEventListener("change", () => result.replaceChildren());
  forget();
  return [all, result];
}

/** The rows that cannot be imported, each with its line and the reason. */
const refusals = ({ refused, refused_total: total }) => [
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": accountWords.data.refused(total) },
    h(
      "table",
      { class: "refusals" },
      h("caption", {}, accountWords.data.refused(total)),
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, accountWords.data.line), h("th", { scope: "col" }, accountWords.data.why)),
      ),
      h(
        "tbody",
        {},
        refused.map(({ line, field: column, detail }) =>
          h("tr", {}, h("td", {}, String(line)), h("td", {}, detail, column && h("span", { class: "hint" }, ` (${column})`))),
        ),
      ),
    ),
  ),
  total > refused.length && h("p", { class: "xs muted" }, accountWords.data.more(total - refused.length)),
];
