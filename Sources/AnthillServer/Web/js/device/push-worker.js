// Pushes in the service worker: what it shows, and which page a click on it opens.

self.addEventListener("push", (event) => {
  const { kind, title, text, address, topic, language } = event.data.json();
  event.waitUntil(
    self.registration.showNotification(title, {
      body: text,
      lang: language,
      icon: "/art/icon-192.png",
      // A later one of the same topic takes its place, and is heard again.
      tag: topic,
      renotify: true,
      requireInteraction: kind === "alarm",
      data: { address },
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.address));
});

/** Goes to the page if it is open somewhere; no page that somebody is writing on is taken from them. */
async function openPage(address) {
  const wanted = new URL(address, self.location.origin);
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find(({ url }) => new URL(url).pathname === wanted.pathname);
  return open ? open.focus() : self.clients.openWindow(wanted.href);
}

// The browser has replaced the subscription; the service learns of the new one.
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renew(event));
});

async function renew({ newSubscription }) {
  // Not every browser says by what it was replaced.
  const next = newSubscription ?? (await subscribe());
  await fetch("/api/v1/me/push-subscriptions", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(next),
  });
}

async function subscribe() {
  const { public_key: key } = await (await fetch("/api/v1/push/key")).json();
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}
