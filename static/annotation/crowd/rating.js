// The rating page: each answer is saved at once, and all of it works by keyboard.
// Without this script the page is a plain form.
import { followReader, watchReading } from "./reading.js";
import { restoreUnsaved, save } from "./saving.js";
import { answerOf, beginNumber, BESIDE_0, digitOf, handleOf, isSlider } from "./slider.js";

const form = document.getElementById("rating");
// What only some pages ask, such as a text to correct, has a script of its own.
const { script } = form.dataset;
const own = script ? await import(script) : null;
const isOwn = (row) => own?.isOwn(row) ?? false;
const rows = [...form.querySelectorAll("fieldset")];
const links = [...document.querySelectorAll(".map a")];
const narrow = matchMedia("(max-width: 52rem)");

// The hidden field of a slider speaks for it.
const speaks = ({ type, name, value }) =>
  type === "radio" || name === "comment" || (type === "hidden" && value !== "");

let typing;
form.addEventListener("change", ({ target }) => {
  if (speaks(target)) {
    clearTimeout(typing);
    save(target.name, target.value);
  }
  showProgress();
});

// A handle that is still being moved, a number that is still being typed.
form.addEventListener("input", ({ target }) => target.type === "hidden" && showProgress());

// A comment is saved while it grows, not with each letter.
form.elements.comment.addEventListener("input", ({ target }) => {
  clearTimeout(typing);
  typing = setTimeout(() => save(target.name, target.value), 1000);
});

// What is missing ---

function isAnswered(row) {
  if (isOwn(row)) return own.isAnswered(row);
  return isSlider(row) ? answerOf(row) !== "" : row.querySelector("input:checked") !== null;
}

function openRows() {
  return rows.filter((row) => !isAnswered(row));
}

// What the page says is in the form's data, for translators.
function say(words, values) {
  const fill = (said, [name, value]) => said.split(`{${name}}`).join(value);
  return Object.entries(values).reduce(fill, words);
}

function showProgress() {
  const left = openRows();
  const { left: someLeft, oneLeft, allAnswered } = form.dataset;
  const few = left.length ? oneLeft : allAnswered;
  const words = left.length > 1 ? say(someLeft, { n: left.length }) : few;
  document.getElementById("progress").textContent = words;
  showMap(left);
  const box = document.getElementById("missing");
  if (!box.hidden) fillMissing(box, left);
}

// The map above the texts: how far each of them is.
function showMap(left) {
  for (const link of links) {
    const total = rows.filter((row) => row.closest(link.hash)).length;
    const n = total - left.filter((row) => row.closest(link.hash)).length;
    const { textDone, textSome } = form.dataset;
    const begun = n ? say(textSome, { n, total }) : "";
    link.querySelector(".state").textContent = n === total ? textDone : begun;
    link.classList.toggle("done", n === total);
  }
}

function placeOf(row) {
  const card = row.closest(".card");
  const letter = card.dataset.name ?? card.id.slice("text-".length);
  return say(form.dataset.place, { letter, question: row.querySelector("legend").textContent });
}

function fillMissing(box, left) {
  box.hidden = left.length === 0;
  box.querySelector("h2").textContent = say(form.dataset.missing, { n: left.length });
  const items = left.map((row) => {
    const link = document.createElement("a");
    link.href = `#${row.id}`;
    link.textContent = placeOf(row);
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  box.querySelector("ul").replaceChildren(...items);
}

form.addEventListener("submit", (event) => {
  const isWhole = !event.submitter?.hasAttribute("formaction"); // not a report, not leaving
  const left = openRows();
  clearTimeout(typing);
  if (!left.length || !isWhole) return; // sending.js sends it
  event.preventDefault();
  const box = document.getElementById("missing");
  fillMissing(box, left);
  // By itself the focus would bring the middle of a long list into view.
  box.focus({ preventScroll: true });
  box.scrollIntoView();
});

document.getElementById("missing").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link) return;
  event.preventDefault();
  goTo(document.getElementById(link.hash.slice(1)));
});

// Keyboard ---

