// Shows the settings of the kinds of pages that are chosen. Without it they come once these
// are saved.
const form = document.querySelector("form.settings");
const parts = [...form.querySelectorAll("select[name^=part_]")];
const sections = [...form.querySelectorAll("[data-kind]")];

function show() {
  const chosen = parts.map(({ value }) => value);
  for (const section of sections) section.hidden = !chosen.includes(section.dataset.kind);
}

form.addEventListener("change", show);
addEventListener("pageshow", show);
