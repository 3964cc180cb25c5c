import { h } from "../parts/dom.js";
import { field, form } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { accountWords } from "../words/account/i18n.js";
import { numbers } from "../words/numbers.js";
import { Cropping } from "./cropping.js";

/** Twice what is kept, so that the server has something to choose from. */
const side = numbers.avatar_side * 2;
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * A sheet in which a square of the picture is chosen. `save(blob)` gets it as a file; what it answers is called once the
 * sheet is closed.
 */
export function cropSheet(picture, save) {
  const { picture: text } = accountWords;
  const cropping = new Cropping(picture.width, picture.height);
  const canvas = h("canvas", { width: side, height: side, tabindex: "0", role: "application", "aria-label": text.part });
  const slider = h("input", { type: "range", min: 1, max: Cropping.most, step: 0.05, value: 1 });
  const zoom = field("zoom", text.zoom, slider);

  const draw = () => {
    const { left, top, side: chosen } = cropping.square;
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, side, side);
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, left, top, chosen, chosen, 0, 0, side, side);
    slider.value = cropping.zoom;
  };
  const change = (act) => {
    act();
    draw();
  };
  slider.addEventListener("input", () => change(() => cropping.zoomTo(Number(slider.value))));
  follow(canvas, cropping, change);
  draw();

  const submit = async () => {
    const done = await save(await new Promise((resolve) => canvas.toBlob(resolve, "image/webp", 0.9)));
    close();
    done();
  };
  const close = sheet(
    text.title,
    h("p", { class: "muted small" }, text.hint),
    h("div", { class: "crop" }, canvas),
    form([zoom], text.save, submit, { extra: [h("p", { class: "muted small" }, text.kept, " ", text.who)] }),
  );
}

/** Fingers, a mouse and keys move and zoom what the canvas shows. */
function follow(canvas, cropping, change) {
  const fingers = new Map();
  const apart = () => {
    const [one, two] = [...fingers.values()];
    return two ? Math.hypot(one.x - two.x, one.y - two.y) : 0;
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.x, y: event.y });
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const before = apart();
    fingers.set(event.pointerId, { x: event.x, y: event.y });
    const share = canvas.clientWidth * fingers.size;
    change(() => {
      cropping.move((event.x - last.x) / share, (event.y - last.y) / share);
      if (before > 0) cropping.zoomTo((cropping.zoom * apart()) / before);
    });
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, ({ pointerId }) => fingers.delete(pointerId));
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      change(() => cropping.zoomTo(cropping.zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1)));
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const zooms = { "+": 1.1, "=": 1.1, "-": 1 / 1.1 };
    if (event.key in arrows) change(() => cropping.move(...arrows[event.key].map((way) => way / 16)));
    else if (event.key in zooms) change(() => cropping.zoomTo(cropping.zoom * zooms[event.key]));
    else return;
    event.preventDefault();
  });
}