// The first answer of an open question takes the focus, as a list of radio buttons does.
// A ring around it would look like a proposal: the question has it until keys move it.
function goTo(row) {
  row.toggleAttribute("data-arrived", !isAnswered(row));
  const choice = () => row.querySelector("input:checked") ?? row.querySelector("input");
  const field = () => (isOwn(row) ? own.fieldOf(row) : choice());
  (isSlider(row) ? handleOf(row) : field()).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

// Whether the question can be seen, or most of what the window holds of a very high one.
// The bars at the top, and the strip at the foot of a phone, cover what lies under them.
// Questions beside a long text may have to be scrolled themselves.
function isInView(row) {
  const covers = document.querySelectorAll(narrow.matches ? ".bar-top, .map, .prompt" : ".bar-top, .map");
  const box = row.parentElement.getBoundingClientRect();
  const above = Math.max(box.top, ...[...covers].map((bar) => bar.getBoundingClientRect().bottom));
  const strip = narrow.matches ? document.getElementById("status").offsetHeight : 0;
  const below = Math.min(box.bottom, innerHeight - strip);
  const { top, bottom, height } = row.getBoundingClientRect();
  const seen = Math.min(bottom, below) - Math.max(top, above);
  return seen >= Math.min(height - 2, 0.8 * (below - above));
}

// The next open question, from the top again after the last; then the button.
function goOnFrom(row) {
  const left = openRows();
  const after = left.find((other) => row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = after ?? left[0];
  if (!next) return form.querySelector("button.primary").focus();
  goTo(next);
  const card = next.closest(".card");
  // A new text is there to be read first.
  if (card !== row.closest(".card")) card.scrollIntoView({ block: "start" });
}

// No key says 10 or 11: on from 9 go 0, if it is no answer itself, and the key beside it.
function rate(row, digit) {
  const by = row.querySelector("[data-key]") ? "data-key" : "value";
  const choose = (value) => row.querySelector(`input[${by}="${value}"]`);
  const after9 = choose("0") ? [BESIDE_0] : ["0", BESIDE_0];
  const input = choose(digit) ?? (after9.includes(digit) && choose(10 + after9.indexOf(digit)));
  if (!input) return;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  goOnFrom(row);
}

function press(row, digit) {
  if (isOwn(row)) return;
  if (!isSlider(row)) rate(row, digit);
  else if (digit !== BESIDE_0) beginNumber(row);
}

function onDigit(digit) {
  const row = document.activeElement.closest("fieldset");
  if (row && isInView(row)) press(row, digit);
  // Rating a question out of sight would surprise: the first press brings it into view.
  else if (row) goTo(row);
  else goToOpenRow(document.activeElement.closest(".card"));
}

// Of the text that a link of the map led to, else of the page.
function goToOpenRow(card) {
  const left = openRows();
  const next = left.find((row) => card?.contains(row)) ?? left[0];
  if (next) goTo(next);
}

// In a question out of sight these keys would change its answer. They scroll instead, as
// they do everywhere else: someone reads the text above it.
const SCROLLS = { ArrowDown: 0.08, ArrowUp: -0.08, " ": 0.85 }; // of the window
const MOVES = ["PageUp", "PageDown", "Home", "End"]; // a handle
function scrollInstead(event) {
  const row = event.target.closest("fieldset");
  if (!["radio", "range"].includes(event.target.type)) return;
  if (isInView(row) && !(event.key in SCROLLS && isBesideUnread(row))) return;
  if (event.key in SCROLLS) scrollBy({ top: SCROLLS[event.key] * innerHeight });
  else if (event.key.startsWith("Arrow")) goTo(row);
  else if (event.target.type === "range" && MOVES.includes(event.key)) goTo(row);
  else return;
  event.preventDefault();
}

// Beside a long text its questions are in view before it is read: where keys only brought
// the focus, they still scroll.
function isBesideUnread(row) {
  return row.hasAttribute("data-arrived") && getComputedStyle(row.parentElement).position === "sticky";
}

form.addEventListener("keydown", scrollInstead, { capture: true }); // before a slider acts
form.addEventListener("keydown", ({ key, target, defaultPrevented }) => {
  if (defaultPrevented || !key.startsWith("Arrow")) return;
  target.closest("fieldset")?.removeAttribute("data-arrived");
});
form.addEventListener("focusout", ({ target }) => {
  target.closest("fieldset")?.removeAttribute("data-arrived");
});
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("fieldset input")) return;
  event.preventDefault();
  if (openRows().length) goOnFrom(event.target.closest("fieldset"));
  else form.requestSubmit(form.querySelector("button.primary"));
});

document.addEventListener("keydown", (event) => {
  // Such as a digit that has chosen something in a dialog, which it closed by that.
  if (event.defaultPrevented) return;
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("textarea, [type=number]")) return;
  if (event.repeat) return; // a key held down would rate one question after the other
  const digit = digitOf(event);
  if (digit !== null) onDigit(digit);
  else if (["?", "؟", "？"].includes(event.key)) document.getElementById("keys").showModal();
});

// Dialogs ---

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  const closer = event.target.closest("[data-closes]");
  if (!opener && !closer) return;
  event.preventDefault();
  if (opener) document.getElementById(opener.dataset.opens).showModal();
  else closer.closest("dialog").close();
});

// On a phone the prompt begins folded: its first words stay in sight.
const prompt = document.querySelector(".prompt details");
const fold = () => prompt && (prompt.open = !narrow.matches);
narrow.addEventListener("change", fold);

fold();
// Most people write nothing: what counts pastes comes with the first text field.
form.elements.writing.value ||= "0:0:0";
form.addEventListener("focusin", async function begin({ target }) {
  if (target.tagName !== "TEXTAREA") return;
  form.removeEventListener("focusin", begin);
  (await import("./writing.js")).watchWriting(form);
});
const template = document.getElementById("insert");
if (template) (await import("./insert.js")).insert(template);
const cards = [...form.querySelectorAll(".card")];
const read = cards.map((card) => card.querySelector("[data-read]") ?? card.querySelector(".text"));
watchReading(form.elements.visible, read);
followReader(links);
const ownRows = rows.filter(isOwn);
for (const row of ownRows) own.setUp(row, showProgress, save);
restoreUnsaved();
ownRows.forEach((row) => own.refresh(row));
showProgress();
dispatchEvent(new Event("listening")); // for early.js
