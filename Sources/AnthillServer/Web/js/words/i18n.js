import { remember } from "../device/memory.js";
import { language } from "./language.js";

/** All words of this browser's language. */
export const { words } = await import(`./${language}.js`);

/** Keeps the choice and begins the page anew in that language. */
export function speak(chosen) {
  remember("language", chosen);
  location.reload();
}
