// Puts a sentence at the end of a text, that nobody sees and nothing reads aloud. Who
// copies the text copies it, too. It styles itself, so that it stays out of sight where
// style sheets fail, and it is not there on paper. Without this script there is none.
const UNSEEN = {
  position: "absolute",
  width: "1px",
  height: "1px",
  overflow: "hidden",
  "clip-path": "inset(50%)",
  "white-space": "nowrap",
};

export function insert(template) {
  const text = document.getElementById(template.dataset.at)?.querySelector("[translate=no]");
  const words = template.content.firstElementChild.cloneNode(true);
  for (const [name, value] of Object.entries(UNSEEN)) words.style.setProperty(name, value, "important");
  const put = () => {
    text?.append(words);
    const { width, height } = words.getBoundingClientRect();
    if (width > 1 || height > 1) words.remove(); // it could be seen
  };
  addEventListener("beforeprint", () => words.remove());
  addEventListener("afterprint", put);
  put();
}
