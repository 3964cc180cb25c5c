import { b, button, h } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { get, post } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, ownZone } from "../words/time.js";

// A refused mail is tried three times within half a minute.
const [tries, pause] = [20, 3000];

/** Says that mail does not reach its owner, and lets them try again; nothing while mail arrives. */
export function mailRefused({ email, mail_refused: refused }) {
  const root = h("div", { class: "mail-refused", hidden: !refused });
  if (!refused) return root;
  const text = words.mailRefused;
  const state = h("p", { class: "small", role: "status" });

  async function arrives() {
    for (let left = tries; left > 0; left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if ((await get("/me")).mail_refused === null) return true;
    }
    return false;
  }

  async function tryAgain() {
    if (again.getAttribute("aria-disabled") === "true") return;
    again.setAttribute("aria-disabled", "true");
    state.textContent = text.trying;
    try {
      await post("/me/mail-tests");
      if (await arrives()) {
        announce(text.arrives);
        return root.replaceChildren(notice("leaf", "info", null, text.arrives));
      }
      state.textContent = text.still;
    } catch (problem) {
      state.textContent = said(problem);
    }
    again.removeAttribute("aria-disabled");
  }

  const again = button(text.again, tryAgain, "btn quiet small");
  const strip = notice("apple", "info", text.title(b(email)), text.why(dayAndTime(refused.since, ownZone()), refused.reply));
  strip.lastChild.append(h("p", {}, again), state);
  root.append(strip);
  return root;
}
