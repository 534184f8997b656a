// <table data-sortable>: the buttons in its last row of headers sort. <td data-value>
// overrides the text, and so does the moment of a <time>. A <tfoot> stays below. Boxes say when there is more to the side.
const LAST = ["—", ""]; // a value that does not exist: after all others, either way

function valueOf(row, column) {
  const cell = row.cells[column];
  const moment = Date.parse(cell?.querySelector("time[datetime]")?.dateTime);
  const shown = Number.isNaN(moment) ? cell?.textContent.trim() : String(moment);
  const text = cell?.dataset.value ?? shown ?? "";
  const number = Number(text.split(",").join("").split("\u2212").join("-"));
  return LAST.includes(text) || Number.isNaN(number) ? text : number;
}

function missing(value, cell) {
  return LAST.includes(value) || cell?.textContent.trim().startsWith("—");
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b, undefined, { numeric: true });
}

// Numbers begin with the largest, words with A: what people look for first.
function sortBy(table, header) {
  const numbers = header.classList.contains("number");
  const now = header.getAttribute("aria-sort");
  const first = numbers ? "descending" : "ascending";
  const other = numbers ? "ascending" : "descending";
  const order = now === first ? other : first;
  for (const one of table.tHead.querySelectorAll("th")) one.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  const column = header.cellIndex;
  const sign = order === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row) => ({ row, value: valueOf(row, column) }));
    rows.sort((a, b) => {
      const gone = missing(a.value, a.row.cells[column]) - missing(b.value, b.row.cells[column]);
      return gone || sign * compare(a.value, b.value);
    });
    body.append(...rows.map(({ row }) => row));
  }
}

function makeSortable(table) {
  const header = table.tHead?.rows[table.tHead.rows.length - 1];
  const columns = table.tBodies[0]?.rows[0]?.cells.length;
  // Only a row with one header for each column says what it sorts.
  if (!header || table.tBodies[0].rows.length < 2 || header.cells.length !== columns) return;
  for (const cell of header.cells) {
    if (!cell.textContent.trim() || cell.querySelector("a, button")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sorts";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => sortBy(table, cell));
  }
}

// The second row of headers sticks below the first, however high that is.
function stackHeaders(table) {
  const [first, second] = table.tHead?.rows ?? [];
  if (second) table.style.setProperty("--first-header", `${first.offsetHeight}px`);
}

function sayMore(box) {
  const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
  box.classList.toggle("more", left > 4);
}

function prepare(root) {
  for (const table of root.querySelectorAll("table[data-sortable]")) {
    if (table.prepared) continue;
    table.prepared = true;
    makeSortable(table);
  }
  for (const box of root.querySelectorAll(".table-scroll")) {
    if (box.watched) continue;
    box.watched = true;
    sayMore(box);
    box.addEventListener("scroll", () => sayMore(box), { passive: true });
    new ResizeObserver(() => {
      sayMore(box);
      for (const table of box.querySelectorAll("table")) stackHeaders(table);
    }).observe(box);
  }
}

// A page that asks for itself again gets its tables at their beginning: whoever reads
// their last columns on a phone would be sent back every few seconds.
let scrolled = [];
const boxes = (root) => [...root.querySelectorAll(".table-scroll[aria-labelledby]")];
const nameOf = (box) => box.getAttribute("aria-labelledby");
document.addEventListener("htmx:beforeSwap", (event) => {
  scrolled = boxes(event.detail.target).map((box) => [nameOf(box), box.scrollLeft]);
});

prepare(document);
document.addEventListener("htmx:afterSwap", () => {
  const left = Object.fromEntries(scrolled);
  for (const box of boxes(document)) box.scrollLeft = left[nameOf(box)] ?? box.scrollLeft;
  prepare(document);
});
document.addEventListener("htmx:oobAfterSwap", () => prepare(document));
