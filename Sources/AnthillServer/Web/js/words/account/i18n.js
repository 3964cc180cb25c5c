import { language } from "../language.js";

/** The words of pages about one's account. Few pages need these, so not all load them. */
export const accountWords = (await import(`./${language}.js`)).accountWords;
