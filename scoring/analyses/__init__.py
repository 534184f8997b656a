"""Analyses: a folder each, with its numbers and its page.

`numbers.py` is a pure function of a study's data: TITLE, VERSION, GROUP and PLACE
(where pages list it: Answer, People, Metrics, Systems or Advanced), NEEDS (the parts of
the data that cost something to read), Options (what may be chosen) and
`compute(data, options, rng)`, which returns a `Result`, the type in `result.py`.
`page.py` shows it (see `pages`). To add an analysis, add its folder: pages, API,
command, files and bundles follow. No Django here: anyone with a study's files can
compute the same numbers with this package alone.

What several analyses need is in `shared/`. Files whose names begin with `page` draw;
the others compute, and import none of these.

Raise the VERSION of an analysis when its results change, in their numbers or in their
shape: results of other versions are computed again. A test compares the results with
`tests/golden/analyses.json` and names the analyses that changed.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol, cast

import numpy as np

from scoring.analyses.shared.cells import plain
from scoring.stats.data import Data, Filters


@cache
def names() -> tuple[str, ...]:
    """Of all analyses, in their order: a folder each.

    The first call loads them all, so that a process which shows none need not.
    """
    folders = {module.name for module in pkgutil.iter_modules(__path__) if module.ispkg}
    folders.remove("shared")
    return tuple(sorted(folders, key=lambda name: (_module(name).PLACE, name)))


def _module(name: str) -> Analysis:
    return cast(Analysis, importlib.import_module(f"{__name__}.{name}.numbers"))


class Analysis(Protocol):
    """What `numbers.py` of an analysis has."""

    TITLE: str
    VERSION: int  # of its results: raise it when they change
    PLACE: int  # pages list analyses by it, the lowest first
    GROUP: str  # of the pages of results: Answer, People, Metrics, Systems or Advanced
    # Of ratings, scores, systems, negatives, votes, surface, evaluators, marks.
    NEEDS: frozenset[str]
    Options: type[Filters]

    @staticmethod
    def compute(
        data: Data, options: Any, rng: np.random.Generator
    ) -> Mapping[str, Any]: ...


def get(name: str) -> Analysis:
    """The numbers of an analysis.

    Raises:
        KeyError: If there is none of that name, with those that there are.
    """
    if name not in names():
        raise KeyError(f"no analysis {name!r}; there are: {', '.join(names())}")
    return _module(name)


def options(name: str, chosen: Mapping[str, Any]) -> Filters:
    """Options of an analysis from plain values, as they were stored.

    Raises:
        TypeError: If an option does not exist.
    """
    kind: Any = get(name).Options
    lists = {k: tuple(v) if isinstance(v, list) else v for k, v in chosen.items()}
    return cast(Filters, kind(**lists))


def run(name: str, data: Data, chosen: Filters) -> dict[str, object]:
    """Compute an analysis. The same data and options give the same result anywhere.

    Returns:
        What `compute` gives, as JSON can hold it, and under "made_of" what determines
        it: name, options, version and the digest of the data.
    """
    analysis = get(name)
    result = analysis.compute(data, chosen, np.random.default_rng(chosen.seed))
    made_of = {
        "analysis": name,
        "version": analysis.VERSION,
        "options": dataclasses.asdict(chosen),
        "data": data.digest(),
        "policy": data.policy,
    }
    return plain({**result, "made_of": made_of})


def canonical(chosen: Filters) -> str:
    """Options as one line of text: equal options, equal text."""
    return json.dumps(dataclasses.asdict(chosen), sort_keys=True, ensure_ascii=True)
