// Draws each <div data-chart="id"> from the JSON in <script id="id">, in the colours of
// the page. <button data-save-chart="id"> saves it as SVG, in the colours of a paper.
const PRINT = { ink: "#1d2127", line: "#d9d6cf", surface: "#ffffff" };

function pageColours() {
  const style = getComputedStyle(document.documentElement);
  return {
    ink: style.getPropertyValue("--ink").trim(),
    line: style.getPropertyValue("--line").trim(),
    surface: style.getPropertyValue("--surface").trim(),
  };
}

function read(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

// The layout of a figure with text, lines and ground of these colours.
function coloured(layout, { ink, line, surface }) {
  const axis = { gridcolor: line, linecolor: line, tickcolor: line };
  const found = { ...layout, font: { ...layout.font, color: ink } };
  for (const key of Object.keys(layout)) {
    if (/^[xy]axis/.test(key)) found[key] = { ...axis, ...layout[key] };
  }
  found.hoverlabel = { ...layout.hoverlabel, bgcolor: surface, bordercolor: line };
  found.hoverlabel.font = { color: ink };
  return found;
}

function draw(element) {
  const { data, layout } = read(element.dataset.chart);
  if (layout.height) element.style.height = `${layout.height}px`; // a row for each metric
  Plotly.react(element, data, coloured(layout, pageColours()), {
    responsive: true,
    displaylogo: false,
    // A list of what may be there: others would send the chart to a server of plotly's.
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d"]],
    plotlyServerURL: "",
  });
}

function drawAll() {
  for (const element of document.querySelectorAll("[data-chart]")) draw(element);
}

async function save(button) {
  const { data, layout } = read(button.dataset.saveChart);
  const paper = { ...coloured(layout, PRINT), paper_bgcolor: PRINT.surface };
  await Plotly.downloadImage(
    { data, layout: paper },
    { format: "svg", filename: button.dataset.name, width: 800, height: paper.height ?? 500 },
  );
}

// <div data-open="/address/?key=" ...> leads from a point to the page of its text.
function follow({ points: [point] }, element) {
  const key = point.customdata?.[2];
  if (key !== undefined) location.href = element.dataset.open + key;
}

drawAll();
for (const element of document.querySelectorAll("[data-chart][data-open]")) {
  element.on("plotly_click", (event) => follow(event, element));
}
document.addEventListener("themechange", drawAll);
document.addEventListener("htmx:oobAfterSwap", drawAll); // a curve that grew
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
for (const button of document.querySelectorAll("[data-save-chart]")) {
  button.hidden = false;
  button.addEventListener("click", () => save(button));
}
