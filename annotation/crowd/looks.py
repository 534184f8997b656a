"""How a text looks on a worker's page: its letters, its direction, and its room."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import Study
from annotation.models.studies import OF_ENGLISH

# From here on a text fills a window by itself, and on wide screens its questions stand
# beside it: about 30 lines of the rating page.
LONG = 2_000  # characters of English
LONG_IN_LINES = 30
# Lines of code are shorter. What has a longer one is prose with indents, such as a list
# in a list: nobody should have to scroll each sentence.
WIDEST_CODE = 120  # characters


@dataclass(frozen=True, slots=True)
class Look:
    monospaced: bool = False
    scrolls: bool = False  # long lines do, rather than go on below
    direction: str = "auto"  # as HTML has it; code runs from left to right
    long: bool = False

    @property
    def classes(self) -> str:
        names = {
            "preformatted": self.monospaced,
            "scrolls": self.scrolls,
            "long": self.long,
        }
        return " ".join(["text", *(name for name, holds in names.items() if holds)])


def of(text: str, study: Study) -> Look:
    """How a text, or its opening, is shown."""
    long = is_long(text, study.language)
    if study.monospaced == Study.Monospaced.ALWAYS:
        return Look(monospaced=True, scrolls=True, direction="ltr", long=long)
    if study.monospaced == Study.Monospaced.NEVER or not is_preformatted(text):
        return Look(long=long)
    scrolls = max(map(len, text.splitlines())) <= WIDEST_CODE
    return Look(monospaced=True, scrolls=scrolls, long=long)


def of_source(text: str, study: Study) -> Look:
    """How the prompt beside the texts is shown: in words, where all texts are code."""
    long = is_long(text, study.language)
    allowed = study.monospaced != Study.Monospaced.NEVER
    return Look(monospaced=allowed and is_preformatted(text), long=long)


def is_preformatted(text: str) -> bool:
    """Whether it looks like code: a quarter of its lines, and 3, are indented."""
    if "\n " not in text and "\n\t" not in text:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    indented = sum(line.startswith(("  ", "\t")) for line in lines)
    return indented >= 3 and 4 * indented >= len(lines)


def is_long(text: str, language: str) -> bool:
    """Whether it fills a window by itself. Chinese and Japanese do so with less."""
    of_english = len(text) * OF_ENGLISH.get(language, 1)
    return of_english > LONG or text.count("\n") >= LONG_IN_LINES
