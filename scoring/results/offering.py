"""Which analyses a study has something for. The others say what they would need."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from annotation.human_scores import corrections
from annotation.models import (
    Annotation,
    ImportedMean,
    Negative,
    Study,
    System,
    Vote,
)
from annotation.votes import reading
from scoring import analyses
from scoring.analyses import pages
from scoring.analyses.needs import Facts, Missing
from scoring.judging import judge_votes
from scoring.models import JudgeTrial, MetricRun
from scoring.results import mark_arrays
from scoring.scores import evaluator_files


def facts(*, study: Study) -> Facts:
    """Five queries, however large the study is."""
    of_study = {"aspect__study": OuterRef("pk")}
    has = Study.objects.annotate(
        rated=Exists(Annotation.objects.filter(**of_study, pair=None)),
        means=Exists(ImportedMean.objects.filter(**of_study)),
        # Of the study itself, so that it is asked first whether there is any pair:
        # SQLite does not stop at a part of a condition that is false.
        voted=Exists(Vote.objects.filter(study=OuterRef("pk")))
        | Exists(reading.counted(study=study)),
        compared=Exists(
            judge_votes.with_verdicts(JudgeTrial.objects.filter(study=OuterRef("pk")))
        ),
        damaged=Exists(Negative.objects.filter(survey__study=OuterRef("pk"))),
    ).values("rated", "means", "voted", "compared", "damaged")
    found = has.get(pk=study.pk)
    kinds = list(study.systems.values_list("kind", flat=True))
    on_texts = study.runs.filter(on=MetricRun.On.TEXTS, signature__isnull=False)
    runs = list(on_texts.values_list("pk", "metric", "signature"))
    signed = {(metric, signature) for _, metric, signature in runs}
    return Facts(
        rated=found["rated"],
        judged=found["rated"] or found["means"],
        systems=len(kinds),
        human=System.Kind.HUMAN in kinds,
        votes=found["voted"] or found["compared"],
        negatives=found["damaged"],
        scored=bool(runs),
        variants=len(signed) > len({metric for metric, _ in signed}),
        corrected=corrections.exist(study=study),
        marked=mark_arrays.exist(study=study),
        parts=evaluator_files.any_of(run_ids=[pk for pk, _, _ in runs]),
    )


def offered(found: Facts) -> list[str]:
    """Names of the analyses that have something to show, in their order."""
    return [name for name in analyses.names() if not missing(name, found)]


def missing(name: str, found: Facts) -> Missing | None:
    """What the analysis lacks; None where it has all it needs."""
    need = pages.need(name)
    return need.missing if need and not need.met(found) else None
