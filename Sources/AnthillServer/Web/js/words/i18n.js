import { remember } from "../device/memory.js";
import { language } from "./language.js";

/** All words of this browser's language. */
export const { words } = await import(`./${language}.js`);

/** Remembers the language and reloads the page. */
export function speak(chosen) {
  remember("language", chosen);
  location.reload();
}
