// Sets the theme and the language last used in this browser before the first paint; modules run too late for that.
// Then preloads the modules that every page needs, so that they are not fetched one after another.
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
  const shared = {
    account: ["account"],
    device: ["after", "look", "memory"],
    parts: ["dom"],
    server: ["api", "poll"],
    shell: ["frame", "notices"],
    timer: ["stopwatch"],
    words: ["i18n", "language", "numbers", "time", root.lang],
  };
  for (const [folder, names] of Object.entries(shared)) {
    for (const name of names) {
      const link = document.createElement("link");
      link.rel = "modulepreload";
      link.href = `/js/${folder}/${name}.js`;
      document.head.append(link);
    }
  }
})();
