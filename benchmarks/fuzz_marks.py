"""Any letters, any selection: does a mark ever shift on its way to the table and back?

    .venv/bin/python -m benchmarks.fuzz_marks --texts 100000 [--seed 1]

Texts are of letters with which an offset goes wrong: two units of a browser, several
code points, mirrored, of no width, ends of lines. Each is shown in Chromium as a page
shows it, with marks on it already; a selection is made between any two units; the own
script of the site counts it, its form is read, and the mark is stored and shown again.
What is right is counted by other means: UTF-16 is cut and decoded. Ends with 1 if any
differs.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

ROOT = Path(__file__).resolve().parent.parent
SITE = "http://marks.test"
BATCH = 500
MOST_PARTS, MOST_MARKS = 14, 4
NASTY = (
    *("\r\n", "\n", "\r", "\n\r", "\t", " ", "  ", "\u00a0", "\u2028", "\x0b", "\x0c"),
    *("👩‍👩‍👧", "👍🏽", "🇩🇪", "𝒳", "𠮷", "\U0010ffff", "é", "e\u0301", "ก็", "नि", "각"),
    *("\u200b", "\u200d", "\ufeff", "\u00ad", "\u202e", "\u2067", "\u061c"),
    *("שלום", "مرحبا", "لَا", "1٢٣", "<b>", "&amp;", "&#10;", '"', "'", "--", "<!--"),
    *("The", "end", "of.", "中文", "ー", "ﷺ", "ß", "İ", "\ufffd", "\x01", "\x85"),
)
# What a browser shows of a text, and what its script counts of a selection in units.
SHOW = """async ([pages, selections]) => {
  const { pointsBefore } = await import("/static/annotation/kinds/spans/offsets.js");
  return pages.map((html, n) => {
    const box = document.createElement("div");
    box.className = "text";
    box.innerHTML = html;
    const root = box.querySelector("[data-side]");
    const text = root.textContent;
    const units = text.length;
    const [from, to] = selections[n].map((share) => Math.round(share * units));
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const place = (at) => {
      walker.currentNode = root;
      for (let left = at; walker.nextNode(); left -= walker.currentNode.length) {
        if (left <= walker.currentNode.length) return [walker.currentNode, left];
      }
      return [root, 0];
    };
    const range = document.createRange();
    range.setStart(...place(from));
    range.setEnd(...place(to));
    const before = document.createRange();
    before.setStart(root, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length;
    return {
      text,
      units: [start, start + range.toString().length],
      start: pointsBefore(text, start),
      end: pointsBefore(text, start + range.toString().length, true),
    };
  });
}"""


class Case(NamedTuple):
    text: str
    places: list[tuple[int, int]]  # marked already, in characters that a page shows
    selection: tuple[float, float]  # where it begins and ends, as shares of the text


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    django.setup()
    wrong: Counter[str] = Counter()
    first: dict[str, Case] = {}
    numbers = range(asked.texts)
    with browser() as show:
        for at in numbers[::BATCH]:
            seeds = (f"{asked.seed} {n}" for n in numbers[at : at + BATCH])
            cases = [case_of(random.Random(seed)) for seed in seeds]
            pages, selections = map(page_of, cases), (case.selection for case in cases)
            answers = show(list(pages), list(selections))
            for case, answer in zip(cases, answers, strict=True):
                for fault in faults(case, answer):
                    wrong[fault] += 1
                    first.setdefault(fault, case)
    print(f"{asked.texts} texts and selections, {sum(wrong.values())} faults")
    for fault, times in wrong.most_common():
        print(f"{times:7}  {fault}, first: {first[fault]!r}")
    return int(bool(wrong))


def case_of(rng: random.Random) -> Case:
    parts = rng.choices(NASTY, k=rng.randint(0, MOST_PARTS))
    if rng.random() < 0.3:  # and letters that nobody thought of
        parts += [chr(any_letter(rng)) for _ in range(rng.randint(1, 4))]
        rng.shuffle(parts)
    text = "".join(parts)
    n = len(text.replace("\r\n", "\n"))
    ends = (sorted(rng.choices(range(n + 1), k=2)) for _ in range(rng.randint(0, 4)))
    low, high = sorted((rng.random(), rng.random()))
    return Case(text, [(start, end) for start, end in ends], (low, high))


def any_letter(rng: random.Random) -> int:
    """A code point that can be stored: neither NUL nor half of a pair."""
    point = rng.randint(1, 0x10FFFF - 0x800)
    return point if point < 0xD800 else point + 0x800


def page_of(case: Case) -> str:
    """The text as the page of a worker has it."""
    from django.template.loader import render_to_string

    from annotation.kinds.spans import cards
    from annotation.kinds.spans.marks import Mark
    from annotation.kinds.spans.scheme import ESA
    from annotation.kinds.spans.sides import Side

    on = [Mark(start, end, "", "minor") for start, end in case.places]
    parts = cards.parts_of(Side("text", case.text), on, ESA)
    values = {"side": "text", "parts": parts}
    return render_to_string("annotation/kinds/spans/_parts.html", values)


def faults(case: Case, answer: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a mark of this selection."""
    from annotation.kinds.spans import form_fields, marks
    from annotation.kinds.spans.marks import Mark, Placed
    from annotation.kinds.spans.scheme import ESA
    from annotation.kinds.spans.sides import MarkedUnit, Side

    page = lines_of(case.text)
    if answer["text"] != page:
        yield "a browser has another text"
        return
    start, end = in_points(page, *answer["units"])
    if (answer["start"], answer["end"]) != (start, end):
        yield "the script counts otherwise"
        return
    sent = Placed(Mark(start, end, "", "major"), page[start:end])
    unit = MarkedUnit(1, {"text": Side("text", case.text)})
    field = urlencode({"marks-1": marks.written([sent]), "clean-1": "0"})
    read = form_fields.read(1, dict(parse_qsl(field)), unit, ESA)
    if list(read.marks or ()) != [sent]:
        yield "the form says something else"
    if marks.problem([sent], unit.shown, ESA):
        yield "the mark is refused"
    stored = marks.stored(sent, case.text)
    mark = stored.mark
    if stored.words != case.text[mark.start : mark.end]:
        yield "other words are stored"
    if lines_of(case.text[: mark.start]) + page[start:] != page:
        yield "the stored place begins elsewhere"
    if page[:end] + lines_of(case.text[mark.end :]) != page:
        yield "the stored place ends elsewhere"
    again = json.loads(json.dumps(stored))
    if marks.as_shown(Placed(Mark(*again[0]), again[1]), case.text) != sent:
        yield "a page shows another place"


def lines_of(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def in_points(text: str, start: int, end: int) -> tuple[int, int]:
    """Of a selection in units; one that cuts a letter takes all of it."""
    units = text.encode("utf-16-le")
    before = units[: 2 * start].decode("utf-16-le", "ignore")
    after = units[2 * end :].decode("utf-16-le", "ignore")
    # Half a letter is left out on either side, so that it lies between them.
    return len(before), len(text) - len(after)


class browser:  # noqa: N801 - it is used as a function
    """Chromium with the site's scripts, and nothing else of it."""

    def __enter__(self) -> Any:
        from playwright.sync_api import sync_playwright

        self.playwright = sync_playwright().start()
        path = "/usr/bin/chromium"
        here = {"executable_path": path} if Path(path).exists() else {}
        self.chromium = self.playwright.chromium.launch(**here, args=["--no-sandbox"])
        page = self.chromium.new_page()
        page.route("**/*", self._answer)
        page.goto(SITE)
        return lambda *values: page.evaluate(SHOW, list(values))

    def _answer(self, route: Any) -> None:
        path = urlsplit(route.request.url).path
        if path.startswith("/static/"):
            script = (ROOT / path.lstrip("/")).read_text()
            return route.fulfill(body=script, content_type="text/javascript")
        return route.fulfill(body="<!DOCTYPE html>", content_type="text/html")

    def __exit__(self, *_: object) -> None:
        self.chromium.close()
        self.playwright.stop()


if __name__ == "__main__":
    sys.exit(main())
