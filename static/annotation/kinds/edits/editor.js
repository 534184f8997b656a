// The editor of a page of corrections: counts changed words, saves what is typed, and can
// start again from the original. Without it there is a plain field.
import { changed } from "./words.js";

const SAVED_AFTER = 1000; // ms without a key
const COUNTED_AFTER = 150;

const fieldOf = (row) => row.querySelector("textarea");
const tickOf = (row) => row.querySelector("[type=checkbox]");
const originalOf = (row) => row.querySelector("[data-original]").textContent;

export const isOwn = (row) => row.hasAttribute("data-editor");
export { fieldOf };

export function isAnswered(row) {
  const { value } = fieldOf(row);
  return value === originalOf(row) ? tickOf(row).checked : value.trim() !== "";
}

// A text that was changed cannot be one with nothing to correct.
export function refresh(row) {
  const { value } = fieldOf(row);
  const isSame = value === originalOf(row);
  if (!isSame) tickOf(row).checked = false;
  tickOf(row).disabled = !isSame;
  const again = row.querySelector(".again");
  again.hidden = isSame && row.mine === undefined;
  const { startAgain, restore } = row.dataset;
  again.textContent = isSame && row.mine !== undefined ? restore : startAgain;
  const words = row.dataset.count.split("{n}").join(changed(originalOf(row), value));
  const count = row.querySelector(".count");
  if (count.textContent !== words) count.textContent = words;
}

export function setUp(row, onChange, save) {
  const field = fieldOf(row);
  let saving;
  let counting;
  const keep = () => {
    clearTimeout(saving);
    save(field.name, field.value);
  };
  const show = () => {
    refresh(row);
    onChange();
  };
  field.addEventListener("input", () => {
    clearTimeout(saving);
    clearTimeout(counting);
    tickOf(row).checked = false;
    saving = setTimeout(keep, SAVED_AFTER);
    counting = setTimeout(show, COUNTED_AFTER);
  });
  field.addEventListener("change", keep); // it lost the focus
  tickOf(row).addEventListener("change", ({ target }) => save(target.name, target.checked ? "1" : "0"));
  row.querySelector(".again").addEventListener("click", () => {
    const isBack = field.value === originalOf(row);
    const wanted = isBack ? row.mine : originalOf(row);
    row.mine = isBack ? undefined : field.value;
    replaceAll(field, wanted);
    keep();
    show();
  });
  refresh(row);
}

// As if it were typed, so that the browser's own undo can take it back.
function replaceAll(field, text) {
  field.focus();
  field.select();
  const isDone = document.execCommand(text ? "insertText" : "delete", false, text);
  if (!isDone || field.value !== text) field.value = text;
}
