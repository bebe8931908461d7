// A checkers board as SVG. It draws a position and its marks, and reports which squares a person presses.
// It knows the geometry of the board, but no rules.

const SVG = "http://www.w3.org/2000/svg";
const CELL = 100;
const DRAG_PIXELS = 6;
const STEP_MS = 240;
const CROWN = "M-21 15 L-24 -10 L-11 1 L0 -18 L11 1 L24 -10 L21 15 Z";

// Return the side to move, and the piece on each occupied square: a map from square to {colour, king}.
export function parseFen(fen) {
  const [side, ...lists] = fen.replace(/[\s.]/g, "").split(":");
  const pieces = new Map();
  for (const list of lists) {
    const colour = list[0] === "W" ? "white" : "black";
    for (const part of list.slice(1).split(",").filter(Boolean)) {
      const king = part[0] === "K";
      const [first, last = first] = part.replace("K", "").split("-").map(Number);
      for (let square = first; square <= last; square++) pieces.set(square, { colour, king });
    }
  }
  return { side: side === "W" ? "white" : "black", pieces };
}

// Return the FEN of a side to move and the pieces, as parseFen returns them.
export function writeFen(side, pieces) {
  const list = (colour) =>
    [...pieces.entries()]
      .filter(([, piece]) => piece.colour === colour)
      .sort(([first], [second]) => first - second)
      .map(([square, piece]) => (piece.king ? "K" : "") + square)
      .join(",");
  return `${side === "white" ? "W" : "B"}:W${list("white")}:B${list("black")}`;
}

// Return a new SVG element with attributes and children.
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Draw one piece around the origin.
export function drawPiece({ colour, king }) {
  const group = svg("g", { class: `piece ${colour}` }, svg("circle", { r: 37 }), svg("circle", { r: 28, class: "rim" }));
  if (king) group.append(svg("path", { d: CROWN, class: "crown" }));
  return group;
}

// Fires "press" with detail {square} for a click, a tap, Enter or the space bar, and "drop" with detail {from, to}
// for a piece that is dragged; `to` is null outside the dark squares.
export class BoardView extends EventTarget {
  #svg;
  #cells = new Map();
  #pieces = new Map();
  #layers = {};
  #state = { fen: "B:W:B" };
  #flipped;
  #interactive;
  #focus = null;
  #drag = null;

