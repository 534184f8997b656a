from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation import events, page_kinds, platforms
from annotation.models import (
    Item,
    Negative,
    Opening,
    Place,
    Seat,
    Storing,
    Study,
    Survey,
)
from annotation.surveys import parts, planning, prompt_order
from annotation.surveys.planning import (
    DrawError,
    Planned,
    TransitionError,
    new_draw,
    next_number,
    undrawn,
)
from evalapp import doors, seeds
from evalapp.seeds import OfSurvey

State = Study.State

_NEXT = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.PAUSED, State.CLOSED),
    State.PAUSED: (State.OPEN, State.CLOSED),
    State.CLOSED: (),
}
_DONE = {State.OPEN: "opened", State.PAUSED: "paused", State.CLOSED: "closed"}


def open_study(
    *,
    study: Study,
    user: User | None = None,
    now: datetime | None = None,
) -> None:
    """Let workers in: draw the surveys if that is not done yet, and make their places.

    Texts that came after workers had begun get surveys of their own. A second click
    changes nothing.
    """
    study.refresh_from_db()
    refuse_unless_possible(study)
    if is_being_opened(study):
        raise TransitionError(
            "The pages of this study are being prepared. Wait until that is done, or"
            " cancel it."
        )
    if seats(study).exists() and undrawn(study).exists():
        draw_more(study=study)
    # Computed before the transaction: meanwhile, others can still write.
    found = planning.whole_draw(study) if needs_drawing(study) else None
    plan = planning.plan(study, found) if found else []
    with transaction.atomic():
        if not moved(study, State.OPEN, user, now):
            return
        if found is not None:
            _replace(study, found, plan)
        if undrawn(study).exists():
            raise TransitionError(
                "New texts were added just now. Open the study again."
            )
        free_places(study)
        add_places(study, study.surveys.all())


def pause(
    *,
    study: Study,
    user: User | None = None,
    now: datetime | None = None,
) -> None:
    """Let no one start a survey. Workers who have one may finish it."""
    with transaction.atomic():
        moved(study, State.PAUSED, user, now)


def close(
    *,
    study: Study,
    user: User | None = None,
    now: datetime | None = None,
) -> None:
    """Let no one start a survey any more. From now on retention counts."""
    with transaction.atomic():
        moved(study, State.CLOSED, user, now)


def draw(*, study: Study) -> list[Survey]:
    """Put every text on a page, with one negative each. Replaces an earlier draw.

    A page has no negative if the study wants none, or allows pages without one.
    The same texts and seed give the same surveys. With k samples per system there are
    k surveys per prompt, the k-th of each system's k-th text; more systems than fit on
    a page are spread over several, so that each two meet about equally often.

    Raises:
        DrawError: If workers hold seats or may take some, or there is nothing to draw.
    """
    study.refresh_from_db()
    _refuse_redrawing(study)
    found = planning.whole_draw(study)
    plan = planning.plan(study, found)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        _refuse_redrawing(locked)
        return _replace(locked, found, plan)


def draw_more(*, study: Study) -> list[Survey]:
    """Put texts that came since the draw on pages of their own, numbered on.

    Surveys drawn before stay as they are, with their seats. A system added alone stands
    alone on its pages, beside the negative, which may be made of any text of the study.

    Raises:
        DrawError: If workers may take seats, or no negative can be made.
    """
    study.refresh_from_db()
    refuse_drawing_more(study)
    found = new_draw(study)
    first, plan = found.first, planning.plan(study, found)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        refuse_drawing_more(locked)
        if next_number(locked) != first:
            return []  # a second click was faster
        parts.store(study=locked, part=found.part, replace=False)
        return add_surveys(locked, plan, first)


def _replace(
    study: Study, draw: planning.Draw, plan: Sequence[Planned]
) -> list[Survey]:
    study.surveys.all().delete()
    parts.store(study=study, part=draw.part, replace=True)
    return add_surveys(study, plan)


# States


