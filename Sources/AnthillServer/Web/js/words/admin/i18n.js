import { language } from "../language.js";

/** The words of the site admins' pages, which nobody else loads. */
export const admin = (await import(`./${language}.js`)).admin;
