"""The practice page: try the task, read what was expected, then rate or part ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation import events
from annotation.models import (
    Aspect,
    Practice,
    PracticeText,
    PracticeTry,
    Study,
    Worker,
)
from annotation.models.surveys import pseudonym

MOST_TEXTS = 6

# (position on the page, aspect key) -> value; None: the worker cannot say
Answers = Mapping[tuple[int, str], int | None]
Range = tuple[int, int]  # lowest and highest answer that passes


class PracticeError(ValueError):
    """The practice page cannot be as asked. The message says what would do."""


class Missing(Exception):
    """Some questions have no answer yet."""


class Over(Exception):
    """The worker has no try left, has passed, or does not take part any more."""


class Text(NamedTuple):
    text: str
    expected: Mapping[str, Range]  # by aspect key; an aspect left out is free
    why: str = ""


# Set-up -------------------------------------------------------------------------------


def define(
    *, study: Study, prefix: str, label: str, attempts: int, texts: Sequence[Text]
) -> Practice:
    """Give a draft study this practice page, instead of an earlier one.

    Raises:
        PracticeError: If the study is no draft, or the page cannot be passed or failed.
    """
    with transaction.atomic():
        locked = _locked_draft(study)
        _check(locked, texts)
        practice, _ = Practice.objects.update_or_create(
            study=locked,
            defaults={"prefix": prefix, "label": label, "attempts": attempts},
        )
        practice.texts.all().delete()
        PracticeText.objects.bulk_create(
            PracticeText(
                practice=practice,
                position=position,
                text=text.text,
                expected={key: list(range_) for key, range_ in text.expected.items()},
                why=text.why,
            )
            for position, text in enumerate(texts, start=1)
        )
    return practice


def remove(*, study: Study) -> None:
    """Let workers of a draft study begin without practice."""
    with transaction.atomic():
        Practice.objects.filter(study=_locked_draft(study)).delete()


def _locked_draft(study: Study) -> Study:
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.state != Study.State.DRAFT:
        raise PracticeError(
            "The practice page was fixed when the study opened, so that all workers get"
            " the same one."
        )
    return locked


def _asked(study: Study) -> QuerySet[Aspect]:
    """Questions about texts: no dialogue is practised on."""
    return study.aspects.filter(about=Aspect.About.TEXT)


def _check(study: Study, texts: Sequence[Text]) -> None:
    if not 1 <= len(texts) <= MOST_TEXTS:
        raise PracticeError(f"A practice page can have 1 to {MOST_TEXTS} texts.")
    scales = {aspect.key: aspect.scale for aspect in _asked(study)}
    for position, text in enumerate(texts, start=1):
        for key, (low, high) in text.expected.items():
            if key not in scales:
                raise PracticeError(f"Text {position}: there is no aspect {key}.")
            lowest, highest = scales[key][0], scales[key][-1]
            if not lowest <= low <= high <= highest:
                raise PracticeError(
                    f"Text {position}, {key}: expected a range within {lowest}"
                    f" to {highest}, the lower number first, got {low} to"
                    f" {high}."
                )
    if not any(text.expected for text in texts):
        raise PracticeError(
            "Set the expected answers for at least one text. Otherwise everyone passes."
        )


# Workers ------------------------------------------------------------------------------


def of(study: Study) -> Practice | None:
    return Practice.objects.filter(study=study).first()


def is_due(worker: Worker) -> bool:
    """Whether the worker has to pass the practice page before a real one."""
    if of(worker.study) is None:
        return False
    return not worker.tries.filter(passed=True).exists()


def attempt(
    *, worker: Worker, number: int, answers: Answers, now: datetime
) -> PracticeTry:
    """Keep a try. A worker who fails the last one is screened out.

    Args:
        worker: The worker who tries.
        number: Of the try. One that is kept already is returned as it was: a form
            that was sent twice counts once.
        answers: To every question.
        now: When.

    Raises:
        Missing: If a question has no answer; nothing is kept.
        Over: If there is nothing to try.
    """
    with transaction.atomic():
        rows = Worker.objects.select_related("study")
        worker = rows.select_for_update(no_key=True, of=("self",)).get(pk=worker.pk)
        if kept := worker.tries.filter(number=number).first():
            return kept
        practice = of(worker.study)
        if practice is None or not _may_try(worker, practice, number):
            raise Over
        texts = list(practice.texts.all())
        keys = [aspect.key for aspect in _asked(worker.study)]
        _refuse_unless_complete(answers, texts, keys)
        passed = all(_meets(text, answers, keys) for text in texts)
        if not passed and number >= practice.attempts:
            _screen_out(worker, number, now)
        return PracticeTry.objects.create(
            worker=worker,
            number=number,
            answers={f"{at}-{key}": value for (at, key), value in answers.items()},
            passed=passed,
            tried_at=now,
        )


def _may_try(worker: Worker, practice: Practice, number: int) -> bool:
    tries = list(worker.tries.values_list("passed", flat=True))
    return (
        worker.state == Worker.State.ACTIVE
        and worker.study.state == Study.State.OPEN
        and not any(tries)
        and number == len(tries) + 1 <= practice.attempts
    )


def _refuse_unless_complete(
    answers: Answers, texts: Sequence[PracticeText], keys: Sequence[str]
) -> None:
    asked = {(text.position, key) for text in texts for key in keys}
    if asked - set(answers):
        raise Missing


def _meets(text: PracticeText, answers: Answers, keys: Sequence[str]) -> bool:
    ranges = {key: text.expected[key] for key in keys if key in text.expected}
    return all(
        _is_within(answers[text.position, key], low, high)
        for key, (low, high) in ranges.items()
    )


def _is_within(value: int | None, low: int, high: int) -> bool:
    """Who cannot say where there is an answer has not met it."""
    return value is not None and low <= value <= high


def _screen_out(worker: Worker, n_tries: int, now: datetime) -> None:
    tries = "1 try" if n_tries == 1 else f"{n_tries} tries"
    worker.state, worker.state_at = Worker.State.SCREENED, now
    worker.state_reason = f"Did not pass the practice page in {tries}."
    worker.save(update_fields=["state", "state_at", "state_reason"])
    events.log(
        study=worker.study,
        verb="screened-out-worker",
        now=now,
        about=pseudonym(worker.study, worker.pk),
        detail=worker.state_reason,
    )


# Feedback -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a try, and what a careful reader would have answered."""

    title: str
    given: str  # the number, or that they cannot say
    expected: str  # "4 or 5"; empty where any answer is fine
    met: bool


