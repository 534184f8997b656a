// Keys for reading many texts: what has data-key="j" is pressed with j.
const ARROWS = { ArrowRight: "j", ArrowLeft: "k" };

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const words = document.getElementById("words");
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const key = ARROWS[event.key] ?? event.key;
  if (key === "x" && words) {
    event.preventDefault(); // or the letter appears in the field
    words.focus();
    return;
  }
  const target = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (!target || event.repeat) return;
  event.preventDefault();
  target.click();
});
