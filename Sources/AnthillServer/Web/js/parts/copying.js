/** Copies what a field shows. The clipboard is for secure origins only; elsewhere the old way works. */
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
