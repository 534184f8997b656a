"""How a worker's way ends: what they are told, and the code that goes with it.

Nobody is left standing: each ending says why, what is kept, and what to do next.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotation import platforms
from annotation.crowd import consent
from annotation.models import Study, Worker

State = Worker.State


@dataclass(frozen=True, slots=True)
class Ending:
    heading: str
    lines: tuple[str, ...] = ()
    code: str = ""  # what they redeem where they came from; empty for none
    code_title: str = "Your completion code"
    code_help: str = "If you were asked for a code, this is it."

    def home(self, study: Study) -> str | None:
        """Where the code is redeemed, if the platform takes it by link."""
        platform = platforms.of(study)
        if not self.code or platform is None or platform.home is None:
            return None
        return platform.home(self.code)


NOT_OPEN = {
    Study.State.DRAFT: (
        "This study has not started yet",
        "Nothing is wrong with your link. Please try it again later.",
    ),
    Study.State.PAUSED: (
        "This study is paused",
        "Everything that you have done is kept. Please try the same link again later.",
    ),
    Study.State.CLOSED: (
        "This study is closed",
        "No more ratings are needed. Everything that you have done is kept.",
    ),
}

STOPPED = {
    State.BLOCKED: (
        "There are no more pages for you",
        "A program compares every page with how long reading takes and how people"
        " usually answer. Several of your pages differ from that, so your part of this"
        " study ends here. Such a program can be wrong, and this is no judgement of"
        " you. Thank you for the time that you gave.",
    ),
    State.EXCLUDED: (
        "Your part in this study has ended",
        "The researcher has ended it. The pages that you submitted stay on record.",
    ),
    State.SCREENED: (
        "Thank you for trying",
        "Your answers to the practice page differ from those that we look for in this"
        " study, so it ends here. That is no judgement of you: tasks like this one do"
        " not suit everybody.",
    ),
    State.WITHDRAWN: (
        "You have left this study",
        "You took your answers back, as you may. There is nothing else to do.",
    ),
}


def of(worker: Worker, n_pages: int) -> Ending:
    """The ending for a worker who gets no more pages, having submitted `n_pages`.

    It has no completion code until the worker has been debriefed.
    """
    study = worker.study
    code = study.completion_code if n_pages and worker.debriefed_at else ""
    if worker.state != State.ACTIVE:
        return _stopped(worker, code)
    if not n_pages:
        return nothing_left(study)
    pages = "1 page" if n_pages == 1 else f"{n_pages} pages"
    return Ending(
        "Thank you", (f"You have rated {pages}. Every answer is stored.",), code
    )


def nothing_left(study: Study) -> Ending:
    """The ending for somebody who could not begin."""
    platform = platforms.of(study)
    lines = [
        "Other people hold or have finished all pages. You have done nothing wrong, and"
        " nothing of yours was lost."
    ]
    if platform and not study.nothing_left_code:
        lines.append(platform.when_nothing_is_left)
    return _with_code("There is nothing left to rate", lines, study.nothing_left_code)


def not_open(study: Study, n_pages: int) -> Ending:
    """A study that gives no pages at the moment, or none any more."""
    heading, line = NOT_OPEN[Study.State(study.state)]
    if study.state != Study.State.CLOSED or n_pages:
        return Ending(heading, (line,))
    return _with_code(heading, [line], study.nothing_left_code)


def _stopped(worker: Worker, code: str) -> Ending:
    study, platform = worker.study, platforms.of(worker.study)
    heading, line = STOPPED[State(worker.state)]
    if worker.state == State.SCREENED and not code:
        lines = [line]
        # A plain link asks nothing of who goes; a platform counts unfinished work.
        if platform and platform.home and not study.screen_out_code:
            lines.append(platform.when_nothing_is_left)
        return _with_code(heading, lines, study.screen_out_code)
    lines = [line]
    if worker.state == State.BLOCKED:
        lines.append(_what_it_earns(study))
    return Ending(heading, tuple(lines), code)


def _what_it_earns(study: Study) -> str:
    """What the consent says about pay, and whom to ask."""
    earned = consent.pay(study)
    pay = f"What you were promised holds: {earned}. " if earned else ""
    whom = consent.contact(study)
    return f"{pay}If you think that we are mistaken, please write to {whom}."


def _with_code(heading: str, lines: list[str], code: str) -> Ending:
    code_help = "Enter it where you came from, in place of a completion code."
    return Ending(heading, tuple(lines), code, "Your code", code_help)
