"""4. What metrics of systems gave: for each output and system a number per seed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Count, QuerySet

from annotation.models import Study
from scoring.models import Chunk, Signature, SystemScore
from scoring.stats.seeds import Spread, spread

OUTDATED = "texts have been added since: score again"
# What chunks keep in their details in addition to numbers.
SPREAD = "spread"  # by output, under a bootstrap of texts
CHANCE, PAIRS = "chance", "pairs"
BESIDE = (SPREAD, CHANCE, PAIRS)
N_STUDY = "n_study"  # texts of all systems, if a number depends on them


@dataclass(slots=True)
class Given:
    """What one output of a metric gave one system."""

    values: list[float | None] = field(default_factory=list)  # of each seed
    reason: str = ""  # why one has none
    spread: float | None = None  # SD that other texts would cause
    chance: float | None = None  # the mean by chance
    p: float | None = None  # how often a relabelling is at least as far
    # By name of another system: the p of the difference.
    pairs: dict[str, float] = field(default_factory=dict)

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
    """All of a study, or of one signature, by metric. Five queries at most.

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
    _put_beside(study, given, too_old)
    ids = list(dict.fromkeys(pk for pk, _ in given))
    signatures = Signature.objects.in_bulk(ids)
    return Found({pk: signatures[pk] for pk in ids}, dict(given))


def _put_beside(
    study: Study,
    given: dict[tuple[int, str], dict[int, Given]],
    too_old: set[tuple[int, int]],
) -> None:
    """What the last scoring gave in addition to its numbers. One query."""
    names = [f"details__{name}" for name in BESIDE]
    found = _scored(study).filter(run__signature__in={pk for pk, _ in given})
    rows = found.values_list("run__signature", "system", *names)
    # The newest comes last, and replaces the others.
    for (pk, system), told in {(row[0], row[1]): row[2:] for row in rows}.items():
        if (pk, system) in too_old:
            continue
        spread, chance, pairs = (one or {} for one in told)
        for (signature, output), column in given.items():
            if signature == pk and system in column:
                one, by_chance = column[system], chance.get(output, {})
                one.spread = spread.get(output)
                one.chance, one.p = by_chance.get("mean"), by_chance.get("p")
                one.pairs = {
                    name: numbers[output]["p"]
                    for name, numbers in pairs.items()
                    if output in numbers
                }


def outdated(study: Study) -> set[tuple[int, int]]:
    """Signatures and systems that got texts after their last scoring. Two queries.

    If a number depends on the texts of all systems, any new text makes it outdated.
    """
    texts = study.generations.of_one_level().order_by().values_list("system")
    n_texts = dict(texts.annotate(n=Count("pk")))
    n_study = sum(n for system, n in n_texts.items() if system is not None)
    # The newest comes last, and replaces the others.
    n_scored = {
        (signature, system): (n, of_study)
        for signature, system, n, of_study in _scored(study).values_list(
            "run__signature", "system", "total_items", f"details__{N_STUDY}"
        )
    }
    return {
        key
        for key, (n, of_study) in n_scored.items()
        if n != n_texts.get(key[1]) or of_study not in (None, n_study)
    }


def _scored(study: Study) -> QuerySet[Chunk]:
    done = Chunk.objects.filter(run__study=study, state=Chunk.State.DONE)
    return done.exclude(system=None).order_by("finished_at", "pk")
