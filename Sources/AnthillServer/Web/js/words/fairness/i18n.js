import { language } from "../language.js";

/** The words of a group's admins on fair play, which the members' pages do not load. */
export const fairness = (await import(`./${language}.js`)).fairness;
