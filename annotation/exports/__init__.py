"""Everything of a study as rows, with which someone else recomputes its numbers."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from annotation import human_scores
from annotation.edits import words
from annotation.exports import ratings
from annotation.human_scores import corrections
from annotation.models import (
    Annotation,
    Edit,
    Generation,
    Pair,
    Prompt,
    Reference,
    Study,
    Verdict,
    comparing,
)
from annotation.models.surveys import pseudonym
from annotation.models.texts import full_text
from annotation.spreadsheets import harmless

Row = dict[str, Any]

TEXTS_AT_ONCE = 2_000
_ByText = dict[int, tuple[Any, Any]]  # means, and how many ratings are behind each

# What counts, by what is added to the name of a column.
COUNTED: dict[str, dict[str, bool]] = {
    "": {},
    "_with_discarded": {"with_discarded": True},
    "_with_excluded": {"with_excluded": True},
}

# Of a choice between two texts, by how much the first one is better.
OUTCOMES = {
    2: "first much better",
    1: "first better",
    0: "no difference",
    -1: "second better",
    -2: "second much better",
}


class Text(NamedTuple):
    """What names a text in an export, and whether it counts."""

    pk: int
    key: str
    excluded_at: datetime | None


def texts(*, study: Study) -> Iterator[Row]:
    """Each text with its prompt and the system that wrote it."""
    rows = study.generations.select_related("prompt__label", "system", "dialogue")
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
            "dialogue": generation.dialogue.key if generation.dialogue else "",
            # From 1; None: all of the dialogue, or a text outside any.
            "turn": None if generation.turn is None else generation.turn + 1,
            # Of a study that asks about a random part; None: all texts, or not drawn.
            "asked": generation.asked,
            "probability": generation.probability,  # with which it was drawn
            "stratum": generation.stratum,
            "excluded": generation.excluded_at is not None,
            "excluded_reason": generation.excluded_reason,
        }


def references(*, study: Study) -> Iterator[Row]:
    """Each reference with its prompt, and with its text if it was made from one."""
    of_prompts = Reference.objects.filter(prompt__study=study)
    for reference in of_prompts.select_related("prompt__label").iterator(1000):
        if reference.prompt:
            yield _reference(reference.kind, "", reference.prompt, reference.text)
    texts = study.generations.select_related("prompt__label").order_by("pk")
    own = corrections.of_texts(study.generations.all())
    for text in texts.iterator(1000) if own else ():
        for correction in own.get(text.pk, ()):
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


def dialogues(*, study: Study) -> Iterator[Row]:
    """Each turn of each dialogue, marked or not."""
    marked = set(
        study.generations.exclude(turn=None).values_list("dialogue_id", "turn")
    )
    for dialogue in study.dialogues.iterator(chunk_size=500):
        for place, turn in enumerate(dialogue.turns):
            yield {
                "dialogue": dialogue.key,
                "turn": place + 1,
                "role": turn.role,
                "text": turn.text,
                "marked": (dialogue.pk, place) in marked,
            }


def annotations(*, study: Study) -> Iterator[Row]:
    """Each rating with its fate: valid, discarded with the reason, or imported."""
    return ratings.rows(study)


def edits(*, study: Study) -> Iterator[Row]:
    """Each text as a worker left it, with its fate, also damaged ones."""
    for edit in edits_of(study).iterator(chunk_size=1000):
        yield edit_row(study, edit)


def edits_of(study: Study) -> QuerySet[Edit]:
    """Every edit of the study, with all that `edit_row` reads."""
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    found = Edit.objects.filter(seat__survey__study=study).select_related(
        "item__generation", "item__negative__source", "seat__survey__prompt"
    )
    reasons = found.annotate(reason=Subquery(newest.values("reason")[:1]))
    return reasons.order_by("pk")


def edit_row(study: Study, edit: Edit) -> Row:
    seat, item = edit.seat, edit.item
    text, negative = item.generation, item.negative
    before = full_text(seat.survey.prompt.prefix, item.text)
    return {
        "simulated": study.simulated,
        "text": text.key if text else "",
        "negative_of": negative.source.key if negative else "",
        "perturbation": negative.perturbation if negative else "",
        "before": before,
        "after": edit.text,
        "nothing_to_correct": edit.unchanged,
        "changed_words": words.changed(before, edit.text),
        "words": len(words.words(edit.text)),
        "excluded": bool(text and text.excluded_at),
        "state": seat.state,
        "informed": seat.informed,  # after the debriefing
        "reason": edit.reason or "",  # type: ignore[attr-defined]
        "survey": seat.survey.number,
        "seat": seat.pk,
        # 1 = the first text on the page as this worker saw it.
        "position": seat.order.index(edit.item_id) + 1,
        "rater": pseudonym(study, seat.worker_id),
        "claimed_at": seat.claimed_at.isoformat(),
        "submitted_at": seat.submitted_at.isoformat() if seat.submitted_at else "",
    }


def votes(*, study: Study) -> Iterator[Row]:
    """Each choice between two texts that was made here, with its fate.

    Also those on a text and its damaged version, which are no votes for a system.
    """
    for answer in choices_of(study).iterator(chunk_size=1000):
        yield vote_row(study, answer)


def choices_of(study: Study) -> QuerySet[Annotation]:
    """Every answer on a pair in the study, with all that `vote_row` reads."""
    newest = Verdict.objects.filter(seat=OuterRef("seat")).order_by("-pk")
    rows = Annotation.objects.filter(aspect__study=study, pair__isnull=False)
    if not Pair.objects.filter(survey__study=study).exists():
        rows = rows.none()  # else every rating would be asked whether it is of a pair
    found = rows.select_related(
        *("aspect", "seat__survey", "item__negative", "pair__prompt__label"),
        *("pair__first__system", "pair__second__system"),
    )
    return found.annotate(reason=Subquery(newest.values("reason")[:1]))


def vote_row(study: Study, answer: Annotation) -> Row:
    seat, pair, item = answer.seat, answer.pair, answer.item
    assert seat is not None and pair is not None and item is not None
    second, damaged = pair.second, None if pair.second else item.negative
    prompt, value = pair.prompt, answer.value
    lead = None if value is None else comparing.lead(value)
    visible = seat.visible.get(str(position := seat.order.index(item.pk) + 1))
    texts = [pair.first, *([second] if second else [])]
    return {
        "simulated": study.simulated,
        "pair": pair.pk,
        "first": pair.first.key,
        "second": second.key if second else "",
        "first_system": _system(pair.first),
        "second_system": _system(second),
        # Of a hidden check the second text is the first one, damaged.
        "perturbation": damaged.perturbation if damaged else "",
        "negative_text": damaged.text if damaged else "",
        "prefix": prompt.prefix,
        "label": prompt.label.name if prompt.label else "",
        "source": prompt.source,
        "probability": pair.probability,  # with which the pair was drawn
        "aspect": answer.aspect.key,
        "left": "second" if item.pk in seat.flipped else "first",
        "answer": "cannot say" if lead is None else OUTCOMES[lead],
        "value": lead,  # from 2, the first text is much better, to -2
        "strength": None if lead is None or not study.pair_strength else abs(lead),
        "cannot_say": value is None,
        "excluded": any(text.excluded_at for text in texts),
        "state": seat.state,
        "informed": seat.informed,  # after the debriefing
        "reason": answer.reason or "",  # type: ignore[attr-defined]
        "survey": seat.survey.number,
        "seat": seat.pk,
        "position": position,  # 1 = the first pair on the page as this worker saw it
        "rater": pseudonym(study, seat.worker_id),
        "milliseconds": visible,  # that the pair was in view
        "claimed_at": seat.claimed_at.isoformat(),
        "submitted_at": seat.submitted_at.isoformat() if seat.submitted_at else "",
    }


def _system(text: Generation | None) -> str:
    return text.system.name if text and text.system else ""


def scores(*, study: Study) -> Iterator[Row]:
    """Mean and number of ratings per text and aspect, as they count and with more.

    With discarded: pages that were discarded are added. With excluded: a text that a
    researcher excluded has its numbers there, and only there.
    """
    aspects = list(study.aspects.values_list("key", flat=True))
    for texts in in_parts(study):
        some = [text.pk for text in texts]
        columns = {
            name: _by_text(human_scores.means(study=study, generations=some, **more))
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


def _by_text(scores: human_scores.HumanScores) -> _ByText:
    ids = scores.generations.tolist()
    return dict(
        zip(ids, zip(scores.values, scores.n_ratings, strict=True), strict=True)
    )


def _number(value: float) -> float | None:
    return None if value != value else float(value)  # NaN: no rating, no number


KINDS: dict[str, Callable[..., Iterator[Row]]] = {
    "texts": texts,
    "references": references,
    "dialogues": dialogues,
    "annotations": annotations,
    "edits": edits,
    "votes": votes,
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
