"""4. What metrics of systems gave: for each output and system a number per seed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Count

from annotation.models import Study
from scoring.models import Chunk, Signature, SystemScore
from scoring.stats.seeds import Spread, spread

OUTDATED = "texts were added since: score again"


@dataclass(slots=True)
class Given:
    """What one output of a metric gave one system."""

    values: list[float | None] = field(default_factory=list)  # of each seed
    reason: str = ""  # why one has none

    @property
    def over_seeds(self) -> Spread:
        return spread(np.array(self.values, np.float64))

    @property
    def mean(self) -> float | None:
        """Over the seeds that have a value."""
        mean = float(self.over_seeds.mean)
        return None if np.isnan(mean) else mean

    @property
    def std(self) -> float | None:
        """Of a sample; None with fewer than two values."""
        std = float(self.over_seeds.std)
        return None if np.isnan(std) else std


@dataclass(frozen=True, slots=True)
class Found:
    """Signatures by id, and what they gave by signature, output and system."""

    signatures: dict[int, Signature]
    given: dict[tuple[int, str], dict[int, Given]]

    @property
    def n_seeds(self) -> int:
        """The most that any output has."""
        columns = self.given.values()
        return max((len(one.values) for c in columns for one in c.values()), default=0)


def read(*, study: Study, signature: Signature | None = None) -> Found:
    """All of a study, or of one signature, by metric. Four queries at most.

    What was computed before texts were added has no value, and says so.
    """
    scores = SystemScore.objects.filter(system__study=study)
    scores = scores.filter(signature=signature) if signature else scores
    rows = scores.order_by("signature__metric", "signature_id", "seed", "pk")
    too_old = outdated(study)
    given: dict[tuple[int, str], dict[int, Given]] = defaultdict(
        lambda: defaultdict(Given)
    )
    for pk, output, system, value, reason in rows.values_list(
        "signature_id", "output", "system_id", "value", "reason"
    ):
        one = given[pk, output][system]
        fresh = (pk, system) not in too_old
        one.values.append(value if fresh else None)
        one.reason = one.reason or (reason if fresh else OUTDATED)
    ids = list(dict.fromkeys(pk for pk, _ in given))
    signatures = Signature.objects.in_bulk(ids)
    return Found({pk: signatures[pk] for pk in ids}, dict(given))


def outdated(study: Study) -> set[tuple[int, int]]:
    """Signatures and systems that got texts after their last scoring. Two queries."""
    texts = study.generations.order_by().values_list("system")
    n_texts = dict(texts.annotate(n=Count("pk")))
    done = Chunk.objects.filter(run__study=study, state=Chunk.State.DONE)
    scored = done.exclude(system=None).order_by("finished_at", "pk")
    # Of several the newest comes last, and stays.
    n_scored = {
        (signature, system): n
        for signature, system, n in scored.values_list(
            "run__signature", "system", "total_items"
        )
    }
    return {key for key, n in n_scored.items() if n != n_texts.get(key[1])}
