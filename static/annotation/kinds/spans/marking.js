// Marks errors in texts: keeps the marks of each text, saves them, takes back what was
// done. Without it errors are chosen from lists of words.
import { chooserOf } from "./chooser.js";
import { snapped, unitsOf } from "./offsets.js";
import { borderBy, move, moved, picked, setCaret } from "./picking.js";
import { colourOf, draw, list, quoteOf } from "./showing.js";

const FORGOTTEN_AFTER = 1000; // ms: a touch on a button ends the selection before it is pressed

const states = new WeakMap(); // of each row
const fieldOfMarks = (row) => row.querySelector("input[type=hidden]");
const tickOf = (row) => row.querySelector("input[name^=clean-]");
const marksOf = (row) => JSON.parse(fieldOfMarks(row).value || "[]");
const toolOf = (row, name) => row.querySelector(`.tools [data-do=${name}]`);

// Whether something is beside the texts; a researcher's form has texts in a fieldset.
function isControl(target) {
  const fieldset = target.closest("fieldset");
  return target.closest("dialog") !== null || (fieldset !== null && !fieldset.querySelector("[data-side]"));
}

export const isOwn = (row) => row.hasAttribute("data-marking");
export const fieldOf = tickOf;

export function isAnswered(row) {
  if (marksOf(row).length) return true;
  const { first, below } = row.dataset;
  const answer = first && [...new FormData(row.form).entries()].find(([name]) => name === first)?.[1];
  const isLow = answer && answer !== "cannot-say" && Number(answer) < Number(below);
  return tickOf(row).checked && !isLow;
}

// As the field has it.
export function refresh(row) {
  const { sides } = states.get(row);
  const marks = marksOf(row);
  const focused = document.activeElement;
  for (const side of sides) draw(side, marks, states.get(row).pending, (mark) => colourOf(row, mark));
  list(row, sides, marks);
  sayFull(row);
  if (marks.length) tickOf(row).checked = false;
  tickOf(row).disabled = marks.length > 0;
  toolOf(row, "undo").disabled = !states.get(row).past.length;
  toolOf(row, "missing")?.toggleAttribute("disabled", isFull(row));
  showSelected(row);
  // A button that is gone, or that nothing is left for, would take the focus with it.
  if (focused.disabled || !focused.isConnected) sides[0].root.focus({ preventScroll: true });
}

export function setUp(row, onChange, save) {
  const card = row.closest(".card");
  const sides = [...card.querySelectorAll("[data-side]:not(button)")].map(sideOf);
  const state = { card, sides, onChange, save, past: [], pending: null, picked: null, chooser: chooserOf(row) };
  states.set(row, state);
  row.querySelector(".marks").replaceChildren(); // those of the server have no buttons
  for (const part of row.querySelectorAll(".without-script")) part.remove();
  const hints = row.querySelector(".hints");
  row.querySelector(".tools").hidden = hints.hidden = false;
  for (const { root } of sides) {
    root.tabIndex = 0;
    root.setAttribute("role", "group");
    root.setAttribute("aria-labelledby", card.querySelector("h2").id);
    root.setAttribute("aria-describedby", hints.id);
  }
  // The script sends one field; those for browsers without one only help to choose.
  for (const control of row.querySelectorAll(".by-list [name]")) {
    control.dataset.what = control.name.split("-")[0];
    control.removeAttribute("name");
  }
  card.addEventListener("click", (event) => onClick(row, event));
  card.addEventListener("keydown", (event) => onKey(row, event));
  tickOf(row).addEventListener("change", ({ target }) => save(target.name, target.checked ? "1" : "0"));
  document.addEventListener("selectionchange", () => onSelection(row));
  document.addEventListener("pointerup", ({ pointerType, target, altKey }) => {
    if (!isControl(target)) state.byLetters = altKey;
    // With a finger the ends of a selection are still to be moved: there is a button.
    if (pointerType !== "mouse" || isControl(target)) return;
    setTimeout(() => beginSelected(row)); // by then a click has ended an older selection
  });
  refresh(row);
}

