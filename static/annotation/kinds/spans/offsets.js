// Places in a text. Marks count code points, as the server does; browsers count UTF-16.
import { placesOf } from "../edits/words.js";

const isPair = (text, at) => text.codePointAt(at - 1) > 0xffff;

// Code points before a place; one within a character is moved to its beginning, or end.
export function pointsBefore(text, at, toEnd = false) {
  const whole = isPair(text, at) ? at + (toEnd ? 1 : -1) : at;
  return [...text.slice(0, whole)].length;
}

// A selection as it is meant: without the white space around it, if it has more than that.
export function trimmed(text, { start, end }) {
  const points = [...text];
  const isSpace = (at) => points[at].trim() === "";
  let [low, high] = [start, end];
  while (low < high && isSpace(low)) low += 1;
  while (low < high && isSpace(high - 1)) high -= 1;
  return low < high ? { start: low, end: high } : { start, end };
}

// Scripts that put no spaces between words: whoever selects in them means what is selected.
const isUnspaced = (point) =>
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u.test(point);
const isOfWord = (point) => /^[\p{L}\p{N}\p{M}\u200c\u200d]$/u.test(point) && !isUnspaced(point);
const joins = (point) => point === "'" || point === "\u2019";
const parts = (point) => point !== undefined && ".,:".includes(point);
const isDigit = (point) => /^\p{Nd}$/u.test(point);

// Whether a place is within a word such as don't, or a number such as 1,234.5.
function isWithin(points, at) {
  const [two, one, next, second] = [-2, -1, 0, 1].map((by) => points[at + by]);
  if (isOfWord(one) && isOfWord(next)) return true;
  if (joins(one)) return isOfWord(two) && isOfWord(next);
  if (joins(next)) return isOfWord(one) && isOfWord(second);
  if (parts(one)) return isDigit(two) && isDigit(next);
  return parts(next) && isDigit(one) && isDigit(second);
}

// Whole words of a selection that may begin or end within one. Punctuation beside them
// stays out.
export function snapped(points, { start, end }, from) {
  let [low, high] = [start, end];
  while (low > from && isWithin(points, low)) low -= 1;
  while (high < points.length && isWithin(points, high)) high += 1;
  return { start: low, end: high };
}

// Start and end of each word, or of each letter with what belongs to it, from a place on.
export function unitsOf(text, byLetters, from) {
  const places = byLetters ? lettersOf(text) : placesOf(text);
  const counted = inPoints(text, places);
  return counted.filter(([start]) => start >= from);
}

function lettersOf(text) {
  if (!Intl.Segmenter) {
    let at = 0;
    return [...text].map((letter) => [at, (at += letter.length)]);
  }
  const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  return [...letters].map(({ segment, index }) => [index, index + segment.length]);
}

// In one pass: counting from the beginning for each would take long for long texts.
function inPoints(text, places) {
  const counted = [];
  let [at, points] = [0, 0];
  const count = (to) => {
    while (at < to) {
      at += text.codePointAt(at) > 0xffff ? 2 : 1;
      points += 1;
    }
    return points;
  };
  for (const [start, end] of places) counted.push([count(start), count(end)]);
  return counted;
}