def moved(study: Study, to: State, user: User | None, now: datetime | None) -> bool:
    """Change the state by one conditional UPDATE. False where it was so already."""
    now = timezone.now() if now is None else now
    before = [state for state in State if to in _NEXT[state]]
    rows = Study.objects.filter(pk=study.pk, state__in=before)
    closed = {"closed_at": now} if to == State.CLOSED else {}
    n_changed = rows.update(state=to, **closed)
    study.refresh_from_db()
    if not n_changed:
        refuse_unless_possible(study, to)
        return False
    _refuse_stored_into(study)
    events.log(study=study, verb=_DONE[to], now=now, user=user)
    return True


def is_being_opened(study: Study) -> bool:
    """Whether a worker is to draw its pages, or does so."""
    openings = Opening.objects.filter(study=study)
    return openings.filter(state__in=Opening.UNFINISHED).exists()


def refuse_unless_possible(study: Study, to: State = State.OPEN) -> None:
    state = State(study.state)
    if state == to:  # someone clicked twice
        return
    _refuse_stored_into(study)
    if to not in _NEXT[state]:
        can = " or ".join(_DONE[next_one] for next_one in _NEXT[state])
        hint = f"It can be {can}." if can else "Create a new study to collect more."
        raise TransitionError(
            f"This study is {_described(state)}, so it cannot be {_DONE[to]}. {hint}"
        )
    if to == State.OPEN:
        platform = platforms.of(study)
        if platform is None or not doors.is_open(platform.door):
            raise TransitionError(
                "This site cannot take workers from"
                f" {study.get_platform_display()} yet. Choose another platform under"
                " Setup."
            )
        _refuse_unless_complete(study, TransitionError)


def _refuse_stored_into(study: Study) -> None:
    if Storing.objects.filter(study=study).exists():
        raise TransitionError(
            f"A file is being stored into {study}: wait until all of it is in."
        )


def _described(state: State) -> str:
    return "a draft" if state == State.DRAFT else state.value


def _refuse_unless_complete(study: Study, error: type[TransitionError]) -> None:
    if study.asks_aspects and not study.aspects.exists():
        raise error("This study has no question to rate. Add one first.")
    if not study.generations.filter(excluded_at=None).exists():
        raise error("This study has no texts. Import some first.")
    if reason := parts.why_not(study):
        raise error(reason)
    for kind in page_kinds.of(study):
        if reason := kind.drawing.why_not(study):
            raise error(reason)


def _refuse_redrawing(study: Study) -> None:
    state = State(study.state)
    if state in (State.OPEN, State.CLOSED):
        raise DrawError(
            f"This study is {_described(state)}, so its surveys cannot change."
            " Surveys can be drawn only while it is a draft."
        )
    if seats(study).exists():
        raise DrawError(
            "Workers have already started these surveys, so they cannot change."
            " Create a new study to draw others."
        )
    _refuse_unless_complete(study, DrawError)


def refuse_drawing_more(study: Study) -> None:
    state = State(study.state)
    if state in (State.OPEN, State.CLOSED):
        hint = "Pause it first." if state == State.OPEN else "Create a new study."
        raise DrawError(
            f"This study is {_described(state)}, so no surveys can be added. {hint}"
        )
    _refuse_unless_complete(study, DrawError)


def seats(study: Study) -> QuerySet[Seat]:
    return Seat.objects.filter(survey__study=study)


# What to draw, and when


def needs_drawing(study: Study) -> bool:
    """Not drawn yet, or drawn from other texts, aspects or settings than there are."""
    if seats(study).exists():
        return False
    excluded = study.generations.exclude(excluded_at=None)
    if undrawn(study).exists() or excluded.exclude(items=None).exists():
        return True
    if not parts.is_current(study):
        return True
    real = study.surveys.all()
    drawn = real.order_by("part").values_list("part", "kind").distinct()
    if list(drawn) != list(enumerate(study.page_kinds)):
        return True
    keys = set(study.aspects.values_list("key", flat=True))
    hurts = real.order_by().values_list("negative__hurts", flat=True).distinct()
    return (
        any(
            kind.drawing.is_outdated(study, real.order_by().filter(kind=kind.key))
            for kind in page_kinds.of(study)
        )
        or any(set(some) - keys for some in hurts if some is not None)
        or _drawn_for_another_choice(study, list(hurts))
    )


