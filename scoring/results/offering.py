"""Which analyses a study has something for. The others say what they would need."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

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
from scoring.judging import judge_votes
from scoring.models import JudgeTrial, MetricRun
from scoring.scores import evaluator_files


class Facts(NamedTuple):
    """What decides it."""

    rated: bool  # single ratings
    judged: bool  # ratings, or means from a file
    systems: int
    human: bool  # a system is marked as people
    votes: bool  # of people, or of a judge
    negatives: bool
    scored: bool
    variants: bool  # one metric with more than one signature
    parts: bool  # a run that kept the scores of its evaluators
    corrected: bool  # people corrected a text


class Missing(NamedTuple):
    """Why an analysis is not offered, and the page that changes it."""

    sentence: str
    verb: str
    url_name: str
    args: tuple[str, ...] = ()  # behind the study's name


class _Need(NamedTuple):
    met: Callable[[Facts], bool]
    missing: Missing


_RATINGS = Missing(
    "Needs ratings by people: open the study, or import a file with ratings.",
    "Set up the study",
    "study_setup",
)
_NEEDS = {
    "replaces": _Need(
        lambda facts: facts.rated,
        _RATINGS._replace(
            sentence="Needs single ratings by two or more people. Open the study, or"
            " import ratings by person; means alone do not show what each rater does."
        ),
    ),
    "agreement": _Need(
        lambda facts: facts.rated,
        _RATINGS._replace(
            sentence="Needs at least two single ratings of a text. Open the study, or"
            " import ratings by person; means alone do not show agreement."
        ),
    ),
    "raters": _Need(
        lambda facts: facts.rated,
        _RATINGS._replace(
            sentence="Needs single ratings by two or more people who can be told apart."
            " Open the study, or import ratings by person."
        ),
    ),
    "correlations": _Need(lambda facts: facts.judged, _RATINGS),
    "comparison": _Need(lambda facts: facts.judged, _RATINGS),
    "drift": _Need(lambda facts: facts.judged, _RATINGS),
    "evaluators": _Need(
        lambda facts: facts.parts,
        Missing(
            "Needs scores of a metric that asks several evaluators, such as CTRLEval.",
            "Choose a metric",
            "runs",
        ),
    ),
    "references": _Need(
        lambda facts: facts.corrected,
        Missing(
            "Needs corrections: texts as people edited them until they were right.",
            "Import texts",
            "study_import",
        ),
    ),
    "variants": _Need(
        lambda facts: facts.variants or facts.parts,
        Missing(
            "Needs one metric that has scored the texts with two sets of options.",
            "Choose a metric",
            "runs",
        ),
    ),
    "systems": _Need(
        lambda facts: facts.systems > 1,
        Missing(
            "Needs texts of two or more systems: name the system of each text in the"
            " file that you import.",
            "Import texts",
            "study_import",
        ),
    ),
    "saved": _Need(lambda facts: facts.judged, _RATINGS),
    "preferences": _Need(
        lambda facts: facts.votes,
        Missing(
            "Needs votes: for each pair of texts, which of two systems a person"
            " preferred. Let workers compare pairs, or add votes.",
            "Add votes",
            "study_import",
        ),
    ),
    "synthetic": _Need(
        lambda facts: facts.human,
        Missing(
            "Needs texts written by people: say which of the systems are people.",
            "Say which systems are people",
            "analysis",
            ("synthetic",),
        ),
    ),
    "diagnosis": _Need(
        lambda facts: facts.negatives,
        Missing(
            "Needs damaged texts, which are made when the study opens.",
            "Set up the study",
            "study_setup",
        ),
    ),
}


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
        parts=evaluator_files.any_of(run_ids=[pk for pk, _, _ in runs]),
    )


def offered(found: Facts) -> list[str]:
    """Names of the analyses that have something to show, in their order."""
    return [name for name in analyses.names() if not missing(name, found)]


def missing(name: str, found: Facts) -> Missing | None:
    """What the analysis lacks; None where it has all it needs."""
    need = _NEEDS.get(name)
    return need.missing if need and not need.met(found) else None
