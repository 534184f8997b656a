// The frame of a page: rows of links that scroll to the side, the menu, and times.

// A row tells that there is more of it, and shows where the reader is.
for (const strip of document.querySelectorAll(".strip")) {
  const mark = () => {
    const room = strip.scrollWidth - strip.clientWidth;
    strip.classList.toggle("more-left", strip.scrollLeft > 2);
    strip.classList.toggle("more-right", strip.scrollLeft < room - 2);
  };
  const current = strip.querySelector("[aria-current]");
  if (current) {
    const middle = current.offsetLeft + current.offsetWidth / 2;
    strip.scrollLeft = middle - strip.offsetLeft - strip.clientWidth / 2;
  }
  strip.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(strip);
}

// The menu closes with Escape, or when something else is pressed.
const menu = document.querySelector("details.me");
document.addEventListener("click", (event) => {
  if (menu?.open && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu?.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// Times come in UTC; they are shown in the reader's own time zone, which they name.
const readable = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

function showMoments(root) {
  for (const time of root.querySelectorAll("time[data-moment]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title = time.textContent;
    time.textContent = readable.format(moment);
    delete time.dataset.moment; // done: htmx may bring others into the same page
  }
}

showMoments(document);
document.addEventListener("htmx:load", (event) => showMoments(event.target.parentNode ?? document));
