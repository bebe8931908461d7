
"use strict";
(() => {
  const viewer = document.getElementById("viewer");
  if (!viewer) return;
  const CELL = 44;
  const SVG = "http://www.w3.org/2000/svg";
  const [choice, board, status, list] = ["choice", "board", "status", "moves"].map((id) => document.getElementById(id));
  const games = [...document.querySelectorAll(".game")].map((element) => ({
    title: element.querySelector("h3").textContent,
    ...JSON.parse(element.querySelector("script").textContent),
  }));
  let game;
  let ply = 0;

  const draw = (name, attributes, content = "") => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = content;
    board.append(element);
  };
  const has = (mask, square) => ((mask >>> square) & 1) === 1;
  const squares = (mask, kings) =>
    [...Array(32).keys()].filter((square) => has(mask, square))
      .map((square) => (has(kings, square) ? "king on " : "") + (square + 1)).join(", ") || "none";
  const mover = (number) => ((game.first === "black") === (number % 2 === 1) ? "Black" : "White");
  const moveText = (number) => `${Math.ceil(number / 2)}${number % 2 ? "." : "..."} ${game.moves[number - 1]}`;

  function drawBoard() {
    const [black, white, kings] = game.boards.slice(3 * ply, 3 * ply + 3);
    const move = ply ? game.moves[ply - 1].split(/[-x]/).map(Number) : [];
    const touched = ply ? [move[0], move[move.length - 1]] : [];
    board.replaceChildren();
    draw("rect", { width: 8 * CELL, height: 8 * CELL, class: "light-square" });
    for (let square = 0; square < 32; square++) {
      const row = Math.floor(square / 4);
      const left = CELL * (2 * (square % 4) + 1 - (row % 2));
      const top = CELL * row;
      const look = touched.includes(square + 1) ? "moved" : "dark-square";
      draw("rect", { x: left, y: top, width: CELL, height: CELL, class: look });
      draw("text", { x: left + 3, y: top + 11, class: "number" }, square + 1);
      const colour = has(black, square) ? "black" : has(white, square) ? "white" : "";
      const centre = { cx: left + CELL / 2, cy: top + CELL / 2 };
      if (colour) draw("circle", { ...centre, r: 17, class: colour });
      if (colour && has(kings, square)) draw("circle", { ...centre, r: 9, class: "king" });
    }
    board.setAttribute("aria-label", `Board. Black: ${squares(black, kings)}. White: ${squares(white, kings)}.`);
  }

  function show(number) {
    ply = Math.max(0, Math.min(number, game.moves.length));
    drawBoard();
    const remark = ply && game.remarks[ply - 1] ? ` (${game.remarks[ply - 1]})` : "";
    const where = ply ? `Move ${ply} of ${game.moves.length}: ${mover(ply)} ${game.moves[ply - 1]}${remark}.` : "First board.";
    status.textContent = where + (ply === game.moves.length ? ` ${game.end}.` : "");
    for (const button of list.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    const current = ply ? list.children[ply - 1].firstChild : null;
    if (current) {
      current.setAttribute("aria-current", "true");
      const above = current.offsetTop - list.offsetTop;
      if (above < list.scrollTop || above > list.scrollTop + list.clientHeight - 40) list.scrollTop = above - 40;
    } else list.scrollTop = 0;
  }

  function open(number) {
    game = games[number];
    list.replaceChildren(...game.moves.map((_, index) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = moveText(index + 1);
      button.addEventListener("click", () => show(index + 1));
      item.append(button);
      return item;
    }));
    show(0);
  }

  const steps = {
    first: () => show(0),
    back: () => show(ply - 1),
    next: () => show(ply + 1),
    last: () => show(game.moves.length),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
  viewer.addEventListener("keydown", (event) => {
    if (event.target === choice || !(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    steps[keys[event.key]]();
  });
  for (const button of viewer.querySelectorAll("[data-step]")) {
    button.addEventListener("click", steps[button.dataset.step]);
  }
  games.forEach((each, number) => choice.add(new Option(each.title, number)));
  choice.addEventListener("change", () => open(Number(choice.value)));
  if (games.length) {
    viewer.hidden = false;
    open(0);
  }
})();
