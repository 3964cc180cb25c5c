import { language } from "../language.js";

/** The words of pages for somebody who is not signed in. Members' pages do not load them. */
export const entranceWords = (await import(`./${language}.js`)).entranceWords;
