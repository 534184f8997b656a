// Draws each <div data-chart="id"> from the JSON in <script id="id">, in the colours of
// the page. <button data-save-chart="id"> saves it as SVG, in the colours of a paper.
const AGREES = "#0072b2"; // as scoring/drawing/ladders.py gives them
const DISAGREES = "#d55e00";
const PRINT = {
  ink: "#1d2127",
  line: "#d9d6cf",
  surface: "#ffffff",
  agrees: AGREES,
  disagrees: DISAGREES,
};
const NARROW = 620; // pixels, below which panels stand below each other
const ROW = 22; // pixels of a row, as the server draws it
const TWO_LINES = 36; // of a row on a phone whose name is folded: two lines take 29
const LONG = 22; // letters of a name that a phone has room for beside a chart
const CELL = { width: 40, height: 17 }; // pixels that a number in a cell needs
const touch = matchMedia("(hover: none)");

function pageColours() {
  const style = getComputedStyle(document.documentElement);
  return {
    ink: style.getPropertyValue("--ink").trim(),
    line: style.getPropertyValue("--line").trim(),
    surface: style.getPropertyValue("--surface").trim(),
    agrees: style.getPropertyValue("--agrees").trim(),
    disagrees: style.getPropertyValue("--disagrees").trim(),
  };
}

