"""The texts behind one correlation: what the metric and people gave each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef

from annotation.kept import is_large
from annotation.models import Generation, Study
from scoring.analyses.overview.result import Correlation, Result
from scoring.metrics import Output, output_key
from scoring.models import Score, Signature
from scoring.results import measured
from scoring.scores.outputs import label, meant_for, outputs_of
from scoring.scores.texts import metric_scores

MOST_DRAWN = 2_000  # texts
WAITING = "being computed: reload the page in a moment"


@dataclass(frozen=True, slots=True)
class Scatter:
    """The texts that have both scores."""

    row: Correlation  # of the overview; without coefficients until that is computed
    output: Output
    keys: list[str]  # of the generations
    systems: list[str]  # "" = unknown
    scores: np.ndarray  # (n,) as given, not oriented
    means: np.ndarray  # (n,) mean rating
    n_ratings: np.ndarray  # (n,) int64; 0 = came as a mean
    all_systems: list[str]  # of the study, in order: a system keeps its colour
    low_means_good: bool = False  # of the human aspect
    # Of how many texts these were drawn at random; 0: these are all.
    drawn_from: int = 0

    @property
    def highest(self) -> int:
        """Where the axis of the means ends, if they are no points of a scale."""
        return int(np.ceil(self.means.max(initial=1)))

    @property
    def whole(self) -> bool:
        """Whether the scores are counts, to be shown without decimals."""
        return bool((self.scores == self.scores.round()).all())


def row(
    *, study: Study, result: Result | None, signature: int, output: str, aspect: str
) -> Correlation | None:
    """The row of the overview; None for an unknown pair.

    While the overview is being computed it has no coefficients, and says so.
    """
    output = output_key(output)  # addresses of before have hyphens in it
    wanted = signature, output, aspect
    for one in result["correlations"] if result else []:
        if (one["signature_id"], one["metric_aspect"], one["human_aspect"]) == wanted:
            return one
    return _waiting_row(study, *wanted)


def _waiting_row(
    study: Study, signature_id: int, output: str, aspect: str
) -> Correlation | None:
    # Of this signature only: a study has millions of scores.
    own = {"signature": OuterRef("pk"), "generation__study": study, "output": output}
    scored = Exists(Score.objects.filter(**own))
    signature = Signature.objects.filter(scored, pk=signature_id).first()
    titles = measured.titles(study)
    if signature is None or aspect not in titles:
        return None
    told = [one for one in outputs_of(signature) if one.key == output]
    if not told:
        return None
    given = told[0]
    return {
        "metric": signature.metric,
        "signature": signature.text,
        "signature_id": signature.pk,
        "metric_aspect": output,
        "label": label(signature.metric, given.title),
        "variant": "",
        "human_aspect": aspect,
        "title": titles[aspect],
        "position": [*titles].index(aspect),
        "n": 0,
        "n_rated": 0,
        "grouping": "none",
        "compared": "",
        "pearson": None,
        "spearman": None,
        "kendall": None,
        "reason": WAITING,
        "matching": meant_for(given, [aspect]) == aspect,
        "oriented": given.higher_is_better is not None,
        "baseline": False,
    }


def scatter(*, study: Study, row: Correlation, whole: bool = True) -> Scatter:
    """The texts behind a row of the overview that a run gave.

    Args:
        study: Which one.
        row: Of the overview.
        whole: False: of a large study, as many of its texts as can be drawn.
    """
    signature = Signature.objects.get(pk=row["signature_id"] or 0)
    aspect = row["human_aspect"]
    some, of = (None, 0) if whole else _drawn(study)
    human = measured.human_scores_with(study=study, aspect=aspect, generations=some)
    given = metric_scores(
        study=study,
        generations=human.generations,
        signature=signature,
        output=row["metric_aspect"],
    )
    values = given[0].values if given else np.full(len(human.generations), np.nan)
    column = human.aspects.index(aspect)
    means = human.values[:, column]
    both = np.isfinite(values) & np.isfinite(means)
    keys, systems = _names(study=study, generations=human.generations[both])
    return Scatter(
        row=row,
        output=_output(signature, row["metric_aspect"]),
        keys=keys,
        systems=systems,
        scores=values[both],
        means=means[both],
        n_ratings=human.n_ratings[both, column],
        all_systems=list(study.systems.values_list("name", flat=True)),
        low_means_good=measured.low_means_good(study=study, aspect=aspect),
        drawn_from=of,
    )


def _drawn(study: Study) -> tuple[list[int] | None, int]:
    """Ids of texts drawn at random, always the same, and of how many.

    Nobody can tell 100,000 points apart, and to read and send them takes seconds.
    """
    if not is_large(study):
        return None, 0
    texts = study.generations.filter(excluded_at=None).order_by("pk")
    ids = np.fromiter(texts.values_list("pk", flat=True), np.int64)
    if len(ids) <= MOST_DRAWN:
        return None, 0
    rng = np.random.default_rng(study.seed)
    return np.sort(rng.choice(ids, MOST_DRAWN, replace=False)).tolist(), len(ids)


def _output(signature: Signature, key: str) -> Output:
    return next(output for output in outputs_of(signature) if output.key == key)


def _names(*, study: Study, generations: np.ndarray) -> tuple[list[str], list[str]]:
    """Keys and system names of generations, in their order. One query."""
    rows = Generation.objects.filter(study=study).order_by()
    if len(generations) <= MOST_DRAWN:
        rows = rows.filter(pk__in=generations.tolist())
    found = {
        pk: (key, system or "")
        for pk, key, system in rows.values_list("pk", "key", "system__name")
    }
    named = [found[pk] for pk in generations.tolist()]
    return [key for key, _ in named], [system for _, system in named]
