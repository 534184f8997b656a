// The table of metrics: filters as one types, and says what the ticked ones take.

function inWords(seconds) {
  for (const [unit, size] of [["hour", 3600], ["minute", 60]]) {
    if (seconds >= 1.5 * size) return `about ${Math.round(seconds / size)} ${unit}s`;
  }
  const left = Math.max(1, Math.round(seconds));
  return `about ${left} second${left === 1 ? "" : "s"}`;
}

const battery = document.querySelector("[data-battery]");

function sum() {
  const place = battery.querySelector("[data-sum]");
  const ticked = [...battery.querySelectorAll('[name="metric"]:checked')];
  const seconds = ticked.map((box) => Number(box.closest("tr").dataset.seconds));
  const start = battery.querySelector("#start");
  if (start) start.disabled = ticked.length === 0;
  if (!place) return;
  const parts = [`${ticked.length} metric${ticked.length === 1 ? "" : "s"}`];
  if (ticked.length && seconds.every(Number.isFinite)) {
    const all = seconds.reduce((one, other) => one + other, 0);
    parts.push(inWords(all / Number(battery.dataset.workers)));
  }
  place.textContent = parts.join(", ");
}

function show() {
  const words = battery.querySelector("#q").value.toLowerCase().split(" ");
  const kind = battery.querySelector("#kind").value;
  let found = 0;
  for (const body of battery.querySelectorAll("[data-group]")) {
    const rows = [...body.querySelectorAll("tr[data-words]")];
    for (const row of rows) {
      const text = row.dataset.words.toLowerCase();
      row.hidden = (kind && row.dataset.kind !== kind) || !words.every((one) => text.includes(one));
    }
    const left = rows.filter((row) => !row.hidden).length;
    body.hidden = left === 0;
    found += left;
  }
  const all = battery.querySelectorAll("tr[data-words]").length;
  const place = battery.querySelector("[data-found]");
  place.textContent = found === all ? "" : `${found} of ${all} metrics shown`;
}

if (battery) {
  battery.addEventListener("change", sum);
  const filter = battery.querySelector("[data-filter]");
  filter.addEventListener("input", show);
  filter.addEventListener("submit", (event) => event.preventDefault());
  show();
  sum();
}
