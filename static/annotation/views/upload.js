// A file that is dropped on the form, or chosen, is sent at once.
for (const form of document.querySelectorAll("[data-drop]")) {
  const input = form.querySelector("input[type=file]");
  const said = form.querySelector("[data-sending]");

  function send() {
    if (!input.files.length) return;
    said.textContent = `Sending ${input.files[0].name}…`;
    form.requestSubmit();
  }

  input.addEventListener("change", send);
  for (const name of ["dragover", "dragenter"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    form.addEventListener(name, () => form.classList.remove("over"));
  }
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    send();
  });
}
