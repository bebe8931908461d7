// Fetches the page again after a change of the database, and replaces the parts with the attribute data-live.

const REST = 4; // pauses between two fetches are at least this many times the length of a fetch
const SHORTEST = 1500; // ms between two fetches
let source = null;
let running = false;
let isStale = false;

const parts = () => [...document.querySelectorAll("[data-live][id]")];

function replaced(old, fresh) {
  const open = new Set([...old.querySelectorAll("details[open]")].map((each) => each.id));
  const scrolled = [...old.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  for (const each of fresh.querySelectorAll("details")) if (each.id && open.has(each.id)) each.open = true;
  old.replaceChildren(...fresh.childNodes);
  [...old.querySelectorAll(".scroll")].forEach((each, place) => { each.scrollLeft = scrolled[place] ?? 0; });
  if (focused) document.getElementById(focused)?.focus();
  old.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
}

async function refresh() {
  if (running) {
    isStale = true;
    return;
  }
  running = true;
  isStale = false;
  const start = performance.now();
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html", Prefer: "wait" } });
    if (response.headers.get("Content-Type")?.startsWith("text/html")) {
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      document.title = fresh.title;
      for (const old of parts()) {
        const found = fresh.getElementById(old.id) ?? (response.ok ? null : fresh.getElementById("content"));
        const isNews = response.ok || "waiting" in old.dataset;
        if (found && isNews && found.innerHTML !== old.dataset.seen) {
          old.dataset.seen = found.innerHTML;
          delete old.dataset.waiting;
          replaced(old, document.adoptNode(found));
        }
      }
    }
  } catch { /* the server is gone; the event stream tries again */ }
  setTimeout(() => {
    running = false;
    if (isStale) refresh();
  }, Math.max(SHORTEST, REST * (performance.now() - start)));
}

function listen() {
  source = new EventSource("/live");
  source.addEventListener("change", refresh);
}

if (parts().length) {
  for (const part of parts()) part.dataset.seen = part.innerHTML;
  listen();
  if (document.querySelector("[data-waiting]")) refresh();
  document.addEventListener("visibilitychange", () => { // browsers allow six connections to a server, for all tabs
    source?.close();
    source = null;
    if (!document.hidden) {
      listen();
      refresh();
    }
  });
}
