// Draws marks into their text, and lists them below it.

const isOn = (mark, start, end) => mark.start < end && start < mark.end;

// Of the category, or of the severity where there are no categories: as cards.py has it.
export function colourOf(row, mark) {
  const category = row.querySelector(`[data-category="${CSS.escape(mark.category)}"]`);
  if (mark.category && category) return category.dataset.colour;
  const severities = [...row.querySelectorAll("[data-severity]")].map((button) => button.dataset.severity);
  const graver = severities.indexOf(mark.severity);
  return graver > 0 && graver === severities.length - 1 ? "red" : "orange";
}

// All of a text in parts between the borders of marks. `pending` is being chosen.
export function draw(side, marks, pending, colour) {
  const { root, points, fixed } = side;
  const here = marks.map((mark, n) => ({ ...mark, n: n + 1 })).filter((mark) => mark.side === side.name);
  const open = pending?.side === side.name ? pending : null;
  const borders = [...here, ...(open ? [open] : [])].flatMap(({ start, end }) => [start, end]);
  const starts = [...new Set([0, fixed, points.length, ...borders])].sort((one, other) => one - other);
  const parts = starts.flatMap((start, k) => {
    const end = starts[k + 1] ?? start;
    const gaps = here.filter((mark) => mark.start === start && mark.end === start);
    const isGap = open && open.start === open.end && open.start === start;
    const words = start < end ? [partOf(points.slice(start, end).join(""), start, end)] : [];
    const wedges = gaps.map((mark) => gapOf(mark, colour(mark)));
    if (isGap && !wedges.length) wedges.push(span(""));
    for (const wedge of wedges) wedge.classList.add("point", ...(isGap ? ["pending"] : []));
    return [...wedges, ...words];
  });
  root.replaceChildren(...parts);

  function partOf(words, start, end) {
    const on = here.filter((mark) => isOn(mark, start, end));
    const part = span(words);
    if (start < fixed) Object.assign(part, { className: "opening" }).toggleAttribute("data-fixed", true);
    if (on.length) {
      part.className = `marked ${colour(shortest(on))}`;
      part.classList.toggle("several", on.length > 1);
      part.classList.toggle("proposed", on.some((mark) => mark.proposal));
      part.dataset.marks = on.map((mark) => mark.n).join(" ");
      const begins = on.filter((mark) => mark.start === start).map((mark) => mark.n);
      if (begins.length) part.dataset.begins = begins.join(" ");
    }
    if (open && isOn(open, start, end)) part.classList.add("pending");
    return part;
  }
}

// What lies within another mark is seen in its own colour.
const shortest = (marks) => marks.reduce((one, other) => (lengthOf(other) < lengthOf(one) ? other : one));
const lengthOf = ({ start, end }) => end - start;

function span(words) {
  const part = document.createElement("span");
  part.textContent = words;
  return part;
}

function gapOf(mark, colour) {
  const gap = span("");
  gap.className = colour;
  gap.dataset.marks = mark.n;
  gap.dataset.begins = mark.n;
  return gap;
}

const BESIDE = 20; // characters on each side of a place that are quoted for it

// The words that are marked, or those beside the place; as cards.py has it.
export function quoteOf({ points }, { start, end }) {
  if (start < end) return points.slice(start, end).join("");
  let before = points.slice(Math.max(0, start - BESIDE), start).join("");
  let after = points.slice(start, start + BESIDE).join("");
  if (start > BESIDE) before = before.slice(before.indexOf(" ") + 1) || before;
  if (start + BESIDE < points.length) after = after.slice(0, Math.max(0, after.lastIndexOf(" "))) || after;
  return `${before.trim()} ▲ ${after.trim()}`.trim();
}

// The list below the text. Its items stay, so that the button keeps the focus.
export function list(row, sides, marks) {
  const template = row.querySelector("[data-item]");
  const nameOf = (kind, key) => {
    const button = key && row.querySelector(`[data-${kind}="${CSS.escape(key)}"]`);
    return button ? button.querySelector(".name").textContent : "";
  };
  const box = row.querySelector(".marks");
  while (box.children.length > marks.length) box.lastElementChild.remove();
  while (box.children.length < marks.length) box.append(template.content.cloneNode(true));
  for (const [n, mark] of marks.entries()) {
    const item = box.children[n];
    const part = (name) => item.querySelector(name);
    part(".number").textContent = n + 1;
    part(".number").className = `number ${colourOf(row, mark)}`;
    const quote = quoteOf(sides.find(({ name }) => name === mark.side), mark);
    part(".quote").textContent = quote;
    part(".gap").hidden = mark.words !== "";
    part(".kind").textContent = nameOf("category", mark.category);
    part(".severity").textContent = nameOf("severity", mark.severity);
    part(".proposed").hidden = !mark.proposal;
    part(".from-source").hidden = mark.side === "text";
    for (const button of item.querySelectorAll("button")) {
      button.dataset.n = n;
      const words = mark.words ? quote : `${part(".gap").textContent} ${quote}`;
      button.setAttribute("aria-label", `${button.textContent} ${n + 1}: ${words}`);
    }
  }
}
