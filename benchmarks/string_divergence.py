"""Time 5-gram models of 5000 reviews, and the divergence of 500 others from them.

All seconds are of the processor, since other work may wait for it too.

python -m benchmarks.string_divergence TEXT_IMDB [KENLM]

TEXT_IMDB is the folder with train_pos.jsonl.gz and train_neg.jsonl.gz, KENLM one with
KenLM's programs lmplz and query.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from scoring.metrics import SystemTexts, get
from scoring.metrics._distributions import ngrams

CORPUS, SYSTEM = 5000, 500
LAST_WORD = 230


def main(folder: Path, kenlm: Path | None) -> None:
    """Print what each step took."""
    human, own = read(folder, "train_pos", CORPUS), read(folder, "train_neg", SYSTEM)
    print(f"{sum(len(t.split()) for t in human)} words in {CORPUS} texts")
    # First: a program inherits the most that this process has held until then.
    given = timed(kenlm, human, own) if kenlm else None
    before = memory()
    vocabulary = ngrams.Vocabulary(human)
    start = time.process_time()
    model = ngrams.learn(vocabulary.rows(human), len(vocabulary))
    learned = time.process_time()
    found = model(vocabulary.rows(own)) / np.log(10)
    scored = time.process_time()
    print(
        f"own: learn {learned - start:.1f} s, score {scored - learned:.2f} s,", end=" "
    )
    print(f"{memory() - before} MB on top of {before} MB")
    if given is not None:
        apart = np.abs(found - given)
        words = np.array([len(text.split()) + 1 for text in own])
        print(f"largest difference {apart.max():.0e} log10 a text,", end=" ")
        print(f"{(apart / words).max():.0e} a word")
    for options in ({}, {"balanced": False}, {"estimator": "plug_in"}):
        scorer = get("string_divergence")(**options).load()
        start = time.process_time()
        scores = scorer(SystemTexts(own, human), np.random.default_rng(0))
        seconds = time.process_time() - start
        print(f"{options or 'as it is'}: {seconds:.0f} s, {memory()} MB at most")
        for key, values in scores.values.items():
            print(f"  {key}: {values.mean():.4g} (sd {values.std(ddof=1):.2g})")


def read(folder: Path, name: str, n: int) -> tuple[str, ...]:
    """The first reviews, of so many words at most."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt") as file:
        texts = [json.loads(line)["text"] for line in islice(file, n)]
    return tuple(" ".join(text.split()[:LAST_WORD]) for text in texts)


def timed(kenlm: Path, human: tuple[str, ...], own: tuple[str, ...]) -> np.ndarray:
    """Log10 of each text by KenLM. Print what it took."""
    with tempfile.TemporaryDirectory() as temporary:
        arpa, start = Path(temporary) / "model.arpa", seconds_of_programs()
        options = ["-o", "5", "-S", "1G", "-T", temporary, "--discount_fallback"]
        run([kenlm / "lmplz", *options, "--arpa", arpa], human)
        learned = seconds_of_programs()
        printed = run([kenlm / "query", arpa], own)
        scored = seconds_of_programs()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(
        f"KenLM: lmplz {learned - start:.1f} s, query {scored - learned:.1f} s,",
        end=" ",
    )
    print(f"{peak} MB")
    totals = [part.split()[0] for part in printed.split("Total: ")[1:]]
    return np.array(totals[: len(own)], float)


def run(command: list[str | Path], texts: tuple[str, ...]) -> str:
    """Give a program one text a line."""
    lines = "".join(f"{text}\n" for text in texts)
    return subprocess.run(
        command, input=lines, capture_output=True, text=True, check=True
    ).stdout


def seconds_of_programs() -> float:
    """CPU seconds of all programs that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory() -> int:
    """Most that this process has held so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2:] else None)
