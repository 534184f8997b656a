"""What the pages of results show, each as one pure function of a study's data.

A file is one analysis: TITLE, NEEDS (the parts of the data that cost something to
read), Options (what may be chosen) and `compute(data, options, rng)`, which returns
plain dictionaries, lists, strings and numbers. No Django here: whoever has a study's
files computes the same numbers with this package alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from scoring.stats.analyses._cells import plain
from scoring.stats.data import Data, Filters

# In the order in which pages list them.
_ORDER = (
    "agreement",
    "correlations",
    "comparison",
    "drift",
    "evaluators",
    "variants",
    "systems",
    "preferences",
    "synthetic",
    "diagnosis",
)
_FOUND = {module.name for module in pkgutil.iter_modules(__path__)}
NAMES = tuple(name for name in _ORDER if name in _FOUND)


def _version() -> str:
    """A name for the code of the statistics: other code, other name."""
    home = Path(__file__).parent.parent
    found = hashlib.sha256()
    for file in sorted(home.rglob("*.py")):
        found.update(file.relative_to(home).as_posix().encode() + b"\0")
        found.update(file.read_bytes())
    return found.hexdigest()[:8]


# Part of every stamp: results of other code are computed anew, since nobody can tell
# for sure that they would be the same.
VERSION = _version()


class Analysis(Protocol):
    TITLE: str
    NEEDS: frozenset[str]  # of ratings, scores, systems, negatives, votes, evaluators
    Options: type[Filters]

    @staticmethod
    def compute(
        data: Data, options: Any, rng: np.random.Generator
    ) -> dict[str, Any]: ...


def get(name: str) -> Analysis:
    """The module of an analysis.

    Raises:
        KeyError: If there is none of that name, with those that there are.
    """
    if name not in NAMES:
        raise KeyError(f"no analysis {name!r}; there are: {', '.join(NAMES)}")
    return cast(Analysis, importlib.import_module(f"{__name__}.{name}"))


def options(name: str, chosen: dict[str, Any]) -> Filters:
    """Options of an analysis from plain values, as they were stored.

    Raises:
        TypeError: If an option does not exist.
    """
    kind: Any = get(name).Options
    lists = {k: tuple(v) if isinstance(v, list) else v for k, v in chosen.items()}
    return cast(Filters, kind(**lists))


def run(name: str, data: Data, chosen: Filters) -> dict[str, Any]:
    """Compute an analysis. The same data and options give the same result anywhere.

    Returns:
        What `compute` gives, as JSON can hold it, and under "made_of" what determines
        it: name, options, version and the digest of the data.
    """
    result = get(name).compute(data, chosen, np.random.default_rng(chosen.seed))
    made_of = {
        "analysis": name,
        "version": VERSION,
        "options": dataclasses.asdict(chosen),
        "data": data.digest(),
        "policy": data.policy,
    }
    return plain({**result, "made_of": made_of})


def canonical(chosen: Filters) -> str:
    """Options as one line of text: equal options, equal text."""
    return json.dumps(dataclasses.asdict(chosen), sort_keys=True, ensure_ascii=True)
