/** Which square of a picture is chosen: moved and zoomed, but never beyond the picture's edges. */
export class Cropping {
  constructor(width, height) {
    Object.assign(this, { width, height, zoom: 1, x: width / 2, y: height / 2 });
  }

  /** The chosen square in pixels of the picture. */
  get square() {
    const side = Math.min(this.width, this.height) / this.zoom;
    return { left: this.x - side / 2, top: this.y - side / 2, side };
  }

  /** Moves the picture under the square, by parts of the square's side. */
  move(right, down) {
    const { side } = this.square;
    this.#centre(this.x - right * side, this.y - down * side);
  }

  /** 1 shows as much as fits; the middle of the square stays where it is. */
  zoomTo(zoom) {
    this.zoom = Math.min(Math.max(zoom, 1), Cropping.most);
    this.#centre(this.x, this.y);
  }

  #centre(x, y) {
    const half = this.square.side / 2;
    this.x = Math.min(Math.max(x, half), this.width - half);
    this.y = Math.min(Math.max(y, half), this.height - half);
  }

  static most = 5;
}
