// What somebody selects in a text: by mouse, by touch, or with the arrow keys.
import { pointsBefore, trimmed, unitsOf } from "./offsets.js";

// The side of a text that the selection begins or ends in, and what of it is selected.
export function picked(sides) {
  const selection = getSelection();
  if (!selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const side = sides.find(({ root }) => root.contains(selection.anchorNode))
    ?? sides.find(({ root }) => root.contains(selection.focusNode));
  if (!side) return null;
  const text = side.points.join("");
  const from = unitsTo(side.root, range.startContainer, range.startOffset, 0);
  const to = unitsTo(side.root, range.endContainer, range.endOffset, text.length);
  const start = Math.max(side.fixed, pointsBefore(text, from));
  const end = pointsBefore(text, to, true);
  if (start > end) return null;
  return { side, ...(start < end ? trimmed(text, { start, end }) : { start, end }) };
}

// A tap on a text leaves no caret in some browsers: it is set where somebody tapped.
export function setCaret(x, y) {
  const at = document.caretPositionFromPoint?.(x, y);
  const range = at ? null : document.caretRangeFromPoint?.(x, y);
  if (at) getSelection().collapse(at.offsetNode, at.offset);
  else if (range) getSelection().collapse(range.startContainer, range.startOffset);
}

// UTF-16 before a place within the root; of one outside: `beyond`, or the beginning.
function unitsTo(root, node, offset, beyond) {
  if (!root.contains(node)) return beyond;
  const range = document.createRange();
  range.selectNodeContents(root);
  range.setEnd(node, offset);
  return range.toString().length;
}

export function select({ root, points }, start, end) {
  const [from, to] = [start, end].map((place) => points.slice(0, place).join("").length);
  const range = document.createRange();
  range.setStart(...placeIn(root, from));
  range.setEnd(...placeIn(root, to));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

function placeIn(root, units) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let left = units;
  while (walker.nextNode()) {
    const { length } = walker.currentNode;
    if (left <= length) return [walker.currentNode, left];
    left -= length;
  }
  return [root, root.childNodes.length];
}

// An arrow goes to the next word and selects it; with Shift the selection grows or
// shrinks at its end; with Alt or Control it goes by letters. Whether the key was ours.
export function move(side, event) {
  if (!["ArrowLeft", "ArrowRight"].includes(event.key) || event.metaKey) return false;
  const isRtl = getComputedStyle(side.root).direction === "rtl";
  const onward = (event.key === "ArrowRight") !== isRtl;
  const units = unitsOf(side.points.join(""), event.altKey || event.ctrlKey, side.fixed);
  if (!units.length) return false;
  const now = picked([side]);
  const isHere = now && now.start < now.end && getSelection().toString() !== "";
  select(side, ...(isHere ? next(units, now, onward, event.shiftKey) : units[0]));
  getSelection().getRangeAt(0).startContainer.parentElement.scrollIntoView({ block: "nearest" });
  return true;
}

function next(units, { start, end }, onward, grows) {
  if (grows && onward) return [start, units.find((unit) => unit[1] > end)?.[1] ?? end];
  if (grows) return [start, units.findLast((unit) => unit[0] >= start && unit[1] < end)?.[1] ?? end];
  const to = onward ? units.find((unit) => unit[0] >= end) : units.findLast((unit) => unit[1] <= start);
  return to ?? [start, end];
}

// The nearest border of a word, or of a letter, before or behind one end of a mark.
export function moved(side, mark, which, by, byLetters) {
  const isPoint = mark.start === mark.end;
  const units = unitsOf(side.points.join(""), byLetters, side.fixed);
  const borders = units.map((unit) => unit[which === "start" ? 0 : 1]);
  if (isPoint) borders.push(side.points.length);
  const place = mark[which];
  const to = by > 0 ? borders.find((one) => one > place) : borders.findLast((one) => one < place);
  if (isPoint) return { ...mark, start: to ?? place, end: to ?? place };
  const changed = { ...mark, [which]: to ?? place };
  return changed.start < changed.end ? changed : mark;
}

// Whoever clicks on a word, to say that something is missing there, means beside it.
export function borderBy(side, place) {
  const borders = unitsOf(side.points.join(""), false, side.fixed).flat();
  const isNearer = (one, other) => Math.abs(one - place) < Math.abs(other - place);
  return borders.reduce((near, border) => (isNearer(border, near) ? border : near), side.points.length);
}
