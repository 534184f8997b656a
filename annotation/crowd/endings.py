"""How a worker's part ends: what they read, and the code that goes with it.

Nobody is left standing: each ending says why, what is kept, and what to do next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from annotation import platforms
from annotation.crowd import consent
from annotation.models import Study, Worker

State = Worker.State


@dataclass(frozen=True, slots=True)
class Ending:
    heading: str
    lines: tuple[str, ...] = ()
    code: str = ""  # what they redeem where they came from; empty for none
    code_title: str | Promise = gettext_lazy("Your completion code")
    code_help: str | Promise = gettext_lazy(
        "If you are asked for a code, enter this one."
    )

    def home(self, study: Study) -> str | None:
        """Where the code is redeemed, if the platform takes it by link."""
        platform = platforms.of(study)
        if not self.code or platform is None or platform.home is None:
            return None
        return platform.home(self.code)


NOT_OPEN = {
    Study.State.DRAFT: (
        gettext_lazy("This study has not started yet"),
        gettext_lazy(
            "Nothing is wrong with your link. Please try the same link later."
        ),
    ),
    Study.State.PAUSED: (
        gettext_lazy("This study is paused"),
        gettext_lazy("All your answers are saved. Please try the same link later."),
    ),
    Study.State.CLOSED: (
        gettext_lazy("This study is closed"),
        gettext_lazy("We do not need any more ratings. All your answers are saved."),
    ),
}

STOPPED = {
    State.BLOCKED: (
        gettext_lazy("There are no more pages for you"),
        gettext_lazy(
            "A program checks how long each page took and how people usually answer."
            " Several of your pages were different, so your part in this study ends"
            " here. The program can be wrong, and this is not a judgement about you."
            " Thank you for your time."
        ),
    ),
    State.EXCLUDED: (
        gettext_lazy("Your part in this study has ended"),
        gettext_lazy(
            "The researcher has ended it. The pages you submitted stay on record."
        ),
    ),
    State.SCREENED: (
        gettext_lazy("Thank you for trying"),
        gettext_lazy(
            "Your answers on the practice page differ from the ones this study looks"
            " for, so the study ends here for you. This is not a judgement about you:"
            " tasks like this do not suit everyone."
        ),
    ),
    State.WITHDRAWN: (
        gettext_lazy("You have left this study"),
        gettext_lazy("You took your answers back. There is nothing else to do."),
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
    said = ngettext(
        "You rated %(pages)s page. All your answers are saved.",
        "You rated %(pages)s pages. All your answers are saved.",
        n_pages,
    )
    return Ending(gettext("Thank you"), (said % {"pages": n_pages},), code)


def nothing_left(study: Study) -> Ending:
    """The ending for a worker who could not begin."""
    platform = platforms.of(study)
    lines = [
        gettext(
            "Other people have finished or are working on all the pages. You did"
            " nothing wrong, and none of your work is lost."
        )
    ]
    if platform and not study.nothing_left_code:
        lines.append(gettext(platform.when_nothing_is_left))
    heading = gettext("There is nothing left to rate")
    return _with_code(heading, lines, study.nothing_left_code)


def not_open(study: Study, n_pages: int) -> Ending:
    """A study that gives out no pages now, or never again."""
    heading, line = map(str, NOT_OPEN[Study.State(study.state)])
    if study.state != Study.State.CLOSED or n_pages:
        return Ending(heading, (line,))
    return _with_code(heading, [line], study.nothing_left_code)


def _stopped(worker: Worker, code: str) -> Ending:
    study, platform = worker.study, platforms.of(worker.study)
    heading, line = map(str, STOPPED[State(worker.state)])
    if worker.state == State.SCREENED and not code:
        lines = [line]
        # A plain link asks nothing of who goes; a platform counts unfinished work.
        if platform and platform.home and not study.screen_out_code:
            lines.append(gettext(platform.when_nothing_is_left))
        return _with_code(heading, lines, study.screen_out_code)
    lines = [line]
    if worker.state == State.BLOCKED:
        lines.append(_what_it_earns(study))
    return Ending(heading, tuple(lines), code)


def _what_it_earns(study: Study) -> str:
    """What the consent says about pay, and whom to ask."""
    said: dict[str, Any] = {
        "contact": consent.contact(study),
        "pay": consent.pay(study),
    }
    if not said["pay"]:
        return (
            gettext("If you think this is a mistake, please write to %(contact)s.")
            % said
        )
    return (
        gettext(
            "Your pay stays as promised: %(pay)s. If you think this is a mistake,"
            " please write to %(contact)s."
        )
        % said
    )


def _with_code(heading: str, lines: list[str], code: str) -> Ending:
    code_help = gettext(
        "Enter it on the site that sent you here, in place of a completion code."
    )
    return Ending(heading, tuple(lines), code, gettext("Your code"), code_help)
