// What is being read: for how long, and where that is on the map of the page.
//
// How long each text was in view of someone who is there: the page is in front, no
// dialog lies over it, and a key, a finger or the mouse has moved not long ago. Texts in
// view together share the time: nobody reads two at once, and the sum is the page's.
const TICK = 500; // ms
const AWAY = 45_000; // ms without any sign of life: a long text is read without one
const ENOUGH = 0.25; // of the text, or of the screen, counts as in view

let field; // the hidden input that a save and the form take along
const times = new Map(); // position -> ms
const positions = new Map(); // element -> its position on the page
const inView = new Set();
let lastSign = performance.now();
let lastTick = lastSign;

export function watchReading(input, texts) {
  field = input;
  // A reload, or another device, continues from what the server knows.
  for (const [position, ms] of input.value.split(" ").map((pair) => pair.split(":"))) {
    if (ms) times.set(position, Number(ms));
  }
  const observer = new IntersectionObserver(note, { threshold: [0, 0.25, 0.5, 0.75, 1] });
  for (const [index, text] of [...texts].entries()) {
    positions.set(text, String(index + 1));
    observer.observe(text);
  }
  for (const sign of ["scroll", "pointermove", "pointerdown", "keydown", "touchmove", "focus"]) {
    addEventListener(sign, () => (lastSign = performance.now()), { capture: true, passive: true });
  }
  setInterval(tick, TICK);
}

function note(changes) {
  for (const { target, intersectionRatio, intersectionRect } of changes) {
    const seen = intersectionRatio >= ENOUGH || intersectionRect.height >= ENOUGH * innerHeight;
    if (seen) inView.add(positions.get(target));
    else inView.delete(positions.get(target));
  }
}

function tick() {
  const now = performance.now();
  // After a sleep of the device one tick is hours long.
  const passed = Math.min(now - lastTick, 2 * TICK);
  lastTick = now;
  if (document.hidden || now - lastSign > AWAY || document.querySelector("dialog[open]")) return;
  const share = passed / inView.size;
  for (const position of inView) times.set(position, (times.get(position) ?? 0) + share);
  if (inView.size) field.value = [...times].map(([at, ms]) => `${at}:${Math.round(ms)}`).join(" ");
}

// The map ----------------------------------------------------------------------------------

const HELD = 0.25; // of the window: so far a page may scroll before the focus counts no more
let links; // of the map, in the order of the texts
let cards;
let held; // the text that took the focus
let heldAt; // how far the page was scrolled then
let asked = false;

export function followReader(all) {
  links = all;
  cards = links.map((link) => document.querySelector(link.hash));
  if (!cards.length) return;
  addEventListener("scroll", askLater, { passive: true });
  addEventListener("resize", askLater);
  document.addEventListener("focusin", ({ target }) => {
    held = cards.find((card) => card.contains(target));
    heldAt = null; // not before it is scrolled into view
    askLater();
  });
  askLater();
}

function askLater() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    point(links[cards.indexOf(whereReaderIs())]);
  });
}

// At the text that just took the focus, else at the one that crosses a line in the window.
// The line goes down as the page does: so the last texts have their turn, too.
function whereReaderIs() {
  heldAt ??= scrollY;
  if (held && Math.abs(scrollY - heldAt) <= HELD * innerHeight) return held;
  held = null;
  const above = links[0].closest("nav").getBoundingClientRect().bottom;
  const way = document.documentElement.scrollHeight - innerHeight;
  const line = above + (innerHeight - above) * (way > 0 ? scrollY / way : 0);
  return cards.findLast((card) => card.getBoundingClientRect().top <= line) ?? cards[0];
}

function point(link) {
  if (link.hasAttribute("aria-current")) return;
  for (const other of links) other.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  // Into view along the strip alone: the page itself must not move.
  const strip = link.closest("ul");
  const [box, room] = [link, strip].map((one) => one.getBoundingClientRect());
  if (box.left < room.left) strip.scrollBy({ left: box.left - room.left });
  else if (box.right > room.right) strip.scrollBy({ left: box.right - room.right });
}
