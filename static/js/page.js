// What many pages share: copy buttons, sortable tables, one question before a loss,
// more on demand.

// <button data-copy="text"> copies its text and says so.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied ?? "Copied";
  } catch {
    button.textContent = button.dataset.notCopied ?? "Select and copy by hand";
  }
  setTimeout(() => (button.textContent = label), 2000);
});

// <form data-confirm="What will be lost."> asks once.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// <button data-shows="name"> gives the page a class "shows-name", and takes it away.
for (const button of document.querySelectorAll("[data-shows]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const on = document.body.classList.toggle(`shows-${button.dataset.shows}`);
    button.setAttribute("aria-pressed", String(on));
  });
}

// <table data-sortable>: a click on a header sorts; <td data-value> overrides the text.
function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell?.dataset.value ?? cell?.textContent.trim() ?? "";
  const number = Number(text);
  return text === "" || Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  // "—" stands for a value that does not exist: after every number.
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b, undefined, { numeric: true });
}

function sortBy(table, header) {
  const up = header.getAttribute("aria-sort") !== "ascending";
  const sign = up ? 1 : -1;
  for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", up ? "ascending" : "descending");
  for (const body of table.tBodies) {
    const rows = [...body.rows];
    rows.sort((a, b) => sign * compare(valueOf(a, header.cellIndex), valueOf(b, header.cellIndex)));
    body.append(...rows);
  }
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  // Only a single header row has one header for each column.
  if (table.tHead?.rows.length !== 1) continue;
  for (const header of table.tHead.rows[0].cells) {
    if (!header.textContent.trim()) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortBy(table, header));
  }
}
