"""How the divergences depend on the number of clusters (figures 8 and 9 of the paper).

A random half of the corpus is compared with the other half, and with its own texts
after each kind of damage. What is the same in both sides cancels: of the text itself,
only the damage is left to tell them apart.
"""

from __future__ import annotations

import numpy as np

from scoring.contrib.probing.protocols._common import Embed, Given, Options, Report
from scoring.contrib.probing.protocols._compare import compare
from scoring.contrib.probing.protocols.results import Compared

TITLE = "Number of clusters"
QUESTION = "How many clusters do the divergences need to notice damage?"
CLUSTERS = (5, 10, 20, 50, 100, 200, 500)


def run(
    given: Given,
    options: Options,
    *,
    rng: np.random.Generator,
    embed: Embed,
    report: Report,
) -> Compared:
    """All rows at every K. See `_compare.compare`."""
    return compare(
        given, options, edit_reference=True, rng=rng, embed=embed, report=report
    )
