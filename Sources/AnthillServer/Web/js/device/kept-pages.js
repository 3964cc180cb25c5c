// This browser's kept pages: the service worker keeps them (page-worker.js), pages ask for it and forget them.

// When the page shown was kept; null if it just came from the service.
const kept = document.getElementById("first")?.dataset.kept;
export const keptAt = kept ? new Date(kept) : null;

/** From now on pages of the signed-in person open without a connection, too. Only secure origins may do that. */
export function keepPages() {
  navigator.serviceWorker?.register("/service-worker.js").catch((failure) => console.info(`not kept: ${failure}`));
}

/** Forgets all kept pages: they are somebody else's, or in another language. */
export const forgetPages = () => window.caches?.delete("pages").catch(() => {});
