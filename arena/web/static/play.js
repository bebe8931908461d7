// The page on which a person plays a game. The server holds the game; this page shows it and sends actions.

import { BoardView, drawPiece, svg } from "./board.js";
import { MoveChooser } from "./choosing.js";
import { drawCurve } from "./curve.js";
import { RequestError, get, post } from "./requests.js";

const THINKING_MS = 300;
const WAITING_MS = 2000;
const HIDDEN_MS = 10000;

const $ = (id) => document.getElementById(id);
const address = `/api/play/${$("game").dataset.game}`;
const other = { black: "white", white: "black" };
const titled = (word) => word[0].toUpperCase() + word.slice(1);
const percent = (value) => `${Math.round(100 * value)} %`;

let state = null;
let received = 0; // time at which the state arrived, for the clocks
let shown = []; // texts of the moves that the board shows
let busy = false; // whether an action of this page is under way
let timer = null;

const board = new BoardView($("board"), { interactive: true });
const chooser = new MoveChooser(board, { chosen: play, say });

function say(text, kind = "") {
  $("message").textContent = text;
  $("message").className = kind;
}

// Show a state. Moves that are new are animated one after the other.
async function show(next) {
  const first = state === null;
  state = next;
  received = performance.now();
  if (first && state.person === "black") board.flip();
  const texts = state.moves.map((move) => move.text);
  const isContinued = !first && shown.length < texts.length && shown.every((text, ply) => text === texts[ply]);
  if (isContinued) {
    for (const move of state.moves.slice(shown.length)) {
      await board.animate(move.path, move.captures);
      board.show({ fen: move.fen, lastMove: move.path });
    }
  } else if (first || shown.length !== texts.length || shown.some((text, ply) => text !== texts[ply])) {
    board.show({ fen: state.fen, lastMove: state.moves.at(-1)?.path });
  }
  shown = texts;
  chooser.offer(state.legal);
  showSides();
  showStatus();
  showMoves();
  showProbability();
}

function showSides() {
  const bottom = board.flipped ? "black" : "white";
  for (const [place, side] of [["top", other[bottom]], ["bottom", bottom]]) {
    const bar = $(place);
    bar.classList.toggle("turn", state.turn !== null && state.side === side);
    const pieces = Array.from({ length: state.captured[side] }, () => smallPiece(other[side]));
    bar.querySelector(".disc").replaceChildren(smallPiece(side));
    bar.querySelector(".name").textContent = state.names[side];
    bar.querySelector(".kings").textContent = `${state.kings[side]} ${state.kings[side] === 1 ? "king" : "kings"}`;
    bar.querySelector(".captured").replaceChildren(...pieces);
    bar.querySelector(".captured").setAttribute("aria-label", `captured ${state.captured[side]}`);
    bar.querySelector(".clock").hidden = state.clock === null;
    bar.querySelector(".clock").dataset.side = side;
  }
  showClocks();
}

function smallPiece(colour) {
  return svg("svg", { class: "small", viewBox: "-44 -44 88 88", "aria-hidden": "true" }, drawPiece({ colour, king: false }));
}

function showClocks() {
  if (!state?.clock) return;
  const gone = state.clock.running && state.started ? (performance.now() - received) / 1000 : 0;
  for (const clock of document.querySelectorAll(".clock")) {
    const side = clock.dataset.side;
    const left = Math.max(state.clock[side] - (side === state.clock.running ? gone : 0), 0);
    const [minutes, seconds] = [Math.floor(left / 60), Math.floor(left % 60)];
    clock.textContent = left < 10 ? `${left.toFixed(1)} s` : `${minutes}:${String(seconds).padStart(2, "0")}`;
    clock.classList.toggle("short", left < 10);
  }
}

function showStatus() {
  const { ending, turn } = state;
  $("status").textContent = ending ? verdict(ending) : turn === "person" ? personsTurn() : opponentsTurn();
  $("status").className = ending ? "over" : turn;
  $("number").textContent = ending ? `after ${state.moves.length} plies` : `move ${Math.floor(state.moves.length / 2) + 1}`;
  $("notices").textContent = [...state.notices, ...state.changes.map((line) => `the opponent has changed: ${line}`)].join("; ");
  $("problem").textContent = state.problem ?? "";
  $("problem").hidden = !state.problem;
  const canAct = turn === "person" && !busy;
  for (const id of ["hint", "draw"]) $(id).disabled = !canAct;
  $("undo").disabled = !canAct || !state.moves.some((_, ply) => moverOf(ply) === state.person);
  $("resign").disabled = ending !== null || busy;
  $("typed").querySelector("input").disabled = turn !== "person";
  $("help").textContent = `hints ${state.hints}, plies taken back ${state.undone}`;
  $("recorded").hidden = !state.recorded;
  if (state.recorded) {
    $("recorded").querySelector("a").href = `/games/${state.recorded}`;
    $("recorded").querySelector("a").textContent = `Look at the recorded game ${state.recorded}`;
  }
}

const moverOf = (ply) => ((state.start[0] === "B") === (ply % 2 === 0) ? "black" : "white");

function personsTurn() {
  const must = state.legal.some((move) => move.captures.length) ? ": you must capture" : "";
  return `Your turn (${titled(state.person)})${must}.`;
}