function read(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

// The layout of a figure with text, lines and ground of these colours.
function coloured(layout, { ink, line, surface }) {
  const axis = { gridcolor: line, linecolor: line, tickcolor: line };
  const found = { ...layout, font: { ...layout.font, color: ink } };
  for (const key of axes(layout)) found[key] = { ...axis, ...layout[key] };
  found.hoverlabel = { ...layout.hoverlabel, bgcolor: surface, bordercolor: line };
  found.hoverlabel.font = { color: ink };
  return found;
}

function axes(layout) {
  return Object.keys(layout).filter((key) => key.startsWith("xaxis") || key.startsWith("yaxis"));
}

// "a long name of a metric" on two lines at most, for a narrow window. A name in italics
// stays so: tags are never broken, as a name has none of its own.
function folded(name) {
  const at = name.indexOf(" <b>"); // of its number, which is never cut
  if (at > 0) return `${shortened(name.slice(0, at).trim())}${name.slice(at)}`;
  const tagged = name.startsWith("<i>") || name.startsWith("<b>");
  const [open, close] = tagged ? [name.slice(0, 3), name.slice(-4)] : ["", ""];
  const text = tagged ? name.slice(3, -4) : name;
  if (text.length <= LONG || text.includes("<br>")) return name;
  const words = text.split(" ");
  let first = words.shift();
  while (words.length && `${first} ${words[0]}`.length <= LONG) first += ` ${words.shift()}`;
  const rest = words.join(" ");
  return `${open}${first}${rest ? `<br>${shortened(rest)}` : ""}${close}`;
}

function shortened(text) {
  return text.length > LONG ? `${text.slice(0, LONG - 1)}…` : text;
}

// A ladder for a narrow window: panels below each other, each with the names of its rows.
function stacked(layout) {
  const { panels, rows } = layout.meta;
  const found = { ...layout, font: { ...layout.font, size: 11 } };
  const margin = layout.margin;
  const names = layout.yaxis.ticktext.map(folded);
  const row = names.some((name) => name.includes("<br>")) ? TWO_LINES : ROW;
  const [bottom, top] = layout.yaxis.range;
  const panel = row * (bottom - top);
  const between = panels > 1 ? margin.t + 24 : 0;
  const inner = panels * panel + (panels - 1) * between;
  found.height = inner + margin.t + margin.b;
  for (let k = 0; k < panels; k += 1) {
    const n = k ? k + 1 : "";
    const start = 1 - (k * (panel + between) + panel) / inner;
    found[`xaxis${n}`] = { ...layout[`xaxis${n}`], domain: [0, 1], nticks: 5 };
    found[`yaxis${n}`] = {
      ...layout[`yaxis${n}`],
      ticktext: names,
      showticklabels: true,
      domain: [Math.max(0, start), Math.min(1, start + panel / inner)],
    };
    const upper = `xaxis${panels + k + 1}`;
    if (layout[upper]) found[upper] = { ...layout[upper], nticks: 5 };
  }
  return found;
}

// A chart with a row for each name, for a narrow window.
function slim(layout) {
  const ticktext = layout.yaxis.ticktext.map(folded);
  const more = ticktext.some((name) => name.includes("<br>")) ? (TWO_LINES - ROW) * ticktext.length : 0;
  return {
    ...layout,
    height: layout.height + more,
    font: { ...layout.font, size: 11 },
    yaxis: { ...layout.yaxis, ticktext },
  };
}

// A heat map for this window: short names where it is narrow, numbers only where they fit.
function fitted({ data, layout }, width) {
  const narrow = width < NARROW;
  const found = { ...layout };
  const [map] = data;
  const columns = map.z[0]?.length ?? 1;
  const rows = map.z.length;
  if (narrow) {
    found.font = { ...layout.font, size: 11 };
    found.yaxis = { ...layout.yaxis, ticktext: layout.yaxis.ticktext.map(folded) };
    if (found.yaxis.ticktext.some((name) => name.includes("<br>"))) {
      found.height = layout.height + 6 * rows;
    }
    const size = Math.max(8, Math.min(11, (width - 150) / columns - 1));
    const top = Math.max(32, (layout.margin.t * size) / 12);
    found.margin = { ...layout.margin, t: top };
    found.height = (found.height ?? layout.height) - layout.margin.t + top;
    found.xaxis = { ...layout.xaxis, tickfont: { size } };
  }
  const names = Math.max(...found.yaxis.ticktext.map(longest)) * 7;
  const cell = {
    width: (width - names - 30) / columns,
    height: (found.height - found.margin.t - found.margin.b) / rows,
  };
  const room = cell.width >= CELL.width && cell.height >= CELL.height;
  return { data: room ? data : [{ ...map, texttemplate: "" }], layout: found };
}

function longest(name) {
  return Math.max(...name.split("<br>").map((part) => part.length));
}

// Numbers in cells are of the colour of text: plotly takes white on half of them. Blue and
// orange are lighter on a dark page.
function inked(data, { ink, agrees, disagrees }) {
  const theirs = { [AGREES]: agrees, [DISAGREES]: disagrees };
  return data.map((trace) => {
    if (trace.type === "heatmap") {
      return { ...trace, textfont: { ...trace.textfont, color: ink } };
    }
    const color = trace.marker?.color;
    if (!Array.isArray(color)) return trace;
    return { ...trace, marker: { ...trace.marker, color: color.map((c) => theirs[c] ?? c) } };
  });
}

// The figure as this window has room for it.
function suited(figure, width) {
  if (figure.data[0]?.type === "heatmap" && figure.layout.yaxis?.ticktext) {
    return fitted(figure, width);
  }
  if (figure.layout.meta?.panels && width < NARROW) {
    return { data: figure.data, layout: stacked(figure.layout) };
  }
  if (figure.layout.yaxis?.ticktext && width < NARROW) {
    return { data: figure.data, layout: slim(figure.layout) };
  }
  return figure;
}

function draw(element) {
  const { data, layout } = suited(read(element.dataset.chart), element.clientWidth);
  element.drawnAt = element.clientWidth;
  if (layout.height) element.style.height = `${layout.height}px`; // a row for each metric
  const colours = pageColours();
  const found = coloured(layout, colours);
  // A finger scrolls the page, also where it begins on a chart.
  if (touch.matches) found.dragmode = false;
  Plotly.react(element, inked(data, colours), found, {
    responsive: true,
    displaylogo: false,
    displayModeBar: touch.matches ? false : "hover",
    // A list of what may be there: others would send the chart to a server of plotly's.
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d"]],
    plotlyServerURL: "",
  });
  if (element.dataset.open && !element.opens) {
    element.opens = true;
    element.on("plotly_click", (event) => follow(event, element));
  }
}

function drawAll() {
  for (const element of document.querySelectorAll("[data-chart]")) draw(element);
}

async function save(button) {
  const { data, layout } = suited(read(button.dataset.saveChart), 800);
  const paper = { ...coloured(layout, PRINT), paper_bgcolor: PRINT.surface };
  await Plotly.downloadImage(
    { data: inked(data, PRINT), layout: paper },
    { format: "svg", filename: button.dataset.name, width: 800, height: paper.height ?? 500 },
  );
}

// <div data-open="/address/?key=" ...> leads from a point to the page of its text.
function follow({ points: [point] }, element) {
  const key = point.customdata?.[2];
  if (key !== undefined) location.href = element.dataset.open + key;
}

function showSaving() {
  for (const button of document.querySelectorAll("[data-save-chart]")) button.hidden = false;
}

drawAll();
showSaving();
document.addEventListener("themechange", drawAll);
document.addEventListener("htmx:oobAfterSwap", drawAll); // a curve that grew
document.addEventListener("htmx:afterSwap", () => {
  drawAll(); // numbers that were renewed
  showSaving();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-save-chart]");
  if (button) save(button);
});
// A phone that is turned: what suits it may be another figure, not the same one wider.
let turned;
window.addEventListener("resize", () => {
  clearTimeout(turned);
  turned = setTimeout(() => {
    for (const element of document.querySelectorAll("[data-chart]")) {
      if (element.clientWidth !== element.drawnAt) draw(element);
    }
  }, 150);
});
