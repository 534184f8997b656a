// How many words of a text were changed; annotation/kinds/edits/words.py counts the same.
const SPACES = [
  [0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a],
  [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000],
];
// Of Chinese and Japanese writing, each character is a word.
const SINGLES = [[0x3040, 0x30ff], [0x3400, 0x4dbf], [0x4e00, 0x9fff], [0xf900, 0xfaff]];
const MOST = 25_000_000; // pairs of words that are compared

export function changed(before, after) {
  const [one, other] = middles(wordsOf(before), wordsOf(after));
  if (!one.length || !other.length || one.length * other.length > MOST) {
    return Math.max(one.length, other.length);
  }
  return distance(one, other);
}

const isIn = (ranges, code) => ranges.some(([low, high]) => low <= code && code <= high);

function wordsOf(text) {
  return placesOf(text).map(([start, end]) => text.slice(start, end));
}

// Start and end of each word.
export function placesOf(text) {
  const places = [];
  let start = -1; // of the word that is being read
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at); // NaN at the end
    const isSingle = isIn(SINGLES, code);
    if (isSingle || at === text.length || isIn(SPACES, code)) {
      if (start >= 0) places.push([start, at]);
      if (isSingle) places.push([at, at + 1]);
      start = -1;
    } else if (start < 0) start = at;
  }
  return places;
}

// Without the words that both begin with, and then those that both end with.
function middles(one, other) {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}

// Levenshtein, row by row.
function distance(one, other) {
  const numbers = new Map();
  const coded = (list) =>
    Int32Array.from(list, (word) => {
      if (!numbers.has(word)) numbers.set(word, numbers.size);
      return numbers.get(word);
    });
  const [a, b] = [coded(one), coded(other)];
  let row = Int32Array.from({ length: b.length + 1 }, (_, place) => place);
  let next = new Int32Array(b.length + 1);
  for (let i = 0; i < a.length; i += 1) {
    next[0] = i + 1;
    for (let j = 0; j < b.length; j += 1) {
      const replaced = row[j] + (a[i] === b[j] ? 0 : 1);
      next[j + 1] = Math.min(replaced, row[j + 1] + 1, next[j] + 1);
    }
    [row, next] = [next, row];
  }
  return row[b.length];
}
