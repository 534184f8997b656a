// The dialog in which a mark gets its category and severity. It opens at the selection,
// digits choose, Escape closes.

import { digitOf } from "../../crowd/slider.js";

const GAP = 8; // pixels between the selection and the dialog
let showsMeanings; // in all choosers of the page
const narrow = matchMedia("(max-width: 52rem)");

// Args of `open`: the mark so far; whether it is there already; where it stands in the
// window; `onChoose` is told of each choice, and whether the mark is complete.
export function chooserOf(row) {
  const dialog = row.querySelector(".chooser");
  const groups = [...dialog.querySelectorAll(".categories, .severities")];
  let mark;
  let told;
  let where; // the mark stands in the window

  const buttonsOf = (group) => [...group.querySelectorAll("button")];
  const chosen = (group) => buttonsOf(group).find((button) => button.getAttribute("aria-pressed") === "true");
  const openGroup = () => groups.find((group) => !chosen(group)) ?? groups.at(-1);

  function show() {
    for (const group of groups) {
      const kind = group.matches(".categories") ? "category" : "severity";
      for (const button of buttonsOf(group)) {
        button.setAttribute("aria-pressed", String(button.dataset[kind] === mark[kind]));
      }
    }
    for (const group of groups) {
      const hints = group === openGroup();
      for (const [n, button] of buttonsOf(group).entries()) {
        button.querySelector("kbd").textContent = hints && n < 9 ? n + 1 : "";
      }
    }
    dialog.querySelector(".chosen bdi").textContent = told.quoteOf(mark);
    dialog.querySelector(".chosen .gap").hidden = mark.start < mark.end;
  }

  function choose(button) {
    const kind = button.dataset.category === undefined ? "severity" : "category";
    mark = { ...mark, [kind]: button.dataset[kind] };
    show();
    const isWhole = groups.every((group) => chosen(group));
    told.onChoose(mark, isWhole);
    if (isWhole && !told.isThere) dialog.close();
    else if (!isWhole) buttonsOf(openGroup())[0].focus();
  }

  dialog.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (target === dialog || button?.dataset.do === "close") dialog.close();
    else if (button?.dataset.do === "delete") told.onDelete();
    else if (button?.dataset.move) told.onMove(button.dataset.move, Number(button.dataset.by), isByLetters());
    else if (button?.hasAttribute("data-letters")) button.setAttribute("aria-pressed", String(!isByLetters()));
    else if (button) choose(button);
  });
  const isByLetters = () => dialog.querySelector("[data-letters]").getAttribute("aria-pressed") === "true";

  dialog.addEventListener("keydown", (event) => {
    const digit = digitOf(event);
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || digit === null) return;
    event.preventDefault(); // or it would answer a question once the dialog is closed
    const button = buttonsOf(openGroup())[digit - 1];
    if (button) choose(button);
  });
  dialog.addEventListener("close", () => told.onClose());
  // Who wants to read what marks mean wants it at the next mark, too.
  const meanings = dialog.querySelector(".meanings");
  meanings?.addEventListener("toggle", () => {
    showsMeanings = meanings.open;
    if (dialog.open) place(dialog, where);
  });

  function open(begun, box, asked) {
    [mark, where, told] = [begun, box, asked];
    // A place can be moved at once: it is where the text was clicked, or at its end.
    const isPoint = mark.start === mark.end;
    dialog.querySelector(".borders").hidden = !asked.isThere && !isPoint;
    for (const button of dialog.querySelectorAll("[data-move=end]")) button.hidden = isPoint;
    dialog.querySelector("[data-do=delete]").hidden = !asked.isThere;
    if (!asked.isThere) mark = { ...mark, category: undefined, severity: undefined };
    if (meanings && showsMeanings !== undefined) meanings.open = showsMeanings;
    show();
    dialog.showModal();
    place(dialog, where);
  }

  return {
    open,
    close: () => dialog.close(),
    update({ start, end, words }) {
      mark = { ...mark, start, end, words };
      show();
    },
  };
}

// Below what is selected, or above it; on a phone style sheets put it at the foot.
function place(dialog, { top, bottom, left }) {
  const { width, height } = dialog.getBoundingClientRect();
  const below = bottom + GAP + height <= innerHeight;
  // A mark that is changed from the list may be out of the window.
  const y = Math.max(GAP, Math.min(below ? bottom + GAP : top - GAP - height, innerHeight - height - GAP));
  dialog.style.setProperty("--x", `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`);
  dialog.style.setProperty("--y", `${y}px`);
  const covered = bottom + GAP - dialog.getBoundingClientRect().top;
  if (narrow.matches && covered > 0) scrollBy({ top: covered });
}
