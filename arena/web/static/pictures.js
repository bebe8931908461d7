// Fetches the pictures of a page when the reader scrolls to them. An older picture stays until the new one has arrived.

const drawn = new Map(); // path -> the newest SVG element

const pathOf = (address) => address.split("?")[0];

function place(holder, svg) {
  holder.classList.remove("pending");
  holder.replaceChildren(document.importNode(svg, true));
}

async function load(holder) {
  const address = holder.dataset.picture;
  const response = await fetch(address).catch(() => null);
  if (!response?.ok) {
    const problem = await response?.json().catch(() => null);
    if (!drawn.has(pathOf(address))) holder.textContent = problem?.error ?? "The picture cannot be drawn.";
    return;
  }
  const parsed = new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement;
  if (parsed.localName !== "svg") return;
  drawn.set(pathOf(address), parsed);
  place(holder, parsed);
}

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      near.unobserve(target);
      load(target);
    }
  }
}, { rootMargin: "50%" });

function watch(root) {
  for (const holder of root.querySelectorAll("[data-picture]")) {
    const older = drawn.get(pathOf(holder.dataset.picture));
    if (older) place(holder, older);
    near.observe(holder);
  }
}

watch(document);
document.addEventListener("replaced", (event) => watch(event.target));
