"""The practice page: try the task, read what was expected, then rate or part ways."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from annotation import events, page_kinds
from annotation.models import Practice, PracticeText, PracticeTry, Study, Worker
from annotation.models.surveys import pseudonym
from annotation.page_kinds import PracticeTask
from annotation.page_kinds.practice import (
    Answers,
    FeedbackCard,
    PracticePage,
    Text,
    prompt_of,
)

__all__ = ["Answers", "Text"]
MOST_TEXTS = 6


class PracticeError(ValueError):
    """The practice page cannot be as asked. The message says what would do."""


class Missing(Exception):
    """Some questions have no answer yet."""


class Over(Exception):
    """The worker has no try left, has passed, or does not take part any more."""


# Set-up -------------------------------------------------------------------------------


def define(
    *,
    study: Study,
    prefix: str,
    label: str,
    attempts: int,
    texts: Sequence[Text],
    source: str = "",
) -> Practice:
    """Give a draft study this practice page, instead of an earlier one.

    Raises:
        PracticeError: If the study is no draft, or the page cannot be passed or failed.
    """
    page = {"prefix": prefix, "source": source, "label": label, "attempts": attempts}
    prompt = prompt_of(Practice(**page))
    with transaction.atomic():
        locked = _locked_draft(study)
        _check(PracticePage(locked, prompt, texts))
        practice, _ = Practice.objects.update_or_create(study=locked, defaults=page)
        practice.texts.all().delete()
        PracticeText.objects.bulk_create(
            PracticeText(practice=practice, position=position, **text._asdict())
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


def _check(page: PracticePage) -> None:
    task, texts = task_of(page.study), page.texts
    if task is None:
        raise PracticeError("Nothing can be practised before the pages of this study.")
    if not 1 <= len(texts) <= MOST_TEXTS:
        raise PracticeError(f"A practice page can have 1 to {MOST_TEXTS} texts.")
    for position, text in enumerate(texts, start=1):
        if problem := task.problem(page, text):
            raise PracticeError(f"Text {position}: {problem}")
    if not any(text.expected for text in texts):
        raise PracticeError(
            "Say what you expect of at least one text. Otherwise everyone passes."
        )


# Workers ------------------------------------------------------------------------------


def of(study: Study) -> Practice | None:
    return Practice.objects.filter(study=study).first()


def task_of(study: Study) -> PracticeTask | None:
    return page_kinds.practice_of(study.page_kinds)


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
        answers: To all that is asked.
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
        practice, task = of(worker.study), task_of(worker.study)
        if practice is None or task is None or not _may_try(worker, practice, number):
            raise Over
        page = PracticePage.of(practice)
        _refuse_unless_complete(answers, page, task)
        passed = all(card.met for card in task.feedback(page, answers))
        if not passed and number >= practice.attempts:
            _screen_out(worker, number, now)
        return PracticeTry.objects.create(
            worker=worker,
            number=number,
            answers={f"{at}-{name}": value for (at, name), value in answers.items()},
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
    answers: Answers, page: PracticePage, task: PracticeTask
) -> None:
    names = task.names(page.study)
    positions = range(1, len(page.texts) + 1)
    if any((at, name) not in answers for at in positions for name in names):
        raise Missing


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


def feedback(*, practice: Practice, tried: PracticeTry) -> Sequence[FeedbackCard]:
    """Each text with what was expected of it, beside what was said. Two queries."""
    task = task_of(practice.study)
    return task.feedback(PracticePage.of(practice), _answers(tried)) if task else ()


def _answers(tried: PracticeTry) -> Answers:
    names = (name.partition("-") for name in tried.answers)
    return {
        (int(position), name): tried.answers[f"{position}-{name}"]
        for position, _, name in names
    }
