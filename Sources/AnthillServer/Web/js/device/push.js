import { get, post } from "../server/api.js";
import { recall, remember } from "./memory.js";

/** Whether this browser can get pushes at all. */
export const canPush = isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** This browser's subscription, or null. */
export async function pushSubscription() {
  if (!canPush) return null;
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Subscribes this browser for that user, who has just allowed notifications. */
export async function subscribe(user) {
  const { public_key: key } = await get("/push/key");
  await navigator.serviceWorker.register("/service-worker.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that is there may be for another key.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  await post("/me/push-subscriptions", made.toJSON());
  remember("push", user.uid);
}

/**
 * After a sign-in: who had turned pushes on in this browser goes on getting them. Those of somebody else end, so that
 * nobody sees what is another's.
 */
export async function carryPush(user) {
  const there = await pushSubscription();
  if (!there) return;
  if (recall("push") === user.uid) await post("/me/push-subscriptions", there.toJSON());
  else await there.unsubscribe();
}

const bytes = (base64url) =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
