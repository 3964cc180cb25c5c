import { button, face, h, nodes } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { put, remove } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { cropSheet } from "./crop-sheet.js";

/** Shows the user's face anew wherever it is on the page. */
export function showFace(user) {
  for (const old of document.querySelectorAll(".face")) {
    old.replaceWith(face(user, old.classList.contains("a-64") ? "a-64" : ""));
  }
}

/** The buttons with which the user's picture is chosen, changed and removed. */
export function pictureButtons(user) {
  const { picture: text } = accountWords;
  const place = h("div", { role: "alert" });
  const complain = (words) => place.replaceChildren(notice("apple", "info", null, words));
  const file = h("input", {
    type: "file",
    accept: "image/png,image/jpeg,image/webp",
    hidden: true,
    "aria-label": text.file,
    onchange: choose,
  });
  const root = h("div", { class: "c wide picture" }, file);

  function show(done) {
    const label = user.avatar_url ? text.change : text.add;
    const buttons = h(
      "div",
      { class: "btns" },
      nodes([
        button(label, () => file.click(), "btn quiet small"),
        user.avatar_url && button(text.remove, takeAway, "btn text small"),
      ]),
    );
    root.replaceChildren(file, buttons, place);
    if (!done) return;
    place.replaceChildren();
    showFace(user);
    announce(done);
    buttons.firstChild.focus();
  }

  async function choose() {
    const [chosen] = file.files;
    if (!chosen) return;
    place.replaceChildren();
    // The same file may be chosen again.
    file.value = "";
    const picture = await createImageBitmap(chosen).catch(() => null);
    if (!picture) return complain(text.unreadable);
    cropSheet(picture, async (square) => {
      Object.assign(user, await put("/me/avatar", square));
      return () => show(text.saved);
    });
  }

  async function takeAway() {
    try {
      await remove("/me/avatar");
      user.avatar_url = null;
      show(text.removed);
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      complain(said(problem));
    }
  }

  show();
  return root;
}
