"""Probes: what the clusters behind cluster-based divergences know of texts.

Each is a module of its own after section 6 of Pimentel, Meister & Cotterell (2023),
https://arxiv.org/abs/2205.16001: a pure function of texts, options, a random generator
and a function that embeds texts. It gives plain numbers and lists, of the types in
`results.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

import numpy as np

from scoring.contrib.probing.protocols._common import (
    SPLIT,
    Embed,
    Given,
    Options,
    Report,
)
from scoring.contrib.probing.protocols._compare import (
    DIVERGENCES,
    GENERATOR,
    UNMODIFIED,
)
from scoring.contrib.probing.protocols._cutting import cut_to_tokens

NAMES = ("perturbations", "clusters", "attributes", "surface")
VERSION = 1  # raised whenever the same input gives another number, or another shape

__all__ = [
    "DIVERGENCES",
    "GENERATOR",
    "NAMES",
    "SPLIT",
    "UNMODIFIED",
    "VERSION",
    "Embed",
    "Given",
    "Options",
    "Probing",
    "Report",
    "cut_to_tokens",
    "get",
]


class Probing(Protocol):
    TITLE: str
    QUESTION: str  # what it answers, in a sentence
    CLUSTERS: tuple[int, ...]  # numbers of clusters where none are chosen

    @staticmethod
    def run(
        given: Given,
        options: Options,
        *,
        rng: np.random.Generator,
        embed: Embed,
        report: Report,
    ) -> Mapping[str, Any]: ...


def get(name: str) -> Probing:
    """The probe of that name.

    Raises:
        KeyError: If there is none.
    """
    if name not in NAMES:
        raise KeyError(f"no probe {name!r}; there are: {', '.join(NAMES)}")
    return cast(Probing, importlib.import_module(f"{__name__}.{name}"))
