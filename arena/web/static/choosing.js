// Choosing a move on a board, square by square.

// Legal moves have `path` (squares) and `captures` (squares of captured pieces).
export class MoveChooser {
  #board;
  #legal = [];
  #prefix = [];
  #chosen;
  #say;

  // chosen: called with the move that a person has chosen. say: called with a line for the person.
  constructor(board, { chosen, say }) {
    this.#board = board;
    this.#chosen = chosen;
    this.#say = say;
    board.addEventListener("press", (event) => this.#press(event.detail.square));
    board.addEventListener("drop", (event) => this.#drop(event.detail));
  }

  // Offer these legal moves; an empty list offers nothing.
  offer(legal) {
    this.#legal = legal;
    this.clear();
  }

  // Forget the squares chosen so far.
  clear() {
    this.#prefix = [];
    this.#mark();
  }

  #origins() {
    return [...new Set(this.#legal.map((move) => move.path[0]))];
  }

  #candidates() {
    return this.#legal.filter((move) => this.#prefix.every((square, index) => move.path[index] === square));
  }

  #press(square) {
    if (!this.#legal.length) return;
    if (this.#prefix.length) {
      const candidates = this.#candidates();
      const next = candidates.filter((move) => move.path[this.#prefix.length] === square);
      const last = candidates.filter((move) => move.path.at(-1) === square && move.path.length > this.#prefix.length);
      if (next.length) return this.#extend(square, next);
      if (last.length === 1) return this.#finish(last[0]);
      if (last.length > 1) return this.#say("Several captures lead there: choose the squares on the way.");
      if (square === this.#prefix[0]) return this.clear();
    }
    if (this.#origins().includes(square)) {
      this.#prefix = [square];
      this.#mark();
    } else {
      this.clear();
      this.#say(this.#refusal(square));
    }
  }

  #drop({ from, to }) {
    if (!this.#legal.length) return;
    if (from !== this.#prefix[0]) this.#prefix = [];
    if (!this.#prefix.length) this.#press(from);
    if (this.#prefix.length && to !== null) this.#press(to);
  }

  #extend(square, candidates) {
    this.#prefix.push(square);
    if (candidates.length === 1) this.#finish(candidates[0]);
    else if (candidates.every((move) => move.path.length === this.#prefix.length)) this.#finish(candidates[0]);
    else this.#mark();
  }

  #finish(move) {
    this.#legal = [];
    this.clear();
    this.#chosen(move);
  }

  #refusal(square) {
    const captures = this.#legal[0].captures.length > 0;
    const origins = this.#origins().sort((first, second) => first - second);
    return captures
      ? `You must capture with the piece on ${origins.join(" or ")}.`
      : `The square ${square} has no piece of yours that can move.`;
  }

  #mark() {
    if (!this.#prefix.length) {
      this.#board.mark({ movable: this.#origins() });
      return;
    }
    const step = this.#prefix.length;
    const candidates = this.#candidates();
    const squares = candidates.flatMap((move) => [move.path[step], move.path.at(-1)]);
    this.#board.mark({
      chosen: this.#prefix[0],
      route: this.#prefix,
      targets: [...new Set(squares)],
      jumped: [...new Set(candidates.flatMap((move) => move.captures))],
    });
  }
}
