// Sends the forms of a worker's page, so that a lost connection never ends on the browser's
// own error page: the page stays as it is, says so, and tries again until an answer comes.
// Sent twice is the same as once: the server sees to that. Without this script the
// browser sends the forms.
const PATIENCE = 30_000; // ms for an answer
const LONGEST_WAIT = 15; // seconds between two tries

let sent; // what is being sent: a button pressed later takes its place
let byBrowser = false;
let wake = () => {};

document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  if (event.defaultPrevented || byBrowser || form.method !== "post") return;
  // Mechanical Turk gets its own form from the browser.
  if (new URL(addressOf(form, button)).origin !== location.origin) return;
  event.preventDefault();
  send(form, button);
});

function addressOf(form, button) {
  return button?.hasAttribute("formaction") ? button.formAction : form.action;
}

async function send(form, button) {
  wake(); // what waits gives way
  const mine = (sent = {});
  for (let tries = 0; sent === mine; tries++) {
    tell(form, "sending");
    const answer = await post(form, button);
    if (sent !== mine) return;
    if (answer && answer.status < 500 && answer.status !== 429) return follow(answer, form, button);
    await waitAndSay(form, button, Math.min(2 ** tries, LONGEST_WAIT));
  }
}

// Build it again each time: answers may have changed while we waited.
function post(form, button) {
  const body = new URLSearchParams(new FormData(form));
  if (button?.name) body.append(button.name, button.value);
  return fetch(addressOf(form, button), {
    method: "POST",
    body,
    headers: { "X-Sent-By-Script": "1" },
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE),
  }).catch(() => null);
}

function follow(answer, form, button) {
  const next = answer.headers.get("X-Go-To");
  if (!next) return sendByBrowser(form, button); // a page that answers, not a way to go
  tell(form, "sent");
  const url = new URL(next, location.href);
  const isHere = url.pathname === location.pathname && url.search === location.search;
  if (!isHere) return location.assign(url);
  history.replaceState(null, "", url); // by itself it would only scroll there
  location.reload();
}

function sendByBrowser(form, button) {
  tell(form, "sent by browser");
  byBrowser = true;
  form.requestSubmit(button);
  byBrowser = false;
}

function tell(form, type) {
  form.dispatchEvent(new CustomEvent("progress", { detail: type }));
}

// Words about it ---------------------------------------------------------------------------

const notice = document.createElement("div");
notice.className = "notice bad not-sent";
notice.setAttribute("role", "alert");
const words = document.createElement("p");
const again = document.createElement("button");
again.type = "button";
again.className = "button";
again.textContent = document.body.dataset.tryAgain;
again.addEventListener("click", () => wake());
notice.append(words, again);

async function waitAndSay(form, button, seconds) {
  const { notSent, nothingLost } = document.body.dataset;
  const said = notSent.split("{n}").join(seconds);
  words.textContent = `${said} ${nothingLost}`;
  (button?.closest("p") ?? form.lastElementChild).after(notice);
  tell(form, said);
  let timer;
  await new Promise((resolve) => {
    wake = resolve;
    timer = setTimeout(resolve, seconds * 1000);
    addEventListener("online", resolve, { once: true });
  });
  clearTimeout(timer);
}
