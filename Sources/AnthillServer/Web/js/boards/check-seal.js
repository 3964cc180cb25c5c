/** Whether a browser can: only on pages that come by https, or from this machine. */
export const canCheck = Boolean(globalThis.crypto?.subtle);

async function sha256(text) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether the lines of a closed month, counted anew on this device, have the digest that was sealed. */
export async function isAsSealed({ group, month, sha256: sealed, entries }) {
  const lines = await Promise.all(
    entries.map(({ hidden, line, rank, seconds, manual_seconds: byHand, person, seal_salt: salt }) =>
      hidden ? line : sha256([rank, seconds, byHand, person, salt].join(" ")),
    ),
  );
  const text = ["anthill standings 2", `group ${group.id}`, `month ${month}`, ...lines.sort(), ""].join("\n");
  return (await sha256(text)) === sealed;
}
