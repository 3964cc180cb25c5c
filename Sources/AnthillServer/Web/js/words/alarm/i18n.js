import { language } from "../language.js";

/** The words of the page of the alarm, which the others do not load. */
export const alarmWords = (await import(`./${language}.js`)).alarmWords;
