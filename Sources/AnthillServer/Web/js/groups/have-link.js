import { field, form, input } from "../parts/form.js";
import { words } from "../words/i18n.js";

/** A form for an invitation link that somebody was sent. */
export function haveLink() {
  const link = field("link", words.groups.link, input({ autocomplete: "off" }), words.groups.linkHint);
  const go = async (values) => {
    const code = values.link.trim().split("/").at(-1);
    location.assign(`/join/${encodeURIComponent(code)}`);
  };
  return form([link], words.groups.openLink, go);
}
