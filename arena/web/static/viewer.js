// The page of a recorded game: stepping, playing, jumping, charts, exact values, and sharing.

import { BoardView } from "./board.js";
import { Chart } from "./chart.js";
import { get } from "./requests.js";

const PLAY_MS = 900;
const $ = (id) => document.getElementById(id);
const viewer = $("viewer");
const game = JSON.parse($("data").textContent);
const plies = game.moves.length;
const links = [...$("plies").querySelectorAll("a")];
const board = new BoardView($("board"));
const charts = [];
let known = { values: [], chances: [] };
let ply = 0;
let timer = null;

const isBlack = (number) => (game.first === "black") === (number % 2 === 1);
const numberOf = (number) => Math.ceil((number + (game.first === "black" ? 0 : 1)) / 2);
const squares = (move) => move.split(/[-x]/).map(Number);
const percent = (share) => `${Math.round(100 * share)} %`;
const moveText = (number) => `${numberOf(number)}${isBlack(number) ? "." : "..."} ${game.moves[number - 1]}`;

function describe() {
  const name = isBlack(ply) ? "Black" : "White";
  const end = ply === plies ? ` ${game.end}.` : "";
  $("status").textContent = ply ? `${moveText(ply)} (${name}), ply ${ply} of ${plies}.${end}` : `First position.${end}`;
  const score = ply ? game.scores[ply - 1] : null;
  const chance = ply ? known.chances[ply - 1] : null;
  $("remark").textContent = [
    ply ? game.remarks[ply - 1] : "",
    score === null || score === undefined ? "" : `score ${score > 0 ? "+" : ""}${Number(score.toPrecision(4))} for Black`,
    chance === null || chance === undefined ? "" : `win probability of Black ${percent(chance)}`,
  ].filter(Boolean).join(", ");
  $("notes").textContent = game.notes[ply];
  $("value").textContent = known.values[ply] ? `Endgame tables: ${known.values[ply]}.` : "";
}

function share() {
  $("fen").value = game.fens[ply];
  $("link").value = `${location.origin}${location.pathname}#ply=${ply}`;
  $("analyse").href = `/analysis?fen=${encodeURIComponent(game.fens[ply])}`;
}

function mark() {
  for (const link of $("plies").querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const list = $("plies");
  const current = links[ply - 1];
  if (!current) {
    list.scrollTop = 0;
    return;
  }
  current.setAttribute("aria-current", "true");
  const top = current.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - 60;
}

function show(number) {
  ply = Math.max(0, Math.min(number, plies));
  const move = ply ? squares(game.moves[ply - 1]) : [];
  board.show({ fen: game.fens[ply], lastMove: move });
  $("ply").value = ply;
  $("ply").setAttribute("aria-valuetext", ply ? moveText(ply) : "first position");
  describe();
  share();
  mark();
  for (const chart of charts) chart.show(ply);
  window.history.replaceState(null, "", ply ? `#ply=${ply}` : location.pathname + location.search);
  if (ply === plies) pause();
}

function pause() {
  clearInterval(timer);
  timer = null;
  const button = viewer.querySelector("[data-step=play]");
  button.textContent = "▶ Play";
  button.setAttribute("aria-label", "Play the game");
}

function play() {
  if (timer) {
    pause();
    return;
  }
  if (ply === plies) show(0);
  timer = setInterval(() => show(ply + 1), PLAY_MS);
  const button = viewer.querySelector("[data-step=play]");
  button.textContent = "⏸ Pause";
  button.setAttribute("aria-label", "Pause");
}

const steps = {
  first: () => show(0),
  back: () => show(ply - 1),
  next: () => show(ply + 1),
  last: () => show(plies),
  flip: () => board.flip(),
  play,
};
const keys = { ArrowLeft: "back", ArrowRight: "next", ArrowUp: "back", ArrowDown: "next", Home: "first", End: "last", " ": "play" };

function pressed(event) {
  const step = keys[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  if (event.key === " " && event.target.matches("button, a")) return;
  event.preventDefault();
  if (step !== "play") pause();
  steps[step]();
}

function fromAddress() {
  const found = /^#ply=(\d+)$/.exec(location.hash);
  show(found ? Number(found[1]) : 0);
}

// One line for each player that reported scores, in its own units: 1 is its largest score.
function drawScores() {
  const lines = [["Black", true, "first"], ["White", false, "second"]].map(([name, black, look]) => {
    const points = game.scores.map((score, index) => [index + 1, score])
      .filter(([number, score]) => score !== null && isBlack(number) === black);
    const sizes = points.map(([, score]) => Math.abs(score)).sort((one, other) => one - other);
    const unit = sizes[Math.floor(0.9 * (sizes.length - 1))] || sizes.at(-1) || 1;
    return { name: `${look === "first" ? "solid" : "dashed"}: by ${name}'s player`, look, points: points.map(([at, score]) => [at, score / unit]) };
  }).filter(({ points }) => points.length);
  if (lines.length) addChart("Evaluation, each player in its own units", lines, "for Black", "for White");
}

function drawChances() {
  const points = known.chances.map((chance, index) => [index + 1, chance]).filter(([, chance]) => chance !== null);
  const lines = [["Black", true, "first"], ["White", false, "second"]].map(([name, black, look]) => ({
    name: `${look === "first" ? "solid" : "dashed"}: by ${name}'s player`,
    look,
    points: points.filter(([number]) => isBlack(number) === black).map(([at, chance]) => [at, 2 * chance - 1]),
  })).filter((line) => line.points.length);
  if (lines.length) addChart("Win probability of Black", lines, "100 %", "0 %");
}

function addChart(title, lines, top, bottom) {
  const chart = new Chart($("charts"), { title, plies, lines, top, bottom, jump: (at) => { pause(); show(at); } });
  chart.show(ply);
  charts.push(chart);
}

viewer.addEventListener("click", (event) => {
  const step = event.target.closest("[data-step]")?.dataset.step;
  const copied = event.target.closest("[data-copy]")?.dataset.copy;
  if (step && step !== "play" && step !== "flip") pause();
  if (step) steps[step]();
  if (copied) {
    $(copied).select();
    navigator.clipboard?.writeText($(copied).value).then(() => { $("copied").textContent = "Copied."; }, () => {});
  }
});
$("ply").addEventListener("input", () => {
  pause();
  show(Number($("ply").value));
});
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", fromAddress);
links.forEach((link, index) => { link.textContent = moveText(index + 1); });
drawScores();
fromAddress();
get(`${viewer.dataset.address}/values`).then((answer) => {
  known = answer;
  drawChances();
  describe();
}, (error) => { $("value").textContent = error.message; });
