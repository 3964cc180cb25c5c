/** "ko" or "en", as the document says. */
export const language = document.documentElement.lang;

/** Both as choices of a form: value, name, and the language that the name is in. */
export const tongues = [
  ["ko", "한국어", "ko"],
  ["en", "English", "en"],
];
