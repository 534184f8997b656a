"""What scoring costs on this server: as past runs took, else as was once measured."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.db.models import Avg, QuerySet, Sum
from django.db.models.functions import Length

from annotation.models import Study
from scoring import metrics
from scoring.metrics import UnknownMetric, model_kinds, models
from scoring.models import Chunk
from scoring.runs import recorded_costs
from scoring.scores import stored_models
from scoring.scores.options import shown

RUNS_COUNTED = 300  # the newest
LOADING, STARTING = 6.0, 0.5  # seconds of a run with a model, and of one without
CHARACTERS_PER_WORD = 5.5
TEXTS_LOOKED_AT = 500  # for their length


@dataclasses.dataclass(frozen=True, slots=True)
class Cost:
    """What scoring took, over all runs with the same models."""

    models: str  # "" for a metric without
    texts: int
    seconds: float
    runs: int

    @property
    def per_thousand(self) -> float:
        """Seconds for 1000 texts."""
        return 1000 * self.seconds / self.texts


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """How long a run may take with one worker, and what that is taken from."""

    seconds: float
    basis: str


def costs(*, studies: QuerySet[Study], metric: str = "") -> dict[str, list[Cost]]:
    """By metric, the cheapest first. Loading is not in it. One query."""
    done = Chunk.objects.filter(
        state=Chunk.State.DONE,
        scored__gt=0,
        seconds__gt=0,
        run__study__in=studies,
        **({"run__metric": metric} if metric else {}),
    )
    runs = done.order_by("-run_id").values_list("run", "run__metric", "run__options")
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0, 0])
    for _, name, options, texts, seconds in runs.annotate(
        Sum("scored"), Sum("seconds")
    )[:RUNS_COUNTED]:
        total = sums[name, models_of(name, options)]
        total[0] += texts
        total[1] += seconds
        total[2] += 1
    found: dict[str, list[Cost]] = defaultdict(list)
    for (name, used), (texts, seconds, n) in sums.items():
        found[name].append(Cost(used, int(texts), seconds, int(n)))
    for of_metric in found.values():
        of_metric.sort(key=lambda cost: cost.per_thousand)
    return dict(found)


def models_of(metric: str, options: Mapping[str, object]) -> str:
    values = [str(shown(value)) for value in _named(metric, options)]
    return ", ".join(filter(None, values))


class Estimates:
    """For the texts of one study. Three queries, whatever is asked."""

    def __init__(self, study: Study, visible: QuerySet[Study]) -> None:
        self.texts = study.generations.count()
        some = study.generations.order_by("pk")[:TEXTS_LOOKED_AT]
        length = some.aggregate(mean=Avg(Length("text")))["mean"] or 0
        self.words = length / CHARACTERS_PER_WORD
        # The study's own runs know how long its texts are: they go first.
        own = Study.objects.filter(pk=study.pk)
        self._known = (
            (costs(studies=own), "as measured in this study"),
            (costs(studies=visible), "as measured in your other studies"),
        )

    def of(self, metric: str, options: Mapping[str, object]) -> Estimate | None:
        """None where nothing is known of the metric."""
        named = _named(metric, options)
        before = LOADING if any(named) else STARTING
        used = models_of(metric, options)
        for known, basis in self._known:
            for cost in known.get(metric, []):
                if cost.models == used:
                    seconds = cost.seconds / cost.texts * self.texts
                    return Estimate(before + seconds, basis)
        each = recorded_costs.seconds(
            metric, words=self.words, weights=sum(map(_size, named))
        )
        if each is None:
            return None
        return Estimate(before + each * self.texts, "a usual figure, not measured here")


def _named(metric: str, options: Mapping[str, object]) -> list[str]:
    """The models among some options."""
    try:
        fields = metrics.option_fields(metrics.get(metric).Options)
    except UnknownMetric:
        return []
    return [str(options.get(f.name) or "") for f in fields if f.path == "model"]


def _size(model: str) -> int:
    folder = stored_models.outline(model) or models.local(model)
    folder = folder or (model_kinds.in_cache(model) if model else None)
    return model_kinds.size(folder) if folder else 0


def together(estimates: Iterable[Estimate | None], workers: int) -> float | None:
    """Seconds for all of them; None where one is not known."""
    found = list(estimates)
    known = [one.seconds for one in found if one]
    if len(known) < len(found):
        return None
    return sum(known) / max(1, workers)


def rough(metric: str, texts: int) -> float:
    """Seconds of a run of which nothing is known, so that time left can be said."""
    each = recorded_costs.seconds(metric, words=recorded_costs.WORDS, weights=0)
    return LOADING + (each or 0.05) * texts
