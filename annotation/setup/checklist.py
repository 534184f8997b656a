"""The points to look at before a study opens, each with its state in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from django.contrib.auth.models import User

from annotation import events, page_kinds, platforms, studies, surveys
from annotation.models import Practice, Study
from annotation.setup import questions
from annotation.setup.fixed import has_locked_plan, scales_in_words
from annotation.setup.kinds import in_words
from annotation.setup.pay import pay
from annotation.surveys import estimating, parts

# In the log.
PREVIEWED, SIMULATED, CHECKED = "previewed", "simulated", "checked-settings"


class State(StrEnum):
    DONE = "Done"
    MISSING = "Missing"
    CHECK = "Check"  # there, but it looks wrong, or nobody has looked at it
    NOT_YET = "Not done"
    OPTIONAL = "Optional"
    STOPS = "Cannot open"


class Point(NamedTuple):
    """One line of the checklist."""

    title: str
    state: State
    sentence: str
    verb: str
    url_name: str
    anchor: str = ""
    fixed: bool = False  # once the study is open
    warning: str = ""  # said again before it opens


class Section(NamedTuple):
    title: str
    points: list[Point]


def checklist(*, study: Study) -> list[Section]:
    """All points, in the order of the work. About fifteen small queries."""
    verbs = study.events.filter(verb__in=[PREVIEWED, SIMULATED, CHECKED])
    seen = set(verbs.values_list("verb", flat=True))
    found = [
        Section("What is rated", list(_rated(study, CHECKED in seen))),
        Section("What workers read", list(_read(study, CHECKED in seen))),
        Section("How you check the work", list(_checked(study))),
    ]
    if study.state == Study.State.DRAFT:
        found.append(Section("Try it first", list(_tried(seen))))
    return found


def points(sections: list[Section], *states: State) -> list[Point]:
    """Those in one of these states."""
    return [p for section in sections for p in section.points if p.state in states]


def note_once(*, study: Study, verb: str, user: User, now: datetime) -> None:
    """Log that a draft was tried this way. One query where that is known."""
    draft = study.state == Study.State.DRAFT
    if draft and not study.events.filter(verb=verb).exists():
        events.log(study=study, verb=verb, now=now, user=user)


# What is rated ------------------------------------------------------------------------


def _rated(study: Study, checked: bool) -> Iterator[Point]:
    n = study.generations.filter(excluded_at=None).count()
    yield _texts(study, n)
    yield _kinds(study, n)
    if n and study.state == Study.State.DRAFT:
        yield _damaged(study)
    yield _questions(study, checked)


def _texts(study: Study, n: int) -> Point:
    if not n:
        return Point(
            "Texts",
            State.STOPS,
            "There are no texts yet.",
            "Import texts",
            "study_import",
            warning="There are no texts to rate.",
        )
    n_systems = study.systems.count()
    of = f" of {n_systems} system{_s(n_systems)}" if n_systems else ""
    part = drawn = ""
    if study.rates_part:
        part, drawn = f"{parts.n_to_rate(study):,} of ", ", drawn at random"
    return Point(
        "Texts",
        State.DONE,
        f"{part}{n:,} text{_s(n)}{of}{drawn}, each to be rated by"
        f" {study.ratings_per_text} {_people(study.ratings_per_text)}.{_few(study)}",
        "See the texts",
        "study_texts",
    )


def _few(study: Study) -> str:
    """Where only some texts of each prompt are rated: what pages look like."""
    found = estimating.of_part(study)
    if found is None or not found.are_few:
        return ""
    return (
        f" Pages will have about {found.texts:.2g} texts instead of {found.of_all:.2g},"
        " because a page shows texts of one prompt only. For fuller pages, rate a"
        " larger share."
    )


def _kinds(study: Study, n: int) -> Point:
    reasons = [kind.drawing.why_not(study) for kind in page_kinds.of(study)]
    reason = next((one for one in reasons if one), "") if n else ""
    summaries = [kind.setup.summary(study) for kind in page_kinds.of(study)]
    said = " ".join(filter(None, [f"{in_words(study=study)}.", *summaries]))
    return Point(
        "Kinds of pages",
        State.STOPS if reason else State.DONE,
        f"{said} {reason}".strip(),
        "Choose",
        "study_kinds",
        fixed=True,
        warning=reason,
    )


def _damaged(study: Study) -> Point:
    found = surveys.damageable(study=study)
    state, sentence, warning = State.DONE, "Every page can hide one.", ""
    if study.damaged_texts == Study.DamagedTexts.NONE:
        state = State.OPTIONAL
        sentence = "No page hides one, so only the other checks find careless work."
        warning = "No page hides a damaged text."
    elif found.without and study.damaged_texts == Study.DamagedTexts.EVERY:
        state, sentence = State.STOPS, f"{found.sentence} {found.advice}"
        warning = f"{found.sentence} Choose on the checklist what to do."
    elif found.without:
        sentence = f"{found.sentence} These pages have no damaged text."
    return Point(
        "Damaged texts",
        state,
        sentence,
        "Choose",
        "study_settings",
        "amount",
        warning=warning,
    )


QUESTIONS = "Questions and scale"
EDIT_THEM = ("Edit questions", "study_settings", "questions")


def _questions(study: Study, checked: bool) -> Point:
    if not study.asks_aspects:
        said = "None are asked: workers correct the texts."
        return Point(QUESTIONS, State.OPTIONAL, said, *EDIT_THEM, fixed=True)
    aspects = list(study.aspects.all())
    titles = ", ".join(aspect.title for aspect in aspects)
    n = len(aspects)
    sentence = f"{n} question{_s(n)}: {titles}. Answered {scales_in_words(aspects)}."
    state, warning = State.DONE, questions.beside_the_texts(study, aspects)
    if long := questions.too_many_points(aspects):
        state, warning = State.CHECK, long
        sentence = f"{sentence} {long} Choose the slider for it."
    elif warning:
        state = State.CHECK
        sentence = f"{sentence} {warning} Remove or change the question."
    elif not checked and studies.are_standard(study, aspects):
        state = State.CHECK
        sentence += " These are standard questions: check that they suit your texts."
    return Point(QUESTIONS, state, sentence, *EDIT_THEM, fixed=True, warning=warning)


# What workers read --------------------------------------------------------------------


def _read(study: Study, checked: bool) -> Iterator[Point]:
    yield _instructions(study, checked)
    yield _consent(study, checked)
    yield _contact(study)
    yield _pay(study)
    yield _way_in(study)


def _instructions(study: Study, checked: bool) -> Point:
    given = bool(study.instructions.strip())
    state = State.DONE if given else State.MISSING
    sentence = f"Workers see the title “{study.public_title}”."
    if not given:
        sentence += " The instructions are empty."
    elif not checked and studies.has_standard_instructions(study):
        state = State.CHECK
        sentence += " The instructions are standard words: check that they are right."
    return Point(
        "Title and instructions",
        state,
        sentence,
        "Edit",
        "study_settings",
        "words",
        fixed=True,
        warning="" if given else "The instructions are empty.",
    )


def _consent(study: Study, checked: bool) -> Point:
    given = bool(study.consent.strip())
    state, sentence = State.DONE, "Workers agree to your consent text."
    if not given:
        state = State.MISSING
        sentence = "Empty: workers agree to a short standard text."
    elif not checked:
        state = State.CHECK
        sentence = "Check that the wording matches your ethics approval."
    return Point(
        "Consent",
        state,
        sentence,
        "Edit consent",
        "study_settings",
        "words",
        warning="" if given else "You have not written a consent text.",
    )


def _contact(study: Study) -> Point:
    platform = platforms.of(study)
    instead = platform.how_to_reach if platform else "the researcher"
    if study.contact:
        return Point(
            "Contact",
            State.DONE,
            f"Workers can write to {study.contact}.",
            "Edit contact",
            "study_settings",
            "words",
        )
    return Point(
        "Contact",
        State.MISSING,
        f"No email address: workers read “Contact: {instead}”.",
        "Add a contact",
        "study_settings",
        "words",
        warning="There is no contact address for workers.",
    )


def _pay(study: Study) -> Point:
    found, warning, state = pay(study=study), "", State.OPTIONAL
    if found:
        sentence, warning = f"{found.sentence} {found.warning}".strip(), found.warning
        state = State.CHECK if found.too_low else State.DONE
        warning = f"{found.sentence} {warning}" if found.too_low else ""
    elif study.pay_per_page:
        state = State.DONE
        sentence = f"{study.pay_per_page:.2f} {study.currency} per page."
    else:
        sentence = "None stated: rating is unpaid, or paid elsewhere."
    return Point(
        "Pay",
        state,
        sentence,
        "Edit pay",
        "study_settings",
        "pay",
        fixed=True,
        warning=warning,
    )


def _way_in(study: Study) -> Point:
    if study.invited_only:
        n = study.invites.count()
        return Point(
            "Invites",
            State.DONE if n else State.MISSING,
            f"{n} {_people(n)} invited." if n else "Nobody is invited yet.",
            "Invite people",
            "study_invites",
            warning="" if n else "Only invited people may rate, and nobody is invited.",
        )
    return Point(
        "Platform",
        State.DONE,
        f"{study.get_platform_display()}. You get the workers’ link when the study is"
        " open.",
        "Edit platform and codes",
        "study_settings",
        "platform",
        fixed=True,
    )


# How the work is checked --------------------------------------------------------------


def _checked(study: Study) -> Iterator[Point]:
    if page_kinds.practice_of(study.page_kinds):
        yield _practice(study)
    policy = study.current_policy()
    yield Point(
        "Quality control",
        State.DONE,
        f"Version {policy.version}. A page is discarded with its"
        f" {policy.get_rule_display()}, or if it fails another check.",
        "Review the checks",
        "study_quality",
    )
    locked = has_locked_plan(study)
    yield Point(
        "Analysis plan",
        State.DONE if locked else State.OPTIONAL,
        "Locked: tables mark what it names as planned."
        if locked
        else "Not locked: every table will say that it is exploratory.",
        "See the plan" if locked else "Make a plan",
        "plan",
        fixed=True,
    )


def _practice(study: Study) -> Point:
    page = Practice.objects.filter(study=study).first()
    n = page.texts.count() if page else 0
    return Point(
        "Practice",
        State.DONE if page else State.OPTIONAL,
        f"{n} practice text{_s(n)} before the first page."
        if page
        else "None: workers start with a real page.",
        "Edit practice" if page else "Add practice",
        "study_practice",
        fixed=True,
    )


def _tried(seen: set[str]) -> Iterator[Point]:
    previewed, simulated = PREVIEWED in seen, SIMULATED in seen
    yield Point(
        "Preview",
        State.DONE if previewed else State.NOT_YET,
        "You have seen the page that workers see."
        if previewed
        else "Look at the page as workers see it.",
        "Preview as a worker",
        "worker_preview",
        warning="" if previewed else "You have not seen the page as workers see it.",
    )
    yield Point(
        "Simulation",
        State.DONE if simulated else State.OPTIONAL,
        "You have simulated the study."
        if simulated
        else "See what quality control catches, how long it takes and what it costs.",
        "Simulate the study",
        "study_simulate",
    )


def _s(n: int) -> str:
    return "" if n == 1 else "s"


def _people(n: int) -> str:
    return "person" if n == 1 else "people"
