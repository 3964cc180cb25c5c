/**
 * Shares what is drawn on a canvas as a PNG, which chats show, or saves it as a file. Answers what happened: `shared`,
 * `saved` or `kept`.
 */
export async function sharePicture(canvas, name) {
  const blob = await new Promise((made) => canvas.toBlob(made, "image/png"));
  const file = new File([blob], name, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file] });
      return "shared";
    } catch (problem) {
      if (problem.name === "AbortError") return "kept";
      throw problem;
    }
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return "saved";
}

/** A picture of that address on a canvas, twice as large as it says. */
export async function drawn(address) {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * picture.naturalWidth;
  canvas.height = 2 * picture.naturalHeight;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}
