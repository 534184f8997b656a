"""Everything of a study as rows, with which someone else recomputes its numbers."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from annotation import human_scores
from annotation.models import Annotation, Study, Verdict
from annotation.models.surveys import pseudonym
from annotation.spreadsheets import harmless

Row = dict[str, Any]


def texts(*, study: Study) -> Iterator[Row]:
    """Each text with its prompt and the system that wrote it."""
    rows = study.generations.select_related("prompt__label", "system")
    for generation in rows.iterator(chunk_size=1000):
        prompt, system = generation.prompt, generation.system
        yield {
            "key": generation.key,
            "prefix": prompt.prefix,
            "label": prompt.label.name if prompt.label else "",
            "source": prompt.source,
            "system": system.name if system else "",
            "system_kind": system.kind if system else "",
            "sample": generation.sample,
            "text": generation.text,
            "full_text": generation.full_text,
            "log_probability": generation.log_probability,
            "pair": generation.pair,
            "excluded": generation.excluded_at is not None,
            "excluded_reason": generation.excluded_reason,
        }


def annotations(*, study: Study) -> Iterator[Row]:
    """Each rating with its fate: valid, discarded with the reason, or imported."""
    for annotation in ratings_of(study).iterator(chunk_size=1000):
        yield rating_row(study, annotation)


def ratings_of(study: Study) -> QuerySet[Annotation]:
    """Every rating of the study, with all that `rating_row` reads."""
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    found = Annotation.objects.filter(aspect__study=study).select_related(
        "aspect", "generation", "negative__source", "seat__survey", "imported"
    )
    return found.annotate(reason=Subquery(newest.values("reason")[:1]))


def rating_row(study: Study, annotation: Annotation) -> Row:
    seat, negative = annotation.seat, annotation.negative
    return {
        "simulated": study.simulated,
        "text": annotation.generation.key if annotation.generation else "",
        "negative_of": negative.source.key if negative else "",
        "perturbation": negative.perturbation if negative else "",
        "negative_text": negative.text if negative else "",
        "aspect": annotation.aspect.key,
        "value": annotation.value,
        "cannot_say": annotation.value is None,
        "excluded": bool(annotation.generation and annotation.generation.excluded_at),
        "state": seat.state if seat else "imported",
        "informed": bool(seat and seat.informed),  # after the debriefing
        "reason": annotation.reason or "",  # type: ignore[attr-defined]
        "survey": seat.survey.number if seat else None,
        "seat": seat.pk if seat else None,
        # 1 = the first text on the page as this worker saw it.
        "position": seat.order.index(annotation.item_id) + 1 if seat else None,
        "rater": pseudonym(study, seat.worker_id) if seat else annotation.rater,
        "file": annotation.imported.file_name if annotation.imported else "",
        "claimed_at": seat.claimed_at.isoformat() if seat else "",
        "submitted_at": (
            seat.submitted_at.isoformat() if seat and seat.submitted_at else ""
        ),
    }


def scores(*, study: Study) -> Iterator[Row]:
    """Mean and number of ratings per text and aspect, as they count and with more.

    With discarded: pages that were discarded are added. With excluded: a text that a
    researcher excluded has its numbers there, and only there.
    """
    columns = {
        "": _by_text(human_scores.means(study=study)),
        "_with_discarded": _by_text(
            human_scores.means(study=study, with_discarded=True)
        ),
        "_with_excluded": _by_text(human_scores.means(study=study, with_excluded=True)),
    }
    aspects = list(study.aspects.values_list("key", flat=True))
    rated = set().union(*columns.values())
    texts = study.generations.order_by("pk").values_list("pk", "key", "excluded_at")
    for pk, key, excluded_at in texts:
        if pk not in rated:
            continue
        for column, aspect in enumerate(aspects):
            row: Row = {"simulated": study.simulated, "text": key, "aspect": aspect}
            for name, found in columns.items():
                means, n = found.get(pk, (None, None))
                row[f"mean{name}"] = None if means is None else _number(means[column])
                row[f"n{name}"] = 0 if n is None else int(n[column])
            yield row | {"excluded": excluded_at is not None}


def _by_text(scores: human_scores.HumanScores) -> dict[int, tuple[Any, Any]]:
    ids = scores.generations.tolist()
    return dict(
        zip(ids, zip(scores.values, scores.n_ratings, strict=True), strict=True)
    )


def _number(value: float) -> float | None:
    return None if value != value else float(value)  # NaN: no rating, no number


KINDS: dict[str, Callable[..., Iterator[Row]]] = {
    "texts": texts,
    "annotations": annotations,
    "scores": scores,
}


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, line: str) -> str:
        return line


def as_csv(rows: Iterable[Row]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    for number, row in enumerate(rows):
        if number == 0:
            yield writer.writerow(row)
        yield writer.writerow(harmless(value) for value in row.values())


def as_jsonl(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


WRITERS = {"csv": as_csv, "jsonl": as_jsonl}
