import { forgetPages } from "../device/kept-pages.js";
import { recall, remember } from "../device/memory.js";
import { language } from "./language.js";

/** All words of this browser's language. */
export const words = (await import(`./${language}.js`)).words;

/** Remembers the language for this browser's pages; those that are kept have another one. */
export function rememberLanguage(chosen) {
  if (recall("language") === chosen) return;
  remember("language", chosen);
  forgetPages();
}

/** Remembers the language and reloads the page. */
export function speak(chosen) {
  rememberLanguage(chosen);
  location.reload();
}
