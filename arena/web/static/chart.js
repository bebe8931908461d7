// A chart of numbers by ply as SVG: lines, a cursor at the current ply, and a jump to the ply that is clicked.

import { svg } from "./board.js";

const [WIDTH, HEIGHT, LEFT, EDGE] = [600, 150, 70, 10];

export class Chart {
  #cursor;
  #plies;

  // lines: [{name, look, points: [[ply, value], ...]}, ...] with values from -1 to 1.
  // top, bottom: what the values 1 and -1 mean. jump: called with the ply that is clicked.
  constructor(element, { title, plies, lines, top, bottom, jump }) {
    this.#plies = Math.max(plies, 1);
    const described = lines.map(({ name }) => name).join("; ");
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${described}` },
      svg("rect", { class: "frame", x: LEFT, width: WIDTH - LEFT, height: HEIGHT }),
      svg("line", { class: "even", x1: LEFT, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      svg("text", { x: LEFT - 6, y: 14, "text-anchor": "end" }, top),
      svg("text", { x: LEFT - 6, y: HEIGHT - 6, "text-anchor": "end" }, bottom),
    );
    for (const { points, look } of lines) {
      const places = points.map(([ply, value]) => `${this.#x(ply).toFixed(1)},${this.#y(value).toFixed(1)}`);
      picture.append(svg("polyline", { class: `line ${look}`, points: places.join(" ") }));
    }
    this.#cursor = svg("line", { class: "cursor", y1: 0, y2: HEIGHT });
    picture.append(this.#cursor);
    picture.addEventListener("click", (event) => {
      const { left, width } = picture.getBoundingClientRect();
      const across = (((event.clientX - left) / width) * WIDTH - LEFT) / (WIDTH - LEFT);
      jump(Math.round(across * this.#plies));
    });
    const caption = document.createElement("figcaption");
    caption.textContent = `${title}. ${described}`;
    const figure = document.createElement("figure");
    figure.className = "chart";
    figure.append(picture, caption);
    element.append(figure);
  }

  // Put the cursor at a ply.
  show(ply) {
    for (const end of ["x1", "x2"]) this.#cursor.setAttribute(end, this.#x(ply));
  }

  #x(ply) {
    return LEFT + (ply / this.#plies) * (WIDTH - LEFT);
  }

  #y(value) {
    return EDGE + ((1 - Math.max(-1, Math.min(1, value))) / 2) * (HEIGHT - 2 * EDGE);
  }
}
