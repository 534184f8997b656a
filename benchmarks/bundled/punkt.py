"""Train the parameters of `annotation.sentences.splitting` from plain text.

python -m benchmarks.bundled.punkt --data DIR [--out FILE]

NLTK's own English parameters need a download; these ship with the app. They come from
three kinds of English, because each has abbreviations of its own: newsgroup messages
("Corp.", "Gen."), books ("Mrs.", "Esq.") and film reviews ("Jr.", "vs.").

Punkt takes a word for an abbreviation only if it hardly ever stands without its
period, which in a large and careless corpus is true of no word at all. So it is trained
on parts of a million characters, and what several parts agree on is kept.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nltk.tokenize.punkt import PunktParameters, PunktTrainer

# Not taken from the splitter, which cannot be imported without the file.
FILE = (
    Path(__file__).resolve().parents[2] / "annotation" / "sentences" / "sentences.json"
)

# Characters taken of each collection, spread evenly over it.
BUDGETS = {
    "text_20newsgroups": 14_000_000,
    "text_books": 7_000_000,
    "text_imdb": 8_000_000,
}
PART = 1_000_000  # characters
MIN_PARTS = 2  # parts that must agree
MIN_PERIOD_SHARE = 0.5  # of a word's occurrences, for it to be an abbreviation
# A word at the start of a sentence must be one in many parts: names are in a few.
MIN_STARTER_PARTS = 5
# Rarer words tell nothing about how they are written at a sentence's start.
MIN_ORTHOGRAPHY_COUNT = 25

_QUOTED = re.compile(r"^(?:[>|:}#\]]|.{0,60}(?:writes|wrote):).*$", re.MULTILINE)
_BREAK = re.compile(r"(?:<br />\s*)+")
_WORD = re.compile(r"[a-z]+(?:[.-][a-z]+)*")
# In books they stand before periods ("Vol. III. p. 5"), elsewhere at a sentence's end.
_NUMERAL = re.compile(r"(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})")


def newsgroups(folder: Path) -> Iterator[str]:
    """Bodies of messages, without quotations, signatures, tables and encoded files."""
    for row in _rows(folder / "20_newsgroups.jsonl.gz"):
        body = _QUOTED.sub("", row["text"].partition("\n\n")[2].partition("\n-- \n")[0])
        lines = body.split("\n")
        yield "\n".join(line for line in lines if not line.strip() or _is_prose(line))


def books(folder: Path) -> Iterator[str]:
    """Pieces of some paragraphs each."""
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        paragraphs = re.split(r"\n\s*\n", text)
        for start in range(0, len(paragraphs), 50):
            yield "\n\n".join(paragraphs[start : start + 50])


def reviews(folder: Path) -> Iterator[str]:
    for name in ("train_pos", "train_neg"):
        for row in _rows(folder / f"{name}.jsonl.gz"):
            yield _BREAK.sub("\n\n", row["text"])


READERS = {
    "text_20newsgroups": newsgroups,
    "text_books": books,
    "text_imdb": reviews,
}


def sample(texts: Iterable[str], budget: int) -> list[str]:
    """Every k-th text, so that what is kept has about `budget` characters."""
    found = list(texts)
    return found[:: max(1, round(sum(map(len, found)) / budget))]


def parts(texts: Iterable[str]) -> Iterator[str]:
    """Join texts to parts of about PART characters, without a last short one."""
    waiting: list[str] = []
    for text in texts:
        waiting.append(text)
        if sum(map(len, waiting)) >= PART:
            yield "\n\n".join(waiting)
            waiting = []


class Votes:
    """How many parts have found each parameter, and how often words occur at all."""

    def __init__(self) -> None:
        self.n_parts = 0
        self.abbreviations: Counter[str] = Counter()
        self.collocations: Counter[tuple[str, str]] = Counter()
        self.starters: Counter[str] = Counter()
        self.orthography: Counter[tuple[str, int]] = Counter()
        self.words: Counter[str] = Counter()

    def add(self, part: str) -> None:
        """Train on one part (Kiss & Strunk 2006) and count what it found."""
        trainer = PunktTrainer()
        trainer.train(part)
        found: PunktParameters = trainer.get_params()
        self.n_parts += 1
        self.abbreviations.update(found.abbrev_types)
        self.collocations.update(found.collocations)
        self.starters.update(found.sent_starters)
        for word, flags in found.ortho_context.items():
            self.orthography.update((word, 1 << k) for k in range(8) if flags >> k & 1)
        self.words.update(trainer._type_fdist)  # noqa: SLF001 - no public counts

    def result(self) -> dict[str, Any]:
        """What enough parts agree on, sorted to make the diffs of trainings small."""
        return {
            "abbreviations": [
                word
                for word in _agreed(self.abbreviations, MIN_PARTS)
                if _is_abbreviation(word)
                and self._period_share(word) > MIN_PERIOD_SHARE
            ],
            "collocations": _agreed(self.collocations, MIN_PARTS),
            "sentence_starters": _agreed(self.starters, MIN_STARTER_PARTS),
            "orthography": self._orthography(),
        }

    def _period_share(self, word: str) -> float:
        with_period = self.words[word + "."]
        return with_period / max(1, with_period + self.words[word])

    def _orthography(self) -> dict[str, int]:
        flags: Counter[str] = Counter()
        for word, flag in _agreed(self.orthography, MIN_PARTS):
            if self.words[word] + self.words[word + "."] >= MIN_ORTHOGRAPHY_COUNT:
                flags[word] |= flag
        return dict(sorted(flags.items()))


def _agreed(votes: Counter[Any], least: int) -> list[Any]:
    return sorted(found for found, n in votes.items() if n >= least)


def _is_abbreviation(word: str) -> bool:
    numeral = len(word) > 1 and _NUMERAL.fullmatch(word)
    return bool(_WORD.fullmatch(word)) and not numeral


def _is_prose(line: str) -> bool:
    plain = sum(character.isalpha() or character == " " for character in line)
    return " " in line.strip() and plain > 0.8 * len(line)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of text_*")
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args()
    votes, data = Votes(), {}
    for name, budget in BUDGETS.items():
        texts = sample(READERS[name](options.data / name), budget)
        data[name] = {"texts": len(texts), "characters": sum(map(len, texts))}
        for part in parts(texts):
            votes.add(part)
            print(f"part {votes.n_parts}, {name}", flush=True)
    provenance = {
        "made_by": "python -m benchmarks.bundled.punkt",
        "made_on": datetime.now(UTC).date().isoformat(),
        "nltk": version("nltk"),
        "data": data,
        "parts": votes.n_parts,
        "min_parts": MIN_PARTS,
        "min_starter_parts": MIN_STARTER_PARTS,
        "min_period_share": MIN_PERIOD_SHARE,
        "min_orthography_count": MIN_ORTHOGRAPHY_COUNT,
    }
    content = {"provenance": provenance, **votes.result()}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    options.out.write_text(text + "\n", encoding="utf-8")
    sizes = {key: len(value) for key, value in content.items()}
    print(f"{options.out}: {len(text.encode())} bytes, {sizes}")


if __name__ == "__main__":
    main()