function sideOf(root) {
  const fixed = root.querySelector("[data-fixed]")?.textContent ?? "";
  return { name: root.dataset.side, root, points: [...root.textContent], fixed: [...fixed].length };
}

// What is selected ---

function onSelection(row) {
  const state = states.get(row);
  if (document.querySelector("dialog[open]")) return;
  const now = picked(state.sides);
  clearTimeout(state.forget);
  if (now || !state.picked) state.picked = now;
  else state.forget = setTimeout(() => ((state.picked = null), showSelected(row)), FORGOTTEN_AFTER);
  showSelected(row);
}

function showSelected(row) {
  const now = states.get(row).picked;
  const isSome = Boolean(now && now.start < now.end);
  toolOf(row, "mark").disabled = !isSome || isFull(row);
  const tools = row.querySelector(".tools");
  // Where the buttons leave their place, what is below them stays where it is.
  if (isSome && !tools.classList.contains("at-hand")) row.style.setProperty("--room", `${tools.offsetHeight}px`);
  tools.classList.toggle("at-hand", isSome);
}

function sayFull(row) {
  const words = isFull(row) ? row.dataset.full : "";
  const box = row.querySelector(".full");
  if (box.textContent !== words) box.textContent = words;
}

const isFull = (row) => marksOf(row).length >= Number(row.dataset.most);

// Marks ---

function beginSelected(row) {
  const now = picked(states.get(row).sides);
  if (now && now.start < now.end) begin(row, asMeant(row, now));
}

// A finger or a mouse seldom stops at the border of a word.
function asMeant(row, { side, start, end }) {
  if (states.get(row).byLetters) return { side, start, end };
  return { side, ...snapped(side.points, { start, end }, side.fixed) };
}

function begin(row, { side, start, end }) {
  if (isFull(row)) return;
  const mark = { start, end, category: "", severity: "", side: side.name, words: wordsOf(side, start, end) };
  openChooser(row, mark, {
    isThere: false,
    onChoose: (chosen, isWhole) => isWhole && change(row, [...marksOf(row), whole(row, chosen)]),
    onMove: moving(row, () => states.get(row).pending, () => refresh(row)),
  });
}

function edit(row, n) {
  const state = states.get(row);
  const put = (mark) => change(row, marksOf(row).with(n, mark));
  openChooser(row, marksOf(row)[n], {
    isThere: true,
    onChoose: (chosen) => put(whole(row, chosen)),
    onDelete() {
      state.chooser.close();
      remove(row, n);
    },
    onMove: moving(row, () => marksOf(row)[n], put),
  });
}

// What moves a border of the mark that the chooser is open for.
function moving(row, markOf, put) {
  const state = states.get(row);
  return (which, by, byLetters) => {
    const side = state.sides.find(({ name }) => name === markOf().side);
    const next = moved(side, markOf(), which, by, byLetters);
    next.words = wordsOf(side, next.start, next.end);
    state.pending = next;
    put(next);
    state.chooser.update(next);
  };
}

function openChooser(row, mark, told) {
  const state = states.get(row);
  state.pending = mark;
  refresh(row);
  const side = state.sides.find(({ name }) => name === mark.side);
  const drawn = side.root.querySelector(".pending") ?? side.root;
  state.chooser.open(mark, drawn.getBoundingClientRect(), {
    ...told,
    quoteOf: (now) => quoteOf(side, now),
    onClose() {
      state.pending = state.picked = null;
      getSelection().removeAllRanges();
      refresh(row);
    },
  });
}

const wordsOf = ({ points }, start, end) => points.slice(start, end).join("");

// What a study does not ask is empty.
function whole(row, { start, end, category, severity, side, words, proposal = 0 }) {
  return { start, end, category: category ?? "", severity: severity ?? "", side, words, proposal };
}

const remove = (row, n) => change(row, marksOf(row).toSpliced(n, 1));

function change(row, marks) {
  const state = states.get(row);
  state.past.push(fieldOfMarks(row).value);
  put(row, JSON.stringify(marks));
}

