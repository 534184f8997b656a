"""The command that fits a probe for the metric cdm.

python -m scoring.metrics probe --expert E --amateur A --ratings in.jsonl --out p.json

Each line of in.jsonl is a text as it would be scored, with a number as its "rating".
The probe goes to the option `probe` of the metric cdm. It is supervised: do not compare
it with metrics that have seen no ratings without saying so, and never evaluate it on
the texts that it was fitted on. The file knows their hashes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics._cdm import probes
from scoring.metrics._engine import lines, models
from scoring.metrics._engine.arguments import add_options, made
from scoring.metrics._engine.base import Example, OptionError
from scoring.metrics.cdm import CDM


def main(arguments: Sequence[str]) -> int:
    """Fit a probe. Returns the exit status."""
    given = _parser(CDM).parse_args(arguments)
    ridge = _positive(given.ridge)
    if given.probe:
        raise OptionError("probe: this command makes a probe, so leave this option out")
    if not Path(given.out).absolute().parent.is_dir():
        raise OptionError(f"out={given.out}: the folder does not exist")
    rows = _rated(given.ratings)
    metric = made(CDM, vars(given))
    assert isinstance(metric, CDM)  # made of it
    scorer = metric.load(given.device)
    models.limit_threads(given.threads)
    scores = scorer([example for example, _ in rows])
    steps = [row[np.isfinite(row)] for row in scores.parts["m"]]
    kept = [k for k, row in enumerate(steps) if len(row)]
    found = probes.fit(
        [steps[k] for k in kept],
        [rows[k][1] for k in kept],
        [rows[k][0].text for k in kept],
        features=given.features,
        pair=scorer.pair,
        ridge=ridge,
    )
    provenance = {
        "ratings": models.hash_of(Path(given.ratings)),
        "texts": len(kept),
        "texts_that_could_not_be_scored": len(rows) - len(kept),
        "ridge": ridge,
    }
    probes.save(found, Path(given.out), **provenance)
    for note in scores.notes:
        print(f"note: {note}", file=sys.stderr)
    shown = "none" if found.left_out is None else f"{found.left_out:.3f}"
    print(f"fitted on {len(kept)} of {len(rows)} texts; leave-one-out Pearson {shown}")
    return 0


def _parser(kind: Any) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scoring.metrics probe",
        description="Fit a supervised probe for the metric cdm.",
        allow_abbrev=False,
    )
    add_options(parser, kind)
    parser.add_argument(
        "--ratings", required=True, help='jsonl of texts, each with a "rating"'
    )
    parser.add_argument(
        "--out", required=True, help="where the probe is written, .json"
    )
    parser.add_argument("--features", choices=list(probes.FEATURES), default="linear")
    parser.add_argument("--ridge", default="1", help="penalty on weights (default 1)")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, mps")
    parser.add_argument("--threads", type=int, default=0, help="default all but one")
    return parser


def _positive(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not (math.isfinite(number) and number > 0):
        raise OptionError(f"ridge={value}: expected a number above 0")
    return number


def _rated(path: str) -> list[tuple[Example, float]]:
    try:
        with open(path, "rb") as file:
            rows = list(lines.read(file))
    except OSError as error:
        raise lines.InputError(f"cannot read {path}: {error.strerror}") from error
    ratings = [_rating(row, number) for number, (_, row) in enumerate(rows, start=1)]
    return [(example, one) for (example, _), one in zip(rows, ratings, strict=True)]


def _rating(row: Mapping[str, Any], number: int) -> float:
    found = row.get("rating")
    if type(found) not in (int, float) or not math.isfinite(found or 0):
        raise lines.InputError(f'text {number}: "rating" must be a number')
    return float(found or 0)
