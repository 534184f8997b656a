"""Asks span-mt-metrics-eval and krippendorff-unitized-alpha about marks made up here.

    python tests/golden/make_spans.py > tests/golden/spans.json

The first (version 0.1.0, b55b90f of sted19/span-mt-metrics-eval) is by the authors of
arXiv 2603.19921; the second (0.1.0) has the alpha of Krippendorff et al. (2016). Tests
read the numbers alone.
"""

import json
import logging
import random

from krippendorff_unitized_alpha.krippendorffs_unitized_alpha import (
    EMPTY_TAG,
    KrippendorffUnitizedAlpha,
    Segment,
)
from span_mt_metrics_eval import compute

SEGMENTS, CONTINUA = 80, 25
Row = tuple[int, int, str, str]  # start, end, severity, side


def marks(rng: random.Random, most: int, length: int) -> list[Row]:
    rows = []
    for _ in range(rng.randrange(most + 1)):
        start = rng.randrange(length)
        end = rng.randrange(start + 1, min(length, start + 12) + 1)
        severity, side = rng.choice(["minor", "major"]), rng.choice(["text", "source"])
        rows.append((start, end, severity, side))
    return rows


def spans(rows: list[Row]) -> list[dict[str, object]]:
    side = {"text": "target", "source": "source"}
    return [
        {"start": row[0], "end": row[1], "severity": row[2], "side": side[row[3]]}
        for row in rows
    ]


def asked(predicted: list[list[Row]], reference: list[list[Row]]) -> dict[str, object]:
    both = [spans(rows) for rows in predicted], [spans(rows) for rows in reference]
    w25 = {"measure": "WMT25", "matching": "many_to_many", "severity_penalty": 0.5}
    answers = {"mpp": {}, "mpp, penalty .5": {"severity_penalty": 0.5}, "wmt25": w25}
    return {
        name: [answer.precision, answer.recall, answer.f_score]
        for name, options in answers.items()
        for answer in [compute(*both, **options)]
    }


def continuum(rng: random.Random) -> dict[str, object]:
    length, people = rng.randrange(20, 60), []
    for _ in range(rng.randrange(2, 5)):
        borders = sorted(rng.sample(range(length + 1), 2 * rng.randrange(1, 4)))
        people.append(
            [
                (start, end, rng.choice("xyz"))
                for start, end in zip(borders[::2], borders[1::2], strict=True)
            ]
        )
    alpha = KrippendorffUnitizedAlpha(
        {str(k): segments(rows, length) for k, rows in enumerate(people)}
    )
    return {"length": length, "people": people, "alpha": alpha.result}


def segments(rows: list[tuple[int, int, str]], length: int) -> list[Segment]:
    made, last = [], 0
    for start, end, tag in rows:
        if start > last:
            made.append(Segment(EMPTY_TAG, last, start))
        made.append(Segment(tag, start, end))
        last = end
    return made + ([Segment(EMPTY_TAG, last, length)] if last < length else [])


def main() -> None:
    logging.disable(logging.WARNING)
    rng = random.Random(2603)
    # Some crowded, where partners must be chosen with care.
    predicted = [marks(rng, 6, rng.choice([12, 40])) for _ in range(SEGMENTS)]
    reference = [marks(rng, 6, 12) for _ in range(SEGMENTS)]
    pairs = zip(predicted, reference, strict=True)
    numbers = {
        "predicted": predicted,
        "reference": reference,
        "each": [asked([ours], [theirs]) for ours, theirs in pairs],
        "together": asked(predicted, reference),
        "continua": [continuum(rng) for _ in range(CONTINUA)],
    }
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
