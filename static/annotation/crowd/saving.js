// Sends every change to the server at once; keeps what it has not confirmed.
//
// The order of safety: the page itself, this device's storage, and in the end a file.
import { restore } from "./slider.js";

const PATIENCE = 3; // failures in a row before the page says what to do
const LONGEST_WAIT = 30; // seconds
const FRESH = 60_000; // ms that a save counts as "just now"
const BEAT = 60_000; // ms between two signs that someone is still reading

const form = document.getElementById("rating");
const status = document.getElementById("status");
const spoken = document.getElementById("spoken");
const trouble = document.getElementById("trouble");
const key = `rating:${form.dataset.seat}`;
const unsaved = readUnsaved(); // field name -> value that the server has not confirmed
let sending = false;
let failures = 0;
// Researchers try pages in a preview, which has no such address: nothing is saved there.
const isPreview = form.dataset.answerUrl === undefined;
let stopped = isPreview; // or the server refuses: trying again would not help
let handing = false; // the form is on its way, and carries every answer itself
let gone = false; // nothing is left to warn of
let leaving = false; // another page may be on its way, drawn before the last save
let request = new AbortController();
let wake = () => {};
let sentTimes = form.elements.visible.value;

// A second net under the server: what it has not confirmed outlives a reload. -------------

function readUnsaved() {
  try {
    return new Map(Object.entries(JSON.parse(localStorage.getItem(key) ?? "{}")));
  } catch {
    return new Map(); // storage is forbidden: the server's copy has to do
  }
}

function keepUnsaved() {
  try {
    if (unsaved.size) localStorage.setItem(key, JSON.stringify(Object.fromEntries(unsaved)));
    else localStorage.removeItem(key);
  } catch {
    // As above.
  }
}

export function restoreUnsaved() {
  for (const [name, value] of unsaved) {
    const control = form.elements.namedItem(name);
    const row = document.getElementById(name);
    const isSlider = row?.matches("fieldset[data-slider]");
    const isTick = control?.type === "checkbox";
    if (isTick) control.checked = value === "1";
    else if (control && !isSlider) control.value = value;
    const now = isTick ? value : isSlider ? restore(row, value) : control?.value;
    // A value that is no choice of its question, of an older page, is dropped.
    if (now !== value) unsaved.delete(name);
  }
  if (unsaved.size) sendAll();
}

// Words about it ---

let later;
function show(words, isProblem = false) {
  clearTimeout(later);
  status.textContent = words;
  status.classList.toggle("problem", isProblem);
}

// Aloud, too. Words that stay the same are not read again: a reader who rates by ear hears
// of the first save, of trouble and of its end, not of every answer.
function say(words, isProblem) {
  show(words, isProblem);
  if (spoken.textContent !== words) spoken.textContent = words;
}

function saySaved() {
  say(form.dataset.savedNow);
  later = setTimeout(() => show(form.dataset.allSaved), FRESH);
}

function showTrouble(kind) {
  for (const part of trouble.querySelectorAll("[data-when]")) {
    part.hidden = !part.dataset.when.split(" ").includes(kind);
  }
  trouble.hidden = false;
}

// Saving ---

export function save(name, value) {
  if (isPreview) return;
  leaving = false;
  unsaved.set(name, value);
  keepUnsaved();
  if (stopped || handing) return;
  if (!failures) show(form.dataset.saving);
  sendAll();
}

function post(fields) {
  return fetch(form.dataset.answerUrl, {
    method: "POST",
    body: new URLSearchParams({ ...fields, visible: form.elements.visible.value, writing: form.elements.writing.value }),
    headers: { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
    redirect: "error",
    signal: request.signal,
  }).catch(() => null);
}

// One request at a time, so that an answer changed twice ends with its last value.
async function sendAll() {
  if (sending) return;
  sending = true;
  while (unsaved.size && !handing && !stopped) {
    const sent = Object.fromEntries(unsaved);
    const times = form.elements.visible.value;
    const response = await post(sent);
    if (handing) break;
    if (response?.ok) confirm(sent, times);
    else if (!response || response.status >= 500 || response.status === 429) await waitAfterFailure();
    else refuse(response.status);
  }
  sending = false;
  // After a refusal nothing waits any more, and nothing was saved.
  if (!unsaved.size && !stopped && !handing) saySaved();
}

function confirm(sent, times) {
  failures = 0;
  sentTimes = times;
  trouble.hidden = true;
  for (const [name, value] of Object.entries(sent)) {
    if (unsaved.get(name) === value) unsaved.delete(name);
  }
  // After a reload this page lives until the next one arrives, which may know less: what
  // is confirmed in between stays in this device's storage, and is sent once more.
  if (!leaving) keepUnsaved();
}

function refuse(code) {
  stopped = true;
  say(form.dataset.notSaved, true);
  if (code === 409) lock();
  keepUnsaved();
  showTrouble(code === 409 ? "over" : "refused");
}

// The page was handed in elsewhere, or the worker's part is over: nothing can be added.
function lock() {
  unsaved.clear();
  for (const control of form.elements) control.disabled = true;
}

async function waitAfterFailure() {
  const seconds = Math.min(2 ** failures++, LONGEST_WAIT);
  say(form.dataset.retrying.split("{n}").join(seconds), true);
  if (failures >= PATIENCE) showTrouble("offline");
  let timer;
  await new Promise((resolve) => {
    wake = resolve;
    timer = setTimeout(resolve, seconds * 1000);
    addEventListener("online", resolve, { once: true });
  });
  clearTimeout(timer);
}

document.getElementById("retry").addEventListener("click", () => wake());

// Who reads for long keeps their place, too. Nobody needs to hear if that fails.
setInterval(async () => {
  const times = form.elements.visible.value;
  if (times === sentTimes || sending || stopped || handing || unsaved.size) return;
  const response = await post({});
  if (response?.ok) sentTimes = times;
  else if (response?.status === 409 && !handing) refuse(409);
}, BEAT);

// A file, when nothing else works ------------------------------------------------------------

function everything() {
  const fields = new FormData(form);
  fields.delete("csrfmiddlewaretoken");
  const filled = [...fields].filter(([, value]) => value !== "");
  return { page: form.dataset.seat, written: new Date().toISOString(), fields: Object.fromEntries(filled) };
}

document.getElementById("download").addEventListener("click", () => {
  const file = new Blob([JSON.stringify(everything(), null, 2)], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `answers-page-${form.dataset.page}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
});

// Leaving ---

// What sending.js says of this form. Each try takes along whatever is there by then.
form.addEventListener("progress", ({ detail }) => {
  if (detail === "sending") hand();
  else if (detail.startsWith("sent")) done(detail);
  else say(detail, true);
});

function hand() {
  handing = true;
  request.abort(); // one more request would come too late
  wake();
  show(form.dataset.sending);
}

function done(how) {
  gone = true;
  if (how !== "sent") return; // the browser sends it once more, and that may fail
  unsaved.clear();
  keepUnsaved();
}

addEventListener("beforeunload", (event) => {
  leaving = unsaved.size > 0;
  if ((unsaved.size || handing) && !gone) event.preventDefault();
});
// Back on a page that the browser had kept: what was cut off is sent again.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  handing = gone = leaving = false;
  request = new AbortController();
  if (unsaved.size) sendAll();
});
