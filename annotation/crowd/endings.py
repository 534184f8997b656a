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

    has_finished: bool = False  # having submitted a page: what platforms ask for

    def home(self, study: Study, external_id: str) -> str | None:
        """Where the platform takes them back; None if no link leads there.

        An address of the study's own says "has finished", whatever the code is.
        """
        platform = platforms.of(study)
        if platform is None:
            return None
        address = study.completion_url if self.has_finished else ""
        return platform.way_home(self.code, worker=external_id, address=address)


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
    study, platform = worker.study, platforms.of(worker.study)
    has_finished = bool(n_pages and worker.debriefed_at)
    redeems = platform is None or platform.has_codes
    code = study.completion_code if has_finished and redeems else ""
    if worker.state != State.ACTIVE:
        return _stopped(worker, code, has_finished)
    if not n_pages:
        return nothing_left(study)
    said = ngettext(
        "You rated %(pages)s page. All your answers are saved.",
        "You rated %(pages)s pages. All your answers are saved.",
        n_pages,
    )
    lines = (said % {"pages": n_pages},)
    return Ending(gettext("Thank you"), lines, code, has_finished=has_finished)


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


def _stopped(worker: Worker, code: str, has_finished: bool) -> Ending:
    study, platform = worker.study, platforms.of(worker.study)
    heading, line = map(str, STOPPED[State(worker.state)])
    if worker.state == State.SCREENED and not has_finished:
        lines = [line]
        # A plain link asks nothing of who goes; a platform counts unfinished work.
        if platform and platform.gives_ids and not study.screen_out_code:
            lines.append(gettext(platform.when_nothing_is_left))
        return _with_code(heading, lines, study.screen_out_code)
    lines = [line]
    if worker.state == State.BLOCKED:
        lines.append(_what_it_earns(study))
    return Ending(heading, tuple(lines), code, has_finished=has_finished)


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
