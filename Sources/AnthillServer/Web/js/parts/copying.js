/** Copies a field's text. The clipboard API needs a secure origin; elsewhere the old command works. */
export async function copied(shown) {
  try {
    await navigator.clipboard.writeText(shown.value);
    return true;
  } catch {
    shown.focus();
    shown.select();
    return document.execCommand("copy");
  }
}
