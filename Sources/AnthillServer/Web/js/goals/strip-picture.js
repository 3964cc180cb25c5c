import { sharePicture } from "../parts/share-picture.js";
import { words } from "../words/i18n.js";
import { dayInFull } from "../words/time.js";

const [width, margin, cell, row, label] = [720, 48, 84, 28, 72];

/** Shares a day's strip as a picture; answers what happened. */
export const shareStrip = (strip, rows, of) => sharePicture(draw(strip, rows, of), `${strip.day}.png`);

function draw(strip, rows, of) {
  const subjects = [...strip.subjects, { id: null, name: words.strip.noSubject, colour: "plain" }].filter(({ id }) => of.has(id));
  const top = margin + 96;
  const below = top + rows.length * row + 32;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = below + subjects.length * 36 + margin;
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  const family = getComputedStyle(document.body).fontFamily;
  const write = (text, x, y, font, colour = token("ink")) => {
    Object.assign(pen, { font: `${font} ${family}`, fillStyle: colour });
    pen.fillText(text, x, y);
  };

  Object.assign(pen, { fillStyle: token("card") });
  pen.fillRect(0, 0, canvas.width, canvas.height);
  write(dayInFull(strip.day), margin, margin + 28, "700 32px");
  const total = strip.cells.reduce((sum, { seconds }) => sum + seconds, 0);
  write(`${words.duration(total)} · ${words.brand}`, margin, margin + 64, "400 22px", token("ink-2"));
  rows.forEach(({ hour, cells }, y) => {
    write(hour.slice(0, 2), margin, top + y * row + 20, "400 18px", token("ink-2"));
    cells.forEach((colour, x) => {
      pen.fillStyle = colour ? tone(colour) : token("sunk");
      pen.fillRect(margin + label + x * cell, top + y * row, cell - 4, row - 4);
    });
  });
  subjects.forEach(({ id, name, colour }, index) => {
    const y = below + index * 36;
    pen.fillStyle = tone(colour);
    pen.fillRect(margin, y, 20, 20);
    write(`${name}  ${words.duration(of.get(id))}`, margin + 36, y + 17, "400 20px");
  });
  return canvas;
}

/** A subject's colour as the page shows it. */
function tone(colour) {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.className = `hue-${colour === "none" ? "plain" : colour}`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
