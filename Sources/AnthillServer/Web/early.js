// Before the first paint: the theme and the language that this browser was last told. A classic script, because modules wait.
(() => {
  const root = document.documentElement;
  const kept = (name) => {
    try {
      return localStorage.getItem(`anthill.${name}`);
    } catch {
      return null;
    }
  };
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const wanted = [kept("language"), ...navigator.languages.map((tag) => tag.split("-")[0])];
  root.lang = wanted.find((tag) => tag === "ko" || tag === "en") ?? "en";
})();
