import { ownRanks } from "../boards/own-ranks.js";
import { bdi, button, h } from "../parts/dom.js";
import { get } from "../server/api.js";
import { words } from "../words/i18n.js";

/** The groups in whose closed months the reader took part and which are not among theirs any more; hidden without any. */
export function formerGroups(groups) {
  const root = h("section", { class: "card", "aria-labelledby": "former-groups", hidden: true });
  const row = (group) =>
    h(
      "li",
      {},
      h("div", { class: "l" }, bdi(group.name)),
      h(
        "div",
        { class: "c" },
        button(words.fame.mine, () => ownRanks(group), "btn quiet small", {
          "aria-label": `${words.fame.mine}: ${group.name}`,
        }),
      ),
    );
  const show = ({ items }) => {
    const former = new Map(items.map(({ group }) => [group.id, group]));
    for (const { id } of groups) former.delete(id);
    root.hidden = former.size === 0;
    root.replaceChildren(
      h("h2", { id: "former-groups" }, words.groups.former),
      h("ul", { class: "set" }, [...former.values()].map(row)),
    );
  };
  get("/me/standings")
    .then(show)
    .catch(() => {});
  return root;
}
