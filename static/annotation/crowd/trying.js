// Practice: what a kind of page asks in a way of its own works as on its pages. Nothing is
// saved before the form is sent.
const form = document.querySelector("form[data-script]");
const { isOwn, setUp } = await import(form.dataset.script);
const nothing = () => {};
for (const row of form.querySelectorAll("fieldset")) if (isOwn(row)) setUp(row, nothing, nothing);
