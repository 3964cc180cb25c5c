import { language } from "../language.js";

/** What each kind of event is called in one's own activity. Few pages need these, so not all load them. */
export const events = (await import(`./${language}.js`)).events;