function undo(row) {
  const { past } = states.get(row);
  if (past.length) put(row, past.pop());
}

function put(row, value) {
  const field = fieldOfMarks(row);
  field.value = value;
  states.get(row).save(field.name, value);
  refresh(row);
  states.get(row).onChange();
}

// Buttons and keys ---

function onClick(row, event) {
  const button = event.target.closest("button");
  if (button) return onButton(row, button, event);
  // Not the end of a selection: on a mark, or beside what is missing.
  if (!getSelection().isCollapsed || !event.target.closest("[data-side]")) return undefined;
  const part = event.target.closest("[data-marks]");
  if (!part) return setCaret(event.clientX, event.clientY);
  const marks = marksOf(row);
  const numbers = part.dataset.marks.split(" ").map((n) => n - 1);
  const length = (n) => marks[n].end - marks[n].start;
  return edit(row, numbers.reduce((one, other) => (length(other) < length(one) ? other : one)));
}

function onButton(row, button, event) {
  if (button.closest("dialog")) return;
  const state = states.get(row);
  const actions = {
    mark: () => state.picked && begin(row, asMeant(row, state.picked)),
    missing: () => begin(row, pointOf(state)),
    undo: () => undo(row),
    edit: () => edit(row, Number(button.dataset.n)),
    delete: () => remove(row, Number(button.dataset.n)),
    add: () => add(row, button),
  };
  const act = actions[button.dataset.do];
  if (!act) return;
  event.preventDefault();
  act();
}

// Where something is missing: where the text was clicked last, else at its end.
function pointOf({ picked: now, sides }) {
  const side = now?.side ?? sides[0];
  const isClick = now && now.start === now.end;
  const start = isClick ? borderBy(side, now.start) : (now?.start ?? side.points.length);
  return { side, start, end: start };
}

function add(row, button) {
  const state = states.get(row);
  const side = state.sides.find(({ name }) => name === button.dataset.side);
  const box = button.closest(".by-list");
  const words = unitsOf(side.points.join(""), false, side.fixed);
  const field = (what) => box.querySelector(`[data-what=${what}]`);
  const valueOf = (what) => field(what)?.value ?? "";
  const lacks = (what) => field(what) && (what === "from" ? !words[valueOf(what) - 1] : !valueOf(what));
  if (isFull(row) || sayLacking(box, ["from", "category", "severity"].filter(lacks).map(field))) return;
  const low = words[valueOf("from") - 1];
  const high = words[valueOf("to") - 1] ?? low;
  const start = Math.min(low[0], high[0]);
  const end = field("gap")?.checked ? start : Math.max(low[1], high[1]);
  const [category, severity] = [valueOf("category"), valueOf("severity")];
  change(row, [...marksOf(row), { start, end, category, severity, side: side.name, words: wordsOf(side, start, end) }]);
  for (const control of box.querySelectorAll("select, input")) {
    if (control.type === "checkbox") control.checked = false;
    else control.value = "";
  }
}

// What is still to choose in a list; the first of it takes the focus.
function sayLacking(box, fields) {
  const problem = box.querySelector(".problem");
  const labels = fields.map((field) => field.closest("label").querySelector("span").textContent);
  problem.textContent = fields.length ? box.dataset.short.split("{fields}").join(labels.join(", ")) : "";
  problem.hidden = !fields.length;
  fields[0]?.focus();
  return fields.length > 0;
}

function onKey(row, event) {
  if (event.target.closest("dialog, textarea, input, select")) return;
  if (event.key === "z" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    return undo(row);
  }
  const side = states.get(row).sides.find(({ root }) => root === event.target);
  if (!side) return undefined;
  if (move(side, event)) {
    states.get(row).byLetters = true; // what keys choose is meant as it is
    return event.preventDefault();
  }
  const now = picked([side]);
  if (event.key !== "Enter" || !now || now.start === now.end) return undefined;
  event.preventDefault();
  return begin(row, now);
}
