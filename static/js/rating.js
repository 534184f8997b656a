// The rating page: each answer is saved at once, and all of it works by keyboard.
// Without this script the page is a plain form.
const form = document.getElementById("rating");
const rows = [...form.querySelectorAll("fieldset")];
const status = document.getElementById("status");
const unsaved = readUnsaved(); // field name -> value that the server has not confirmed
let sending = false;
let failures = 0;
let leaving = false;
let request = new AbortController();

// A second net under the server: what it has not confirmed outlives a reload. -------------

function storageKey() {
  return `rating:${form.dataset.seat}`;
}

function readUnsaved() {
  try {
    return new Map(Object.entries(JSON.parse(localStorage.getItem(storageKey()) ?? "{}")));
  } catch {
    return new Map(); // storage is forbidden: the server's copy has to do
  }
}

function keepUnsaved() {
  try {
    if (unsaved.size) localStorage.setItem(storageKey(), JSON.stringify(Object.fromEntries(unsaved)));
    else localStorage.removeItem(storageKey());
  } catch {
    // As above.
  }
}

function restoreUnsaved() {
  for (const [name, value] of unsaved) {
    const input = form.querySelector(`input[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`);
    if (input) input.checked = true;
    else unsaved.delete(name);
  }
}

// Saving ---------------------------------------------------------------------------------

function say(words, isProblem = false) {
  status.textContent = words;
  status.classList.toggle("problem", isProblem);
}

function post([name, value]) {
  const body = new URLSearchParams({ [name]: value });
  return fetch(form.dataset.answerUrl, {
    method: "POST",
    body,
    headers: { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
    redirect: "error",
    signal: request.signal,
  });
}

// One request at a time, so that an answer changed twice ends with its last value.
async function saveAll() {
  if (sending) return;
  sending = true;
  while (unsaved.size) {
    const [name, value] = unsaved.entries().next().value;
    const response = await post([name, value]).catch(() => null);
    if (leaving) break;
    if (response?.ok) {
      failures = 0;
      if (unsaved.get(name) === value) unsaved.delete(name);
      keepUnsaved();
    } else if (!response || response.status >= 500 || response.status === 429) {
      await waitAfterFailure();
    } else {
      say("Not saved. Reload this page: your answers are kept on this device.", true);
      break;
    }
  }
  sending = false;
  if (!unsaved.size) say("Saved");
}

function waitAfterFailure() {
  const seconds = Math.min(2 ** failures++, 30);
  say(`Not saved yet. Retrying in ${seconds} s`, true);
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    addEventListener("online", done);
  });
}

form.addEventListener("change", ({ target }) => {
  if (target.type !== "radio") return;
  if (leaving) stay();
  unsaved.set(target.name, target.value);
  keepUnsaved();
  showProgress();
  if (!failures) say("Saving");
  saveAll();
});

addEventListener("beforeunload", (event) => {
  // A form on its way carries every answer itself.
  if (unsaved.size && !leaving) event.preventDefault();
});
// Back on a page that the browser had kept: what was cut off is sent again.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  stay();
  if (unsaved.size) saveAll();
});

function stay() {
  leaving = false;
  request = new AbortController();
}

// What is missing ------------------------------------------------------------------------

function isAnswered(row) {
  return row.querySelector("input:checked") !== null;
}

function openRows() {
  return rows.filter((row) => !isAnswered(row));
}

function count(n, noun) {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function showProgress() {
  const left = openRows();
  const words = left.length ? `${left.length} of ${rows.length} left` : "All answered";
  document.getElementById("progress").textContent = words;
  const box = document.getElementById("missing");
  if (!box.hidden) fillMissing(box, left);
}

function fillMissing(box, left) {
  box.hidden = left.length === 0;
  box.querySelector("h2").textContent = `${count(left.length, "answer")} missing`;
  const items = left.map((row) => {
    const link = document.createElement("a");
    link.href = `#${row.id}`;
    link.textContent = row.dataset.place;
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  box.querySelector("ul").replaceChildren(...items);
}

form.addEventListener("submit", (event) => {
  const isKeeping = event.submitter?.hasAttribute("formaction");
  const left = openRows();
  if (left.length && !isKeeping) {
    event.preventDefault();
    const box = document.getElementById("missing");
    fillMissing(box, left);
    box.focus();
    return;
  }
  // It carries every answer; one more request would come too late and be refused.
  leaving = true;
  request.abort();
});

document.getElementById("missing").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link) return;
  event.preventDefault();
  goTo(document.getElementById(link.hash.slice(1)));
});

// Keyboard -------------------------------------------------------------------------------

function goTo(row) {
  (row.querySelector("input:checked") ?? row.querySelector("input")).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

// The next open question, from the top again after the last; then the button.
function goOnFrom(row) {
  const left = openRows();
  const after = left.find((other) => row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = after ?? left[0];
  if (!next) return form.querySelector("button.primary").focus();
  goTo(next);
  const card = next.closest(".card");
  // A new text is there to be read first.
  if (card !== row.closest(".card")) card.scrollIntoView({ block: "start" });
}

function rate(row, value) {
  const input = row.querySelector(`input[value="${value}"]`);
  if (!input) return;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  goOnFrom(row);
}

function onDigit(value) {
  const row = document.activeElement.closest("fieldset");
  if (row) rate(row, value);
  // Nothing is in the frame: rating a question out of sight would surprise.
  else if (openRows().length) goTo(openRows()[0]);
}

form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.type !== "radio") return;
  event.preventDefault();
  if (openRows().length) goOnFrom(event.target.closest("fieldset"));
  else form.requestSubmit(form.querySelector("button.primary"));
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (/^\d$/.test(event.key)) onDigit(event.key);
  else if (event.key === "?") document.getElementById("keys").showModal();
});

// Dialogs --------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  const closer = event.target.closest("[data-closes]");
  if (!opener && !closer) return;
  event.preventDefault();
  if (opener) document.getElementById(opener.dataset.opens).showModal();
  else closer.closest("dialog").close();
});

// On a phone the prompt begins folded: its first words stay in sight.
const narrow = matchMedia("(max-width: 52rem)");
const fold = () => (document.querySelector(".prompt details").open = !narrow.matches);
narrow.addEventListener("change", fold);

fold();
restoreUnsaved();
showProgress();
if (unsaved.size) saveAll();
