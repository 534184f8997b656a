"""Uploaded scores that may belong to other texts than they were computed from.

Until ids were kept, a table whose rows of several raters repeat the id of their text
lost these ids: its texts were numbered 1, 2, 3 by their order. Scores by the
researcher's own 1, 2, 3 then fitted, and could stand at other texts. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.imports import INVENTED
from annotation.imports.intakes import INTAKES
from annotation.models import Annotation, Import, Study
from scoring.models import MetricRun, Score
from scoring.runs.intakes import RESULTS
from scoring.runs.score_lines import NAME
from scoring.runs.uploaded import CONFIRMED

# Of which results came in before runs knew their file. Their metrics begin so.
OLD_TOOLS = ("deepeval", "every_eval_ever", "helm", "inspect_ai", "lm_eval")
FORMAT = "columns"  # the one that puts rows of one text together
WHAT_TO_DO = (
    "Import the file of the texts into a new study, which keeps their ids, upload the"
    " scores there, and compare. If they differ, use the new study."
)


@dataclass(frozen=True)
class Doubtful:
    """A study, and the files of scores in doubt."""

    study: Study
    files: list[str]

    def __str__(self) -> str:
        return f"{self.study.name}: {self.sentence}"

    @property
    def sentence(self) -> str:
        return (
            f"the scores of {', '.join(self.files)} may belong to other texts, because"
            " EvalApp may have replaced the ids of the texts by numbers."
            f" {WHAT_TO_DO}"
        )


def of(study: Study) -> Doubtful | None:
    """None: nothing speaks for it. One query where nothing was uploaded."""
    files = [str(run.options.get("file", run.metric)) for run in _joined_by_id(study)]
    if not files or not any(map(_is_renumbered, _records(study))):
        return None
    return Doubtful(study, list(dict.fromkeys(files)))


def of_all() -> Iterator[Doubtful]:
    studies = Study.objects.whole().filter(deleted_at=None)
    for study in studies.order_by("name").iterator():
        if found := of(study):
            yield found


def _joined_by_id(study: Study) -> list[MetricRun]:
    """Runs of uploaded scores, but those that came with the texts, that people have
    confirmed, or that a tool's file has matched by words."""
    uploads = study.runs.filter(signature__text__startswith=f"{NAME}|")
    of_texts = Score.objects.filter(
        signature=OuterRef("signature"), generation__study=study
    )
    runs = list(uploads.exclude(imported__format=RESULTS).filter(Exists(of_texts)))
    if not runs:
        return []
    texts = study.imports.exclude(format__in=INTAKES)
    came = set(texts.values_list("sha256", flat=True))
    return [
        run
        for run in runs
        if run.options.get("sha256") not in came
        and CONFIRMED not in run.options
        and run.metric.partition(":")[0] not in OLD_TOOLS
    ]


def _records(study: Study) -> QuerySet[Import]:
    old = study.imports.filter(format=FORMAT)
    return old.exclude(options__has_key=INVENTED)


def _is_renumbered(record: Import) -> bool:
    """Whether its texts are 1, 2, 3 in their order, and some have two ratings."""
    texts = record.generation_set.exclude(turn__isnull=False).order_by("pk")
    keys = list(texts.values_list("key", flat=True))
    first = int(keys[0]) if keys and keys[0].isdecimal() else 0
    if not first or keys != [str(first + n) for n in range(len(keys))]:
        return False
    ratings = Annotation.objects.filter(imported=record).order_by()
    many = ratings.values("generation", "aspect").annotate(n=Count("pk"))
    return many.filter(n__gt=1).exists()