  // flipped: Black's side is at the bottom. interactive: squares can be pressed and pieces dragged.
  constructor(element, { flipped = false, interactive = false } = {}) {
    super();
    this.#flipped = flipped;
    this.#interactive = interactive;
    this.#svg = svg("svg", { class: "board", viewBox: `0 0 ${8 * CELL} ${8 * CELL}`, focusable: "false" });
    this.#svg.classList.toggle("interactive", interactive);
    element.append(this.#svg);
    if (interactive) this.#listen();
    this.#build();
  }

  get flipped() {
    return this.#flipped;
  }

  // Show a position. Squares are numbers; all marks are optional:
  // lastMove: squares of the last move; chosen: square of the chosen piece; movable: squares of pieces that can move;
  // targets: squares to which the chosen piece can go; jumped: squares of the pieces that it would capture;
  // route: squares of a capture that is half chosen; hint: squares of a suggested move.
  show(state) {
    this.#state = state;
    this.#draw();
  }

  // Change the marks and keep the position and the last move.
  mark(marks) {
    const { fen, lastMove } = this.#state;
    this.show({ fen, lastMove, ...marks });
  }

  // Turn the board.
  flip() {
    this.#flipped = !this.#flipped;
    this.#focus = null;
    this.#build();
  }

  // Move a piece along the squares of `path` one step at a time. Captured pieces disappear when they are jumped.
  // The position stays as it is: call show() afterwards.
  async animate(path, captures = []) {
    const piece = this.#pieces.get(path[0]);
    if (!piece || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.#layers.pieces.append(piece);
    for (let step = 1; step < path.length; step++) {
      const [start, end] = [path[step - 1], path[step]].map((square) => this.#translation(square, "px"));
      const motion = piece.animate([{ transform: start }, { transform: end }], { duration: STEP_MS, easing: "ease-in-out" });
      await Promise.race([motion.finished, new Promise((done) => setTimeout(done, 2 * STEP_MS))]);
      piece.setAttribute("transform", this.#translation(path[step]));
      this.#pieces.get(captures[step - 1])?.remove();
    }
  }

  // Put the keyboard's focus on a square.
  focus(square) {
    this.#moveFocus(square, true);
  }

  #centre(square) {
    const row = Math.floor((square - 1) / 4);
    const column = 2 * ((square - 1) % 4) + 1 - (row % 2);
    const [x, y] = this.#flipped ? [7 - column, 7 - row] : [column, row];
    return [x * CELL + CELL / 2, y * CELL + CELL / 2];
  }

  #translation(square, unit = "") {
    const [x, y] = this.#centre(square);
    return `translate(${x}${unit}, ${y}${unit})`;
  }

  // Draw everything that depends on the direction of the board. Rows are in the order in which a person sees them.
  #build() {
    this.#svg.replaceChildren(svg("rect", { class: "light", width: 8 * CELL, height: 8 * CELL }));
    this.#cells.clear();
    if (this.#interactive) this.#svg.setAttribute("role", "grid");
    else this.#svg.setAttribute("role", "img");
    const order = Array.from({ length: 32 }, (_, index) => (this.#flipped ? 32 - index : index + 1));
    for (let row = 0; row < 8; row++) {
      const group = svg("g", this.#interactive ? { role: "row" } : { "aria-hidden": "true" });
      for (const square of order.slice(4 * row, 4 * row + 4)) group.append(this.#cell(square));
      this.#svg.append(group);
    }
    for (const name of ["under", "pieces", "over"]) {
      this.#layers[name] = svg("g", { class: `layer ${name}`, "aria-hidden": "true" });
      this.#svg.append(this.#layers[name]);
    }
    this.#draw();
  }

  #cell(square) {
    const half = CELL / 2;
    const number = svg("text", { x: 4 - half, y: 16 - half });
    number.textContent = square;
    const cell = svg(
      "g",
      { class: "square", transform: this.#translation(square), "data-square": square },
      svg("rect", { class: "dark", x: -half, y: -half, width: CELL, height: CELL }),
      number,
    );
    if (this.#interactive) {
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("tabindex", "-1");
    }
    this.#cells.set(square, cell);
    return cell;
  }

  #draw() {
    const { fen, lastMove = [], chosen = null, movable = [], targets = [], jumped = [] } = this.#state;
    const { route = [], hint = [] } = this.#state;
    const { side, pieces } = parseFen(fen);
    const { under, over } = this.#layers;
    const half = CELL / 2;
    const at = (square, name, attributes) => svg(name, { transform: this.#translation(square), ...attributes });
    const frame = { x: 4 - half, y: 4 - half, width: CELL - 8, height: CELL - 8 };
    under.replaceChildren(
      ...lastMove.map((square) => at(square, "rect", { class: "last-move", ...frame })),
      ...movable.map((square) => at(square, "circle", { class: "movable", r: 43 })),
    );
    this.#pieces.clear();
    for (const [square, piece] of pieces) {
      const drawn = drawPiece(piece);
      drawn.setAttribute("transform", this.#translation(square));
      this.#pieces.set(square, drawn);
    }
    this.#layers.pieces.replaceChildren(...this.#pieces.values());
    over.replaceChildren(
      ...(chosen === null ? [] : [at(chosen, "circle", { class: "chosen", r: 42 })]),
      ...targets.map((square) => at(square, "circle", { class: "target", r: 15 })),
      ...jumped.map((square) => at(square, "path", { class: "jumped", d: "M-20 -20 L20 20 M-20 20 L20 -20" })),
    );
    if (route.length > 1) over.append(this.#line("route", route));
    if (hint.length) over.append(this.#line("hint", hint), at(hint.at(-1), "circle", { class: "hint", r: 22 }));
    const marks = new Map();
    const note = (squares, text) => squares.forEach((square) => marks.set(square, [...(marks.get(square) ?? []), text]));
    note(lastMove, "last move");
    note(movable, "can move");
    note(chosen === null ? [] : [chosen], "chosen");
    note(route.slice(1), "on the way");
    note(targets, "possible destination");
    note(jumped, "would be captured");
    note(hint, "hint");
    this.#label(side, pieces, marks, chosen);
  }

  #line(name, squares) {
    return svg("polyline", { class: name, points: squares.map((square) => this.#centre(square).join(",")).join(" ") });
  }

  #label(side, pieces, marks, chosen) {
    const name = (piece) => (piece ? `${piece.colour} ${piece.king ? "king" : "man"}` : "empty");
    if (this.#interactive) {
      this.#svg.setAttribute("aria-label", `Board, ${side} to move`);
      for (const [square, cell] of this.#cells) {
        cell.setAttribute("aria-label", [`${square}: ${name(pieces.get(square))}`, ...(marks.get(square) ?? [])].join(", "));
        cell.setAttribute("aria-selected", String(square === chosen));
      }
      this.#moveFocus(this.#focus ?? (this.#flipped ? 12 : 21), false);
    } else {
      const listed = [...pieces].sort(([first], [second]) => first - second).map(([square, piece]) => `${square} ${name(piece)}`);
      this.#svg.setAttribute("aria-label", `Board, ${side} to move: ${listed.join(", ") || "no pieces"}`);
    }
  }

  // Make one square the tab stop of the board.
  #moveFocus(square, grab, options = {}) {
    this.#cells.get(this.#focus)?.setAttribute("tabindex", "-1");
    this.#focus = square;
    const cell = this.#cells.get(square);
    cell.setAttribute("tabindex", "0");
    if (grab) cell.focus(options);
  }

  #listen() {
    const board = this.#svg;
    board.addEventListener("keydown", (event) => this.#key(event));
    board.addEventListener("pointerdown", (event) => this.#grab(event));
    board.addEventListener("pointermove", (event) => this.#pull(event));
    board.addEventListener("pointerup", (event) => this.#release(event));
    board.addEventListener("pointercancel", () => this.#stopDrag());
  }

  #key(event) {
    if (this.#focus === null || event.ctrlKey || event.altKey || event.metaKey) return;
    const turn = this.#flipped ? -1 : 1;
    const steps = { ArrowUp: -4 * turn, ArrowDown: 4 * turn, ArrowLeft: -turn, ArrowRight: turn };
    if (event.key in steps) {
      const next = this.#focus + steps[event.key];
      const sameRow = Math.floor((next - 1) / 4) === Math.floor((this.#focus - 1) / 4);
      if (next >= 1 && next <= 32 && (Math.abs(steps[event.key]) === 4 || sameRow)) this.#moveFocus(next, true);
    } else if (event.key === "Enter" || event.key === " ") {
      this.#fire("press", { square: this.#focus });
    } else return;
    event.preventDefault();
  }

  #grab(event) {
    const square = this.#squareAt(event);
    if (event.button !== 0 || square === null) return;
    event.preventDefault(); // no text selection while a piece is dragged
    this.#moveFocus(square, true, { preventScroll: true }); // the board must not move under the pointer
    this.#svg.setPointerCapture(event.pointerId);
    this.#drag = { square, x: event.clientX, y: event.clientY, piece: null };
  }

  #pull(event) {
    const drag = this.#drag;
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.piece && Math.hypot(dx, dy) > DRAG_PIXELS) {
      drag.piece = this.#pieces.get(drag.square) ?? null;
      drag.piece?.classList.add("dragged");
    }
    if (!drag.piece) return;
    const scale = (8 * CELL) / this.#svg.getBoundingClientRect().width;
    const [x, y] = this.#centre(drag.square);
    this.#layers.over.append(drag.piece);
    drag.piece.setAttribute("transform", `translate(${x + dx * scale}, ${y + dy * scale})`);
  }

  #release(event) {
    const drag = this.#drag;
    if (!drag) return;
    const to = this.#squareAt(event);
    this.#stopDrag();
    if (drag.piece && to !== drag.square) this.#fire("drop", { from: drag.square, to });
    else if (to === drag.square) this.#fire("press", { square: to });
  }

  #stopDrag() {
    const dragged = this.#drag?.piece;
    this.#drag = null;
    if (dragged) this.#draw();
  }

  #squareAt(event) {
    const box = this.#svg.getBoundingClientRect();
    let [column, row] = [event.clientX - box.left, event.clientY - box.top].map((at) => Math.floor((8 * at) / box.width));
    if (this.#flipped) [column, row] = [7 - column, 7 - row];
    if (column < 0 || column > 7 || row < 0 || row > 7 || (column + row) % 2 === 0) return null;
    return 4 * row + Math.floor(column / 2) + 1;
  }

  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
