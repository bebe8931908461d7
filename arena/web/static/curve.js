// A small chart of win probabilities by ply.

import { svg } from "./board.js";

const [WIDTH, HEIGHT, EDGE] = [400, 110, 6];

// Draw the win probabilities (0 to 1, or null where unknown) into an SVG element.
export function drawCurve(element, values) {
  const known = values.map((value, ply) => [ply, value]).filter(([, value]) => value !== null);
  const across = Math.max(values.length - 1, 1);
  const at = ([ply, value]) => [EDGE + (ply / across) * (WIDTH - 2 * EDGE), EDGE + (1 - value) * (HEIGHT - 2 * EDGE)].map((x) => x.toFixed(1));
  element.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  element.replaceChildren(
    svg("rect", { class: "area", width: WIDTH, height: HEIGHT }),
    svg("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
  );
  if (!known.length) return;
  element.append(svg("polyline", { class: "line", points: known.map((point) => at(point).join(",")).join(" ") }));
  const [x, y] = at(known.at(-1));
  element.append(svg("circle", { class: "now", cx: x, cy: y, r: 5 }));
}
