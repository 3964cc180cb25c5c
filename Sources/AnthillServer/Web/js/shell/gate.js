import { h, scene } from "../parts/dom.js";
import { postOnce } from "../server/api.js";

/** The layout around a form: a scene, a card, a heading and a line. */
export const gate = (title, lead, ...children) =>
  h(
    "section",
    { class: "gate", "aria-labelledby": "gate" },
    scene("empty", "8 22 226 91"),
    h(
      "div",
      { class: "card form" },
      h("div", {}, h("h1", { id: "gate" }, title), lead && h("p", { class: "muted" }, lead)),
      children,
    ),
  );

/**
 * The token in the fragment of an emailed link. It moves from the address bar into the state of this entry of the history:
 * there it survives a reload and another language, and leaves the browser with no request.
 */
export function tokenFromLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) history.replaceState({ token }, "", location.pathname);
  // Another link of this page that is opened in this very tab only changes the fragment.
  window.addEventListener("hashchange", () => location.reload());
  return history.state?.token ?? null;
}

/**
 * Who got the mail with the token, asked at `path`: {email}. Null if the token no longer works, and without an address if
 * nobody can tell now.
 */
export async function ownerOf(token, path) {
  try {
    return await postOnce(path, { token });
  } catch (problem) {
    if (problem.status !== 410) return {};
    forgetToken();
    return null;
  }
}

/** After its use: the token of this page is gone. */
export const forgetToken = () => history.replaceState(null, "", location.pathname);
