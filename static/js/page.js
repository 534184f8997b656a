// What many pages share: copy buttons, one question before a loss, more on demand,
// numbers that renew themselves.

// <button data-copy="text"> copies its text and says so.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied ?? "Copied";
  } catch {
    button.textContent = button.dataset.notCopied ?? "Select and copy by hand";
  }
  setTimeout(() => (button.textContent = label), 2000);
});

// <form data-confirm="What will be lost."> asks once.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// <button data-shows="name"> gives the page a class "shows-name", and takes it away.
for (const button of document.querySelectorAll("[data-shows]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const on = document.body.classList.toggle(`shows-${button.dataset.shows}`);
    button.setAttribute("aria-pressed", String(on));
  });
}

// A waiting page that is asked to reload (HX-Refresh) takes in the new numbers where they
// stand instead: a reload would scroll away, forget what is open, and cancel a click.
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { xhr } = event.detail;
  if (xhr.getResponseHeader("HX-Refresh") !== "true") return;
  event.preventDefault();
  const place = document.getElementById("fresh") ? "#fresh" : "#content";
  htmx.ajax("GET", location.pathname + location.search, {
    source: document.body,
    target: place,
    select: place,
    swap: "outerHTML show:none",
  });
});

// A viewer of a study reads its forms, but cannot send them.
for (const form of document.querySelectorAll(".view-only form[method=post]:not([data-for-all])")) {
  for (const field of form.elements) {
    if (field.matches("textarea, input:not([type=checkbox], [type=radio], [type=file])")) field.readOnly = true;
    else field.disabled = true;
  }
}