function opponentsTurn() {
  return state.started ? `${state.opponent} is thinking …` : `${state.opponent} is starting …`;
}

function verdict(ending) {
  const result = { won: "You won", lost: "You lost", draw: "A draw" }[ending.person];
  if (ending.forfeited_by === null) return `${result}: ${ending.result} (${ending.termination}).`;
  const loser = ending.forfeited_by === state.person ? "you" : state.opponent;
  return `${result}: ${ending.result}. Forfeit by ${loser} (${ending.termination}): ${ending.reason ?? ""}`;
}

function showMoves() {
  const list = $("moves");
  const cells = moverOf(0) === "white" ? ["…"] : [];
  cells.push(...state.moves.map((move) => move.text));
  const rows = [];
  for (let start = 0; start < cells.length; start += 2) {
    const row = document.createElement("li");
    for (const [index, text] of cells.slice(start, start + 2).entries()) {
      const move = document.createElement("span");
      move.textContent = text;
      move.classList.toggle("latest", start + index === cells.length - 1);
      row.append(move);
    }
    rows.push(row);
  }
  list.replaceChildren(...rows);
  list.scrollTop = list.scrollHeight;
}

function showProbability() {
  const { values, games, needed, problem } = state.probability;
  const last = values.findLast((value) => value !== null) ?? null;
  drawCurve($("curve"), values);
  $("chance").textContent = last === null ? "–" : percent(last);
  const text = last === null ? "unknown" : `${percent(last)} now`;
  $("curve").setAttribute("aria-label", `Your win probability after each ply: ${text}`);
  $("chance-note").textContent =
    problem ??
    (last !== null
      ? `By the scores of ${state.opponent} in ${games} recorded games.`
      : games < needed
        ? `It needs ${needed} recorded games in which ${state.opponent} reported scores; there are ${games}.`
        : "It is known after your opponent's first move.");
}

// Do something that the server answers with a state. A state is shown even if the position had changed meanwhile.
async function act(name, body = {}) {
  busy = true;
  showStatus();
  try {
    return await post(`${address}/${name}`, { version: state.version, ...body });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    say(error.message, "error");
    return error.body?.state ?? null;
  } finally {
    busy = false;
  }
}

async function actAndShow(name, body) {
  say("");
  const next = await act(name, body);
  await show(next ?? state);
  if (next?.message) say(next.message);
  schedule();
}

async function play(move) {
  say("");
  const sent = act("move", { move: move.path.join(move.captures.length ? "x" : "-") });
  await board.animate(move.path, move.captures);
  const next = await sent;
  if (next?.moves.at(-1)?.fen === next?.fen && next?.moves.length === shown.length + 1) {
    shown = next.moves.map((each) => each.text); // it is animated already
    board.show({ fen: next.fen, lastMove: next.moves.at(-1).path });
  } else board.show({ fen: state.fen, lastMove: state.moves.at(-1)?.path });
  await show(next ?? state);
  schedule();
}

async function hint() {
  say(`Asking ${$("adviser").value || "minimax"} …`);
  const advice = await act("hint", $("adviser").value ? { player: $("adviser").value } : {});
  showStatus();
  if (!advice?.move) return;
  chooser.clear();
  board.mark({ hint: advice.move.path });
  const facts = [
    advice.score === null ? null : `score ${advice.score >= 0 ? "+" : ""}${advice.score.toFixed(2)}`,
    advice.depth === null ? null : `depth ${advice.depth}`,
    advice.probability === null ? null : `win probability ${percent(advice.probability)}`,
  ].filter(Boolean);
  say(`${advice.player} would play ${advice.move.text}${facts.length ? ` (${facts.join(", ")})` : ""}.`);
  schedule();
}

// Ask for the state again and again: often while the opponent thinks.
async function poll() {
  clearTimeout(timer);
  if (!busy) {
    try {
      const next = await get(state ? `${address}?have=${state.revision}` : address);
      if (next && !busy) {
        if ($("message").className === "offline") say("");
        await show(next);
      }
      if (state && !state.started && !state.ending) await post(`${address}/start`);
      $("offline").hidden = true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      $("offline").hidden = false;
      $("offline").textContent = error.status === 0 ? "The server does not answer. This page tries again." : error.message;
    }
  }
  schedule();
}

function schedule() {
  clearTimeout(timer);
  const waits = state?.turn === "opponent" || (state && !state.started && !state.ending);
  timer = setTimeout(poll, document.hidden ? HIDDEN_MS : waits ? THINKING_MS : WAITING_MS);
}

$("hint").addEventListener("click", hint);
$("undo").addEventListener("click", () => actAndShow("undo"));
$("draw").addEventListener("click", () => actAndShow("draw"));
$("resign").addEventListener("click", () => $("confirm").showModal());
$("confirm").addEventListener("close", () => {
  if ($("confirm").returnValue === "resign") actAndShow("resign");
});
$("flip").addEventListener("click", () => {
  board.flip();
  showSides();
});
$("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = $("typed").querySelector("input");
  if (!input.value.trim() || state?.turn !== "person") return;
  actAndShow("move", { move: input.value });
  input.value = "";
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") chooser.clear();
});
document.addEventListener("visibilitychange", () => document.hidden || poll());
setInterval(showClocks, 100);
poll();
