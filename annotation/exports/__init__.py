"""Everything of a study as rows, with which someone else recomputes its numbers."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation import page_kinds
from annotation.archive.columns import EXPORT, Row
from annotation.archive.texts import DIALOGUES, TEXTS
from annotation.exports import ratings
from annotation.human_scores import HumanScores, corrections
from annotation.models import Generation, Prompt, Reference, Study
from annotation.page_kinds import all_scores
from annotation.spreadsheets import harmless

TEXTS_AT_ONCE = 2_000
_ByText = dict[int, tuple[Any, Any]]  # means, and how many ratings are behind each

# What counts, by what is added to the name of a column.
COUNTED: dict[str, dict[str, bool]] = {
    "": {},
    "_with_discarded": {"with_discarded": True},
    "_with_excluded": {"with_excluded": True},
}


class Text(NamedTuple):
    """What names a text in an export, and whether it counts."""

    pk: int
    key: str
    excluded_at: datetime | None


def texts(*, study: Study) -> Iterator[Row]:
    """Each text with its prompt and the system that wrote it."""
    return TEXTS.rows(texts_of(study).iterator(chunk_size=1000), EXPORT)


def texts_of(study: Study) -> QuerySet[Generation]:
    """Every text of the study, with all that `TEXTS` reads."""
    texts = study.generations.select_related("prompt__label", "system", "dialogue")
    return texts.order_by("pk")


def references(*, study: Study) -> Iterator[Row]:
    """Each reference with its prompt, and with its text if it was made from one."""
    of_prompts = Reference.objects.filter(prompt__study=study)
    for row in of_prompts.select_related("prompt__label").iterator(1000):
        if row.prompt:
            yield _reference(row.kind, "", row.prompt, row.text)
    corrected = corrections.of_texts(study.generations.all())
    for text in texts_of(study).iterator(1000) if corrected else ():
        for correction in corrected.get(text.pk, ()):
            yield _reference(corrections.TARGETED, text.key, text.prompt, correction)


def _reference(kind: str, key: str, prompt: Prompt, reference: str) -> Row:
    return {
        "kind": kind,
        "text": key,  # the one that it corrects; empty: it is for the prompt
        "prefix": prompt.prefix,
        "label": prompt.label.name if prompt.label else "",
        "source": prompt.source,
        "reference": reference,
    }


class DialogueTurn(NamedTuple):
    dialogue: str  # its key
    place: int
    role: str
    text: str
    marked: bool


def dialogues(*, study: Study) -> Iterator[Row]:
    """Each turn of each dialogue, marked or not."""
    return DIALOGUES.rows(turns_of(study), EXPORT, turn=lambda turn: turn.place + 1)


def turns_of(study: Study) -> Iterator[DialogueTurn]:
    texts = study.generations.exclude(turn=None)
    marked = set(texts.values_list("dialogue_id", "turn"))
    for dialogue in study.dialogues.iterator(chunk_size=500):
        for place, turn in enumerate(dialogue.turns):
            is_text = (dialogue.pk, place) in marked
            yield DialogueTurn(dialogue.key, place, *turn, is_text)


def annotations(*, study: Study) -> Iterator[Row]:
    """Each rating with its fate: valid, discarded with the reason, or imported."""
    return ratings.rows(study)


def scores(*, study: Study) -> Iterator[Row]:
    """Mean and number of ratings per text and aspect, as they count and with more.

    With discarded: pages that were discarded are added. With excluded: a text that a
    researcher excluded has its numbers there, and only there.
    """
    measures = page_kinds.measures(study)
    keys = study.aspects.values_list("key", flat=True)
    aspects = [*keys, *(measure.key for measure in measures)]
    for texts in in_parts(study):
        some = [text.pk for text in texts]
        columns = {
            name: _by_text(
                all_scores.means(
                    study=study, measures=measures, generations=some, **more
                )
            )
            for name, more in COUNTED.items()
        }
        rated = set().union(*columns.values())
        for text in texts:
            if text.pk in rated:
                yield from _scores_of(study, text, aspects, columns)


def in_parts(study: Study) -> Iterator[list[Text]]:
    """The texts, some at a time, so that the ratings of all are never in memory."""
    rows = study.generations.order_by("pk").values_list("pk", "key", "excluded_at")
    texts = [Text(*row) for row in rows[:TEXTS_AT_ONCE]]
    while texts:
        yield texts
        more = rows.filter(pk__gt=texts[-1].pk)
        texts = [Text(*row) for row in more[:TEXTS_AT_ONCE]]


def _scores_of(
    study: Study, text: Text, aspects: list[str], columns: dict[str, _ByText]
) -> Iterator[Row]:
    for column, aspect in enumerate(aspects):
        row: Row = {"simulated": study.simulated, "text": text.key, "aspect": aspect}
        for name, found in columns.items():
            means, n = found.get(text.pk, (None, None))
            row[f"mean{name}"] = None if means is None else _number(means[column])
            row[f"n{name}"] = 0 if n is None else int(n[column])
        yield row | {"excluded": text.excluded_at is not None}


def _by_text(scores: HumanScores) -> _ByText:
    ids = scores.generations.tolist()
    return dict(
        zip(ids, zip(scores.values, scores.n_ratings, strict=True), strict=True)
    )


def _number(value: float) -> float | None:
    return None if value != value else float(value)  # NaN: no rating, no number


def tables() -> dict[str, Callable[..., Iterator[Row]]]:
    """Rows of a study, by the name of their file."""
    of_kinds = {
        table.name: table.rows
        for kind in page_kinds.every()
        for table in kind.tables.tables
    }
    return {
        "texts": texts,
        "references": references,
        "dialogues": dialogues,
        "annotations": annotations,
        **of_kinds,
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
