// Light, dark or the system's theme. Loaded before the first paint, so nothing flashes.
const THEMES = ["light", "dark"];

function storedTheme() {
  // Reading fails where the browser forbids storage: then the system's theme holds.
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}

function applyTheme(theme) {
  if (THEMES.includes(theme)) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

applyTheme(storedTheme());

document.addEventListener("DOMContentLoaded", () => {
  const choice = document.getElementById("theme");
  if (!choice) return;
  choice.hidden = false;
  choice.value = document.documentElement.dataset.theme ?? "";
  choice.addEventListener("change", () => {
    applyTheme(choice.value);
    try {
      localStorage.setItem("theme", choice.value);
    } catch {
      // Nothing to keep it in: the choice lasts as long as the page.
    }
    document.dispatchEvent(new CustomEvent("themechange"));
  });
});
