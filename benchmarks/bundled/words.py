"""In how many sentences each word occurs: for models without a table of frequencies.

python -m benchmarks.bundled.words --data FOLDER --out FILE

CTRLEval weighs what it predicts by inverse word frequencies (Ke et al. 2022, eq. 7),
one for each token of the model. A model that brings no such table gets one from this
list: `scoring.metrics._ctrleval.word_list` hands each word's sentences to its tokens.

The first line of FILE, which is compressed, has the number of sentences; each further
one a word, a tab and the number of sentences with it. A word is what white space
separates, without the marks at its ends; each of these marks is a word, too. Case is
kept. Words of fewer than FEWEST sentences are left out.
"""

from __future__ import annotations

import argparse
import gzip
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from annotation import sentences
from benchmarks.bundled import texts

FEWEST = 10
LONGEST = 30  # characters of a word
MARKS = string.punctuation + "“”‘’—–…"


def counted(documents: Iterable[texts.Document]) -> tuple[Counter[str], int]:
    """Sentences by word, and how many sentences there are.

    Of the documents to learn from: what is held out stays unseen here, too.
    """
    found: Counter[str] = Counter()
    n = 0
    for document in documents:
        if texts.is_held_out(document.text):
            continue
        for sentence in sentences.split(document.text):
            found.update(set(words(sentence)))
            n += 1
    return found, n


def words(sentence: str) -> Iterator[str]:
    """Words and the marks at their ends, with their case.

    >>> list(words('He said: "Don\\'t!"'))
    ['He', 'said', ':', "Don't", '"', '!']
    """
    for word in sentence.split():
        core = word.strip(MARKS)
        if 0 < len(core) <= LONGEST:
            yield core
        start = word.find(core) if core else len(word)
        yield from dict.fromkeys(word[:start] + word[start + len(core) :])


def write(found: Counter[str], n: int, out: Path) -> None:
    """The same bytes for the same counts."""
    rows = [(word, count) for word, count in found.items() if count >= FEWEST]
    rows.sort(key=lambda row: (-row[1], row[0]))
    lines = [str(n), *(f"{word}\t{count}" for word, count in rows)]
    with gzip.GzipFile(out, "wb", mtime=0) as file:
        file.write("\n".join(lines).encode() + b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found, n = counted(texts.read(options.data))
    write(found, n, options.out)
    print(f"sentences: {n}")


if __name__ == "__main__":
    main()
