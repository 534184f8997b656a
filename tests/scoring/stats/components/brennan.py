"""The synthetic data sets of Brennan (2001), and what he prints of them.

Both as the tests of the package GeneralizIT 0.1.2 quote them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Example(NamedTuple):
    value: np.ndarray
    facets: dict[str, np.ndarray]
    effects: dict[str, tuple[str, ...]]  # without the last, which is the residual
    printed: dict[str, float]  # four decimals
    residual: float


def _example(
    table: list[list[int]], columns: dict[str, list[int]], effects: dict[str, str]
) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, tuple[str, ...]]]:
    """Of a table with a row for each person."""
    values = np.array(table, float)
    person, column = np.indices(values.shape)
    facets = {name: np.array(of)[column.ravel()] for name, of in columns.items()}
    named = {name: tuple(of.split()) for name, of in effects.items()}
    return values.ravel(), {"p": person.ravel(), **facets}, named


# No. 1, p x i.
ONE = Example(
    *_example(
        [
            [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
            [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
            [1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0],
            [1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0],
            [1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0],
            [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
            [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0],
            [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0],
            [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        ],
        {"i": list(range(12))},
        {"p": "p", "i": "i"},
    ),
    {"p": 0.0574, "i": 0.0754},
    0.1269,
)

# No. 3, p x i x o.
THREE = Example(
    *_example(
        np.transpose(
            [
                [2, 4, 5, 5, 4, 4, 2, 3, 0, 6],
                [6, 5, 5, 9, 3, 4, 6, 4, 5, 8],
                [7, 6, 4, 8, 5, 4, 6, 4, 4, 7],
                [5, 7, 6, 6, 6, 7, 5, 5, 5, 6],
                [2, 6, 5, 5, 4, 6, 2, 6, 5, 6],
                [5, 7, 4, 7, 5, 4, 7, 6, 5, 8],
                [5, 5, 5, 7, 6, 7, 7, 6, 5, 8],
                [5, 7, 5, 6, 4, 8, 5, 4, 3, 6],
            ]
        ).tolist(),
        {"i": [0, 1, 2, 3] * 2, "o": [0] * 4 + [1] * 4},
        {"p": "p", "i": "i", "o": "o", "pi": "p i", "po": "p o", "io": "i o"},
    ),
    {"p": 0.5528, "i": 0.4417, "o": 0.0074, "pi": 0.5750, "po": 0.1009, "io": 0.1565},
    0.9352,
)

# No. 4, p x (r:t).
FOUR = Example(
    *_example(
        np.transpose(
            [
                [5, 9, 3, 7, 9, 3, 7, 5, 9, 4],
                [6, 3, 4, 5, 2, 4, 3, 8, 9, 4],
                [5, 7, 3, 5, 9, 3, 7, 5, 8, 4],
                [5, 7, 3, 3, 7, 5, 7, 7, 8, 3],
                [5, 7, 5, 3, 7, 3, 7, 7, 6, 3],
                [3, 5, 3, 1, 7, 3, 5, 5, 6, 5],
                [4, 5, 3, 4, 3, 6, 5, 5, 6, 6],
                [5, 5, 5, 3, 7, 3, 7, 4, 5, 5],
                [6, 7, 6, 5, 2, 4, 5, 3, 5, 5],
                [7, 7, 5, 3, 7, 5, 5, 2, 8, 7],
                [3, 5, 1, 3, 5, 1, 5, 1, 1, 1],
                [3, 2, 6, 5, 3, 2, 4, 1, 1, 1],
            ]
        ).tolist(),
        {"r": list(range(12)), "t": [0] * 4 + [1] * 4 + [2] * 4},
        {"p": "p", "t": "t", "r:t": "r", "pt": "p t"},
    ),
    {"p": 0.4731, "t": 0.3252, "r:t": 0.6475, "pt": 0.5596},
    2.3802,
)

# Unbalanced p x (i:h).
UNBALANCED = Example(
    *_example(
        np.transpose(
            [
                [4, 2, 2, 1, 3, 1, 3, 0],
                [5, 1, 4, 3, 3, 2, 5, 1],
                [3, 2, 4, 5, 6, 5, 6, 1],
                [3, 3, 7, 4, 7, 6, 8, 2],
                [5, 1, 6, 5, 5, 4, 6, 0],
                [4, 4, 5, 5, 7, 4, 7, 4],
                [5, 4, 8, 4, 8, 5, 7, 7],
                [7, 6, 7, 5, 9, 6, 8, 8],
            ]
        ).tolist(),
        {"i": list(range(8)), "h": [0, 0, 1, 1, 1, 1, 2, 2]},
        {"p": "p", "h": "h", "i:h": "i", "ph": "p h"},
    ),
    {"p": 1.2014, "h": 2.9161, "i:h": 0.2946, "ph": 0.9913},
    0.8429,
)
EVERY = {"1": ONE, "3": THREE, "4": FOUR, "unbalanced": UNBALANCED}
