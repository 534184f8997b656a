// How words of the worker's own came about: how often something was pasted, how many
// characters that were, and how often the page was left for a while from a text field.
// Counts only: neither what was pasted nor what was typed goes into them.
const AWAY = 5_000; // ms
const COUNTS = ["pastes", "pasted", "left"];

export function watchWriting(form) {
  const field = form.elements.writing;
  // A reload, or another device, continues from what the server knows.
  const known = field.value.split(":").map(Number);
  const counts = Object.fromEntries(COUNTS.map((name, at) => [name, known[at] || 0]));
  const keep = () => (field.value = COUNTS.map((name) => counts[name]).join(":"));
  let since = null; // when a text field was left together with the page
  let cut = ""; // what was last cut here, and may be pasted again

  function onPaste({ target, clipboardData, dataTransfer }) {
    const text = (clipboardData ?? dataTransfer)?.getData("text/plain") ?? "";
    if (!isField(target) || !text || standsHere(form, text, cut)) return;
    counts.pastes += 1;
    counts.pasted += text.length;
    keep();
  }
  form.addEventListener("paste", onPaste);
  form.addEventListener("drop", onPaste);
  form.addEventListener("cut", ({ target: { value, selectionStart, selectionEnd } }) => {
    cut = value?.slice(selectionStart, selectionEnd) ?? "";
  });

  const leave = () => {
    if (isField(document.activeElement)) since ??= performance.now();
  };
  const comeBack = () => {
    if (since !== null && performance.now() - since >= AWAY) counts.left += 1;
    since = null;
    keep();
  };
  // A window that loses the focus may stay in sight, and one that is hidden may keep it.
  addEventListener("blur", leave);
  addEventListener("focus", comeBack);
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : comeBack()));
  keep();
}

const isField = (element) => element?.tagName === "TEXTAREA";

// Whoever quotes a text of the page, or moves words of their own, writes all the same.
function standsHere(form, text, cut) {
  const plain = (words) => [...words].filter((one) => one.trim()).join(""); // a break is no news
  const here = [cut, document.body.textContent, ...[...form.querySelectorAll("textarea")].map(({ value }) => value)];
  return here.some((words) => plain(words).includes(plain(text)));
}