@dataclass(frozen=True, slots=True)
class Feedback:
    """On one text."""

    text: PracticeText
    answers: list[Answered]

    @property
    def met(self) -> bool:
        return all(answer.met for answer in self.answers)


def feedback(*, practice: Practice, tried: PracticeTry) -> list[Feedback]:
    """What was expected of each text, beside what was answered. Two queries."""
    aspects = list(_asked(practice.study))
    return [
        Feedback(
            text,
            [
                _answered(one.title, tried.answers[at], text.expected.get(one.key))
                for one in aspects
                if (at := f"{text.position}-{one.key}") in tried.answers
            ],
        )
        for text in practice.texts.all()
    ]


def _answered(
    title: str, value: int | None, expected: Sequence[int] | None
) -> Answered:
    unsaid = gettext("“%(words)s”") % {"words": gettext("Cannot say")}
    given = unsaid if value is None else str(value)
    if expected is None:
        return Answered(title, given, "", True)
    low, high = expected
    return Answered(title, given, in_words(low, high), _is_within(value, low, high))


def in_words(low: int, high: int) -> str:
    if low == high:
        return f"{low}"
    ends = {"low": low, "high": high}
    if high == low + 1:
        return gettext("%(low)s or %(high)s") % ends
    return gettext("%(low)s to %(high)s") % ends
