// A slider that starts empty. Browsers show a range always with a value: so without a
// script there is a number to type, and this adds a slider whose handle stays hollow until
// the worker has set it. One hidden field carries the answer.

const CANNOT_SAY = "cannot-say";
const PAUSE = 400; // ms without a move of the handle, or another digit

// Rows that were set up: what the rating page may ask of them.
const sliders = new WeakMap();

export function isSlider(row) {
  return sliders.has(row);
}

// What the row sends: a number, "cannot-say", or nothing.
export function answerOf(row) {
  return sliders.get(row).field.value;
}

// Where the focus goes when the keys reach the row.
export function handleOf(row) {
  return sliders.get(row).range;
}

// A digit that is being pressed on the row begins a number: the browser writes it where
// the focus is by then.
export function beginNumber(row) {
  const { number } = sliders.get(row);
  number.value = "";
  number.focus();
}

// An answer that was kept on this device; returns what is answered now.
export function restore(row, value) {
  const parts = sliders.get(row);
  const isOne = value === CANNOT_SAY ? parts.box : isWhole(parts, value);
  if (isOne) parts.field.value = value;
  show(parts);
  return parts.field.value;
}

export function setUp(rows) {
  for (const row of rows) if (!sliders.has(row)) setUpOne(row);
}

function setUpOne(row) {
  const number = row.querySelector("input[type=number]");
  const box = row.querySelector("input[type=checkbox]"); // cannot say, where it is offered
  const words = row.querySelector(".slider");
  const range = makeRange(row, number, words.dataset.label);
  const field = makeField(number, box);
  words.querySelector(".ends").before(range);
  const parts = { row, number, box, range, field, words: words.dataset, state: words.querySelector(".state") };
  sliders.set(row, parts);
  range.addEventListener("input", () => answer(parts, range.value));
  // Where the handle already lies, a press moves nothing: it is an answer all the same.
  range.addEventListener("click", (event) => !isAnswered(parts) && answer(parts, at(range, event)));
  range.addEventListener("keydown", (event) => onKey(parts, event));
  range.addEventListener("blur", () => say(parts));
  number.addEventListener("input", () => isWhole(parts, number.value) && answer(parts, String(Number(number.value))));
  number.addEventListener("blur", () => onTyped(parts));
  box?.addEventListener("change", () => onBox(parts));
  show(parts);
}

function makeRange(row, number, label) {
  const range = document.createElement("input");
  Object.assign(range, { type: "range", min: number.min, max: number.max, step: 1 });
  range.value = (Number(number.min) + Number(number.max)) / 2;
  range.setAttribute("aria-label", label);
  // It sends nothing itself.
  if (number.hasAttribute("form")) range.setAttribute("form", number.getAttribute("form"));
  return range;
}

function makeField(number, box) {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: number.name });
  if (number.hasAttribute("form")) field.setAttribute("form", number.getAttribute("form"));
  field.value = box?.checked ? CANNOT_SAY : number.value;
  number.removeAttribute("name");
  box?.removeAttribute("name");
  number.after(field);
  return field;
}

function isAnswered({ field }) {
  return field.value !== "";
}

function isWhole({ range }, value) {
  const n = Number(value);
  return value !== "" && Number.isInteger(n) && n >= Number(range.min) && n <= Number(range.max);
}

// Where on the track a press was: the middle of the handle cannot reach its very ends.
function at(range, event) {
  if (!event.clientX) return range.value; // by a screen reader
  const { left, width, height } = range.getBoundingClientRect();
  const handle = Math.min(height, width / 4);
  const along = (event.clientX - left - handle / 2) / (width - handle);
  const share = getComputedStyle(range).direction === "rtl" ? 1 - along : along;
  const low = Number(range.min);
  const value = low + Math.min(1, Math.max(0, share)) * (Number(range.max) - low);
  return String(Math.round(value));
}

// Space sets the handle where it lies: else the middle would take two presses.
function onKey(parts, event) {
  if (event.key !== " " || event.defaultPrevented) return;
  event.preventDefault();
  answer(parts, parts.range.value);
}

function onTyped(parts) {
  const { number, field } = parts;
  if (isWhole(parts, number.value)) return say(parts);
  const wrong = number.value !== "" || number.validity.badInput;
  // What was answered before still holds, and is shown again.
  number.value = field.value === CANNOT_SAY ? "" : field.value;
  show(parts);
  if (wrong) parts.state.textContent = parts.words.wrong;
}

function onBox(parts) {
  const { box, range, row } = parts;
  // Untick: the number that was there before, if any.
  answer(parts, box.checked ? CANNOT_SAY : (row.dataset.number ?? ""));
  if (!box.checked && !row.dataset.number) range.value = (Number(range.min) + Number(range.max)) / 2;
}

function answer(parts, value) {
  parts.field.value = value;
  if (value && value !== CANNOT_SAY) parts.row.dataset.number = value;
  show(parts);
  parts.field.dispatchEvent(new Event("input", { bubbles: true }));
  clearTimeout(parts.moving);
  parts.moving = setTimeout(() => say(parts), PAUSE);
  parts.isNew = true;
}

// The answer stands for now: time to save it.
function say(parts) {
  clearTimeout(parts.moving);
  if (!parts.isNew) return;
  parts.isNew = false;
  parts.field.dispatchEvent(new Event("change", { bubbles: true }));
}

function show({ row, number, box, range, field, words, state }) {
  const isNumber = isWhole({ range }, field.value);
  if (isNumber) range.value = row.dataset.number = field.value;
  if (document.activeElement !== number || !isNumber) number.value = isNumber ? field.value : "";
  if (box) box.checked = field.value === CANNOT_SAY;
  row.classList.toggle("unset", !isNumber);
  const unsaid = field.value === CANNOT_SAY ? words.unsaid : words.open;
  state.textContent = isNumber ? "" : unsaid;
  range.setAttribute("aria-valuetext", isNumber ? field.value : unsaid);
}

const setUpAll = () => setUp(document.querySelectorAll("fieldset[data-slider]"));
setUpAll();
document.addEventListener("htmx:load", setUpAll); // a preview that was put into the page

// Which digit a key means ---

export const BESIDE_0 = "Minus"; // where it lies, whatever is printed on it

// Keyboards of other scripts have digits of their own, and French ones have them above
// other signs: there the place of the key says which one is meant.
export function digitOf({ key, code, shiftKey }) {
  if (/^\d$/.test(key)) return key;
  if (code === BESIDE_0) return code;
  return shiftKey ? null : (/^Digit(\d)$/.exec(code)?.[1] ?? null);
}
