import { language } from "./language.js";
import { remember } from "./memory.js";

/** All words of this browser's language. */
export const { words } = await import(`./${language}.js`);

/** Keeps the choice and begins the page anew in that language. */
export function speak(chosen) {
  remember("language", chosen);
  location.reload();
}
