// Keys that are pressed while the scripts of the rating page are still on their way: they
// are kept, and pressed again once rating.js listens. No module, so that it runs at once.
{
  const MOST = 20;
  const early = [];
  const keep = ({ key, code, target, ctrlKey, altKey, metaKey, repeat }) => {
    if (ctrlKey || altKey || metaKey || repeat || early.length === MOST) return;
    if (target.matches?.("textarea, input:not([type=radio])")) return;
    // Such as a digit: what other keys do, browsers have done.
    if (key.length === 1 && key !== " ") early.push({ key, code });
  };
  addEventListener("keydown", keep, { capture: true });
  addEventListener("listening", () => {
    removeEventListener("keydown", keep, { capture: true });
    for (const { key, code } of early) {
      const event = new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(event);
    }
  }, { once: true });
}