def _drawn_for_another_choice(study: Study, hurts: Sequence[object]) -> bool:
    """Whether pages have a damaged text that should not, or the other way round."""
    if study.damaged_texts == Study.DamagedTexts.NONE:
        return any(some is not None for some in hurts)
    return None in hurts


# Rows


def add_surveys(
    study: Study, plan: Sequence[Planned], first: int = 1, batch: int | None = None
) -> list[Survey]:
    """Write pages, numbered from `first` on.

    Args:
        study: Which one.
        plan: The pages.
        first: Number of the first one.
        batch: The same of all that are drawn together; `first` if these are all.
    """
    batch = first if batch is None else batch
    drawn = Survey.objects.bulk_create(
        _survey(study, number, page, batch)
        for number, page in enumerate(plan, start=first)
    )
    made = []
    for survey, page in zip(drawn, plan, strict=True):
        if page.negative is not None:
            page.negative.survey = survey
            made.append(page.negative)
    Negative.objects.bulk_create(made)
    items: list[Item] = []
    by_kind: dict[str, list[Item]] = defaultdict(list)
    for survey, page in zip(drawn, plan, strict=True):
        mixed = _mixed_items(survey, page)
        items += mixed
        by_kind[page.cut.kind] += mixed
    for kind, new in by_kind.items():
        page_kinds.get(kind).drawing.save_related(new)
    Item.objects.bulk_create(items)
    return drawn


def _survey(study: Study, number: int, page: Planned, batch: int) -> Survey:
    cut = page.cut
    return Survey(
        study=study,
        kind=cut.kind,
        part=cut.part,
        prompt=page_kinds.get(cut.kind).drawing.prompt(cut.units, page.negative),
        number=number,
        batch=batch,
        seed=page.seed,
    )


def _mixed_items(survey: Survey, page: Planned) -> list[Item]:
    """In random order: neither ids nor rows tell which one is the negative."""
    drawing = page_kinds.get(survey.kind).drawing
    items = drawing.items(survey, page.cut.units, page.negative)
    rng = np.random.default_rng(survey.seed)
    return [items[i] for i in rng.permutation(len(items))]


def free_places(study: Study) -> None:
    """Of each survey, those that count and the spare ones take workers; no others."""
    places = Place.objects.filter(study=study)
    wanted = study.ratings_per_text + study.spare_seats
    # Workers at a place beyond that may finish; a place is kept because of its seats.
    places.filter(number__gt=wanted, free=True).update(free=False)
    taken = places.filter(number__lte=wanted, free=False)
    taken.exclude(seats__state__in=Seat.LIVE).update(
        free=True, lease_until=None, source=""
    )


def add_places(study: Study, surveys: Iterable[Survey]) -> None:
    """The places that these surveys of the study still lack."""
    wanted = study.ratings_per_text + study.spare_seats
    surveys = list(surveys)
    in_order = prompt_order.of_all(study) if study.one_by_one else {}
    numbers = [survey.number for survey in surveys] or [0]
    span = min(numbers), max(numbers)
    places = Place.objects.filter(study=study, survey__number__range=span)
    there = set(places.values_list("survey_id", "number"))
    Place.objects.bulk_create(
        Place(study=study, survey=one, part=one.part, number=number, shuffle=shuffle)
        for one in surveys
        for number, shuffle in enumerate(
            [in_order[one.prompt_id]] * wanted if in_order else _shuffles(one, wanted),
            start=1,
        )
        if (one.pk, number) not in there
    )


def _shuffles(survey: Survey, n: int) -> list[int]:
    """Random numbers by which places are handed out. More of them begin the same."""
    rng = np.random.default_rng(seeds.child(survey.seed, OfSurvey.PLACES))
    return [int(number) for number in rng.integers(2**62, size=n)]
