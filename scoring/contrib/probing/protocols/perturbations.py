"""How damage to texts moves the divergences (figure 4 of the paper).

The corpus is cut into two halves at random. One is the reference; the other is compared
with it as it is, and after each kind of damage. K is lowered as by the metric
divergence: with one cluster for each text, all rows come out alike.
"""

from __future__ import annotations

import numpy as np

from scoring.contrib.probing.protocols._common import Embed, Given, Options, Report
from scoring.contrib.probing.protocols._compare import compare
from scoring.contrib.probing.protocols.results import Compared
from scoring.metrics import clusters

TITLE = "Perturbations"
QUESTION = "Which damage to texts do the divergences notice?"
CLUSTERS = (500,)


def run(
    given: Given,
    options: Options,
    *,
    rng: np.random.Generator,
    embed: Embed,
    report: Report,
) -> Compared:
    """All rows at the largest K that was chosen. See `_compare.compare`."""
    return compare(
        given,
        Options((max(options.clusters),), options.seeds),
        edit_reference=False,
        per_cluster=clusters.PER_CLUSTER,
        rng=rng,
        embed=embed,
        report=report,
    )
