// The form that begins a game.

import { RequestError, post } from "./requests.js";

const form = document.getElementById("new");
const level = document.getElementById("level");
const message = document.getElementById("message");

function takeLevel() {
  form.elements.against.value = level.value;
}

level.addEventListener("change", takeLevel);
form.elements.against.addEventListener("input", () => {
  level.value = [...level.options].some((option) => option.value === form.elements.against.value) ? form.elements.against.value : "";
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  const { against, side, minutes, increment, name, start } = form.elements;
  const body = { against: against.value, side: side.value, name: name.value };
  if (minutes.value) body.clock = 60 * Number(minutes.value);
  if (increment.value) body.increment = Number(increment.value);
  if (start.value.trim()) body.start = start.value.trim();
  button.disabled = true;
  message.textContent = "";
  try {
    const game = await post("/api/play", body);
    location.assign(`/play/${game.id}`);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    message.textContent = error.message;
    button.disabled = false;
  }
});
