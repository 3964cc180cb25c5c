/** "ko" or "en", as early.js decided. */
export const language = document.documentElement.lang;
