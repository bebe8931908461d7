// The analysis board: set up or paste a position, play moves, and ask players and the endgame tables.

import { BoardView, parseFen, writeFen } from "./board.js";
import { MoveChooser } from "./choosing.js";
import { RequestError, get, post } from "./requests.js";

const MOST_PLAYERS = 4;
const $ = (id) => document.getElementById(id);
const board = new BoardView($("board"), { interactive: true });
const chooser = new MoveChooser(board, { chosen: (move) => go(move.fen, move), say: (text) => ($("message").textContent = text) });
const titled = (word) => word[0].toUpperCase() + word.slice(1);

let position = null; // {fen, side, moves} as the server describes it
let history = []; // positions before this one
let draft = null; // pieces that are set up, by square; null if moves are played

function element(name, text, ...children) {
  const created = document.createElement(name);
  if (text) created.textContent = text;
  created.append(...children);
  return created;
}

// Show the position of a FEN; `move` leads to it.
async function go(fen, move = null) {
  $("message").textContent = "";
  if (move) await board.animate(move.path, move.captures);
  let next;
  try {
    next = await get(`/api/position?fen=${encodeURIComponent(fen)}`);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    $("message").textContent = error.message;
    if (position && !draft) board.show({ fen: position.fen });
    return;
  }
  if (move) history.push(position);
  position = next;
  show(move?.path ?? []);
}

function show(lastMove) {
  draft = null;
  showPalette(false);
  board.show({ fen: position.fen, lastMove });
  chooser.offer(position.moves);
  $("fen").value = position.fen;
  $("back").disabled = !history.length;
  $("analyse").disabled = !position.moves.length;
  $("status").textContent = position.moves.length
    ? `${titled(position.side)} to move.`
    : `${titled(position.side)} has no move and has lost.`;
  $("results").replaceChildren();
  window.history.replaceState(null, "", `?fen=${encodeURIComponent(position.fen)}`);
  showMoves({});
  showValues(position.fen);
}

const valueText = ({ outcome, plies }) => (outcome === "draw" ? "draw" : `${outcome} in ${plies} ${plies === 1 ? "ply" : "plies"}`);

async function showValues(fen) {
  $("exact").textContent = "";
  try {
    const { value, moves } = await get(`/api/position/values?fen=${encodeURIComponent(fen)}`);
    if (fen !== position.fen || draft) return;
    if (value) $("exact").textContent = `Endgame tables: ${valueText(value)} for ${position.side}.`;
    showMoves(moves);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    $("exact").textContent = error.message;
  }
}

function showMoves(values) {
  $("legal").replaceChildren(
    ...position.moves.map((move) => {
      const value = values[move.path.join("-")];
      const button = element("button", move.text);
      button.type = "button";
      button.addEventListener("click", () => go(move.fen, move));
      return element("li", "", button, element("span", value ? ` ${valueText(value)}` : ""));
    }),
  );
}

// Setting up pieces.

function showPalette(visible) {
  $("palette").hidden = !visible;
  $("setup").textContent = visible ? "Use this position" : "Set up pieces";
}

function startDraft() {
  draft = parseFen(position.fen).pieces;
  document.querySelector(`[name=side][value=${position.side}]`).checked = true;
  showPalette(true);
  chooser.offer([]);
  showDraft();
}

const draftFen = () => writeFen(document.querySelector("[name=side]:checked").value, draft);

function showDraft() {
  board.show({ fen: draftFen() });
  $("fen").value = draftFen();
  $("status").textContent = "Setting up pieces.";
  $("exact").textContent = "";
  $("results").replaceChildren();
  $("legal").replaceChildren();
}

function put(square) {
  const [colour, kind] = document.querySelector("[name=piece]:checked").value.split(" ");
  const old = draft.get(square);
  if (old && old.colour === colour && old.king === (kind === "king")) draft.delete(square);
  else draft.set(square, { colour, king: kind === "king" });
  showDraft();
}

board.addEventListener("press", (event) => draft && put(event.detail.square));
board.addEventListener("drop", ({ detail: { from, to } }) => {
  if (!draft) return;
  const piece = draft.get(from);
  draft.delete(from);
  if (to !== null) draft.set(to, piece);
  showDraft();
});
$("setup").addEventListener("click", () => {
  if (draft) {
    history = [];
    go(draftFen());
  } else if (position) startDraft();
});
for (const input of document.querySelectorAll("[name=side]")) input.addEventListener("change", () => draft && showDraft());
$("clear").addEventListener("click", () => {
  draft.clear();
  showDraft();
});
$("initial").addEventListener("click", () => {
  draft = parseFen("B:W21-32:B1-12").pieces;
  showDraft();
});
$("position").addEventListener("submit", (event) => {
  event.preventDefault();
  history = [];
  go($("fen").value);
});
$("back").addEventListener("click", () => {
  position = history.pop();
  show([]);
});
$("flip").addEventListener("click", () => board.flip());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !draft) chooser.clear();
});

// Players.

$("more").addEventListener("click", () => {
  const number = $("players").querySelectorAll("input").length + 1;
  const input = $("player-1").cloneNode();
  input.id = `player-${number}`;
  input.value = "";
  input.setAttribute("aria-label", `Player ${number} that analyses`);
  $("players").append(input);
  $("more").disabled = number >= MOST_PLAYERS;
  input.focus();
});

$("task").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (draft) {
    history = [];
    await go(draftFen());
    if (draft) return;
  }
  const fen = position.fen;
  const players = [...$("players").querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
  $("analyse").disabled = true;
  const cards = players.map((player) => element("article", "", element("h3", player), element("p", "is thinking …")));
  $("results").replaceChildren(...cards);
  await Promise.all(players.map((player, index) => analyse(fen, player, cards[index])));
  if (position.moves.length) $("analyse").disabled = false;
});

async function analyse(fen, player, card) {
  try {
    const result = await post("/api/analysis", { position: fen, player, seconds: Number($("seconds").value) });
    card.replaceChildren(element("h3", result.player), ...described(result));
    if (fen === position.fen && !draft) board.mark({ hint: result.move.path });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const line = element("p", error.message);
    line.className = "error";
    card.replaceChildren(element("h3", player), line);
  }
}

function described({ move, score, depth, nodes, seconds, line, probability }) {
  const facts = [
    score === null ? "no score" : `score ${score >= 0 ? "+" : ""}${score.toFixed(2)} for ${position.side}`,
    probability === null ? "" : `win probability ${Math.round(100 * probability)} %`,
    depth === null ? "" : `depth ${depth}`,
    nodes === null ? "" : `${nodes.toLocaleString("en")} nodes`,
    `${seconds.toFixed(1)} s`,
  ];
  const parts = [element("p", "", element("strong", move.text), ` ${facts.filter(Boolean).join(", ")}`)];
  if (line.length) {
    const list = element("p", "Line:");
    list.className = "line";
    for (const [index, step] of line.entries()) {
      const button = element("button", step.text);
      button.type = "button";
      button.addEventListener("click", () => follow(line.slice(0, index + 1)));
      list.append(" ", button);
    }
    parts.push(list);
  }
  return parts;
}

// Play the first moves of a line. They can be taken back one by one.
async function follow(steps) {
  for (const step of steps) await go(step.fen, { path: step.path, captures: [] });
}

go($("analysis").dataset.start);
