from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max, QuerySet
from django.utils import timezone

from annotation import events, platforms
from annotation.models import (
    Generation,
    Item,
    Negative,
    Place,
    Prompt,
    Seat,
    Study,
    Survey,
)
from annotation.surveys import negatives, pages
from annotation.surveys.pages import Page
from evalapp import seeds
from evalapp.seeds import OfStudy, OfSurvey

State = Study.State

_NEXT = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.PAUSED, State.CLOSED),
    State.PAUSED: (State.OPEN, State.CLOSED),
    State.CLOSED: (),
}
_DONE = {State.OPEN: "opened", State.PAUSED: "paused", State.CLOSED: "closed"}


# Real texts, the negative if there is to be one, and the page's seed.
Drawn = tuple[Page, Negative | None, int]


class TransitionError(Exception):
    """The study's state or content does not allow this. The message says what would."""


class DrawError(TransitionError):
    """Surveys cannot be drawn. The message says why."""


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
    _refuse_unless_possible(study, State.OPEN)
    if _seats(study).exists() and _undrawn(study).exists():
        draw_more(study=study)
    # Computed before the transaction: meanwhile, others can still write.
    plan = planned(study) if _needs_drawing(study) else None
    with transaction.atomic():
        if not _moved(study, State.OPEN, user, now):
            return
        if plan is not None:
            study.surveys.all().delete()
            _add_surveys(study, plan)
        if _undrawn(study).exists():
            raise TransitionError("Texts arrived just now. Open the study once more.")
        _fit_places(study)


def pause(
    *,
    study: Study,
    user: User | None = None,
    now: datetime | None = None,
) -> None:
    """Let no one start a survey. Who sits at one may finish it."""
    with transaction.atomic():
        _moved(study, State.PAUSED, user, now)


def close(
    *,
    study: Study,
    user: User | None = None,
    now: datetime | None = None,
) -> None:
    """Let no one start a survey, for good. From now on retention counts."""
    with transaction.atomic():
        _moved(study, State.CLOSED, user, now)


def draw(*, study: Study) -> list[Survey]:
    """Put every text on a page, with one negative each. Replaces an earlier draw.

    A page has no negative where the study wants none, or can do without.
    The same texts and seed give the same surveys. With k samples per system there are
    k surveys per prompt, the k-th of each system's k-th text; more systems than fit on
    a page are spread over several, so that each two meet about equally often.

    Raises:
        DrawError: If workers hold seats or may take some, or there is nothing to draw.
    """
    study.refresh_from_db()
    _refuse_redrawing(study)
    plan = planned(study)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        _refuse_redrawing(locked)
        locked.surveys.all().delete()
        return _add_surveys(locked, plan)


def draw_more(*, study: Study) -> list[Survey]:
    """Put texts that came since the draw on pages of their own, numbered on.

    Surveys drawn before stay as they are, with their seats. A system added alone stands
    alone on its pages, beside the negative, which may be made of any text of the study.

    Raises:
        DrawError: If workers may take seats, or no negative can be made.
    """
    study.refresh_from_db()
    _refuse_drawing_more(study)
    first = _next_number(study)
    fresh = set(_undrawn(study).values_list("pk", flat=True))
    texts = texts_of(study)
    pool = pool_of(study, texts)
    for used in ("source", "perturbation"):
        before = Negative.objects.filter(survey__study=study)
        pool.n_uses.update(before.values_list(used, flat=True))
    plan = _plan(study, [text for text in texts if text.pk in fresh], pool, first)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        _refuse_drawing_more(locked)
        if _next_number(locked) != first:
            return []  # a second click was faster
        return _add_surveys(locked, plan, first)


# States


def _moved(study: Study, to: State, user: User | None, now: datetime | None) -> bool:
    """Change the state by one conditional UPDATE. False where it was so already."""
    now = timezone.now() if now is None else now
    before = [state for state in State if to in _NEXT[state]]
    rows = Study.objects.filter(pk=study.pk, state__in=before)
    closed = {"closed_at": now} if to == State.CLOSED else {}
    n_changed = rows.update(state=to, **closed)
    study.refresh_from_db()
    if not n_changed:
        _refuse_unless_possible(study, to)
        return False
    events.log(study=study, verb=_DONE[to], now=now, user=user)
    return True


def _refuse_unless_possible(study: Study, to: State) -> None:
    state = State(study.state)
    if state == to:  # somebody clicked twice
        return
    if to not in _NEXT[state]:
        can = " or ".join(_DONE[next_one] for next_one in _NEXT[state])
        hint = f"It can be {can}." if can else "Make a new study to collect more."
        raise TransitionError(
            f"This study is {_described(state)}, so it cannot be {_DONE[to]}. {hint}"
        )
    if to == State.OPEN:
        if platforms.of(study) is None:
            raise TransitionError(
                f"Workers of {study.get_platform_display()} cannot be received yet."
                " Choose another platform in the settings."
            )
        _refuse_unless_complete(study, TransitionError)


def _described(state: State) -> str:
    return "a draft" if state == State.DRAFT else state.value


def _refuse_unless_complete(study: Study, error: type[TransitionError]) -> None:
    if not study.aspects.exists():
        raise error("This study has no aspect to rate. Add one first.")
    if not study.generations.filter(excluded_at=None).exists():
        raise error("This study has no texts. Import some first.")


def _refuse_redrawing(study: Study) -> None:
    state = State(study.state)
    if state in (State.OPEN, State.CLOSED):
        raise DrawError(
            f"This study is {_described(state)}, so its surveys stay as they are."
            " Surveys can be drawn while it is a draft."
        )
    if _seats(study).exists():
        raise DrawError(
            "Workers have already sat at these surveys, so they stay as they are."
            " Make a new study to draw others."
        )
    _refuse_unless_complete(study, DrawError)


def _refuse_drawing_more(study: Study) -> None:
    state = State(study.state)
    if state in (State.OPEN, State.CLOSED):
        hint = "Pause it first." if state == State.OPEN else "Make a new study."
        raise DrawError(
            f"This study is {_described(state)}, so no surveys can be added. {hint}"
        )
    _refuse_unless_complete(study, DrawError)


def _seats(study: Study) -> QuerySet[Seat]:
    return Seat.objects.filter(survey__study=study)


# What to draw, and when


def _undrawn(study: Study) -> QuerySet[Generation]:
    """Texts that stand on no page yet and are not excluded from all."""
    return study.generations.filter(items=None, excluded_at=None)


def _needs_drawing(study: Study) -> bool:
    """Not drawn yet, or drawn from other texts, aspects or settings than there are."""
    if _seats(study).exists():
        return False
    excluded = study.generations.exclude(excluded_at=None)
    if _undrawn(study).exists() or excluded.exclude(items=None).exists():
        return True
    real = study.surveys.all()
    # The negative is one item more.
    n_items = real.annotate(n=Count("items")).values_list("n", flat=True)
    keys = set(study.aspects.values_list("key", flat=True))
    hurts = list(real.values_list("negative__hurts", flat=True))
    return (
        max(n_items, default=0) > study.texts_per_survey + 1
        or any(set(some) - keys for some in hurts if some is not None)
        or _drawn_for_another_choice(study, hurts)
    )


def _drawn_for_another_choice(study: Study, hurts: Sequence[object]) -> bool:
    """Whether pages have a damaged text that should not, or the other way round."""
    if study.damaged_texts == Study.DamagedTexts.NONE:
        return any(some is not None for some in hurts)
    return None in hurts


def planned(study: Study) -> list[Drawn]:
    """Pages of all texts with their negative and seed. Nothing is written."""
    texts = texts_of(study)
    return _plan(study, texts, pool_of(study, texts), first=1)


def texts_of(study: Study) -> list[Generation]:
    """What may stand on pages, in an order that a copy of the study would have."""
    texts = study.generations.filter(excluded_at=None)
    return sorted(texts.select_related("prompt__label", "system"), key=_content_order)


def pool_of(study: Study, texts: Sequence[Generation]) -> negatives.Pool:
    keys = list(study.aspects.values_list("key", flat=True))
    return negatives.Pool(generations=texts, aspects=keys)


def _plan(
    study: Study, texts: Sequence[Generation], pool: negatives.Pool, first: int
) -> list[Drawn]:
    """Cut texts into pages, numbered from `first`, and choose their negatives."""
    more = () if first == 1 else (first,)
    rng = np.random.default_rng(seeds.child(study.seed, OfStudy.PAGES, *more))
    plan = []
    for number, page in enumerate(
        pages.cut(generations=texts, size=study.texts_per_survey, rng=rng),
        start=first,
    ):
        seed = seeds.child(study.seed, OfStudy.NEGATIVES, number)
        negative = _negative(study, page, pool, seed)
        own = seeds.child(study.seed, OfStudy.SURVEYS, number)
        plan.append((page, negative, own))
    return plan


def _negative(
    study: Study, page: Page, pool: negatives.Pool, seed: int
) -> Negative | None:
    if study.damaged_texts == Study.DamagedTexts.NONE:
        return None
    try:
        return negatives.choose(page=page, pool=pool, seed=seed)
    except negatives.NoNegative as error:
        if study.damaged_texts == Study.DamagedTexts.POSSIBLE:
            return None
        hint = "Or choose on the overview to run such pages without a damaged text."
        raise DrawError(f"{error} {hint}") from error


def _next_number(study: Study) -> int:
    return (study.surveys.aggregate(n=Max("number"))["n"] or 0) + 1


def _content_order(
    text: Generation,
) -> tuple[int, str, str, int, tuple[int, str]]:
    """By what was uploaded, never by ids: a copy of the study must draw the same."""
    prompt: Prompt = text.prompt
    system = text.system.name if text.system else ""
    return prompt.position, prompt.digest, system, text.sample, _natural(text.key)


def _natural(key: str) -> tuple[int, str]:
    """Keys that are row numbers in the order of rows: 9 before 10."""
    return (int(key), "") if key.isdecimal() else (0, key)


# Rows


def _add_surveys(study: Study, plan: Sequence[Drawn], first: int = 1) -> list[Survey]:
    drawn = Survey.objects.bulk_create(
        Survey(study=study, prompt=page[0].prompt, number=number, seed=seed)
        for number, (page, _, seed) in enumerate(plan, start=first)
    )
    made = []
    for survey, (_, negative, _) in zip(drawn, plan, strict=True):
        if negative is not None:
            negative.survey = survey
            made.append(negative)
    Negative.objects.bulk_create(made)
    Item.objects.bulk_create(
        item
        for survey, (page, negative, _) in zip(drawn, plan, strict=True)
        for item in _mixed_items(survey, page, negative)
    )
    return drawn


def _mixed_items(survey: Survey, page: Page, negative: Negative | None) -> list[Item]:
    """In random order: neither ids nor rows tell which one is the negative."""
    items = [Item(survey=survey, generation=text) for text in page]
    if negative is not None:
        items.append(Item(survey=survey, negative=negative))
    rng = np.random.default_rng(survey.seed)
    return [items[i] for i in rng.permutation(len(items))]


def _fit_places(study: Study) -> None:
    """Each survey's places take workers: those that count, then the spare ones."""
    places = Place.objects.filter(study=study)
    wanted = study.ratings_per_text + study.spare_seats
    # Whoever sits at a place beyond may finish; a place is kept for its seats' sake.
    places.filter(number__gt=wanted, free=True).update(free=False)
    taken = places.filter(number__lte=wanted, free=False)
    taken.exclude(seats__state__in=Seat.LIVE).update(free=True, lease_until=None)
    there = set(places.values_list("survey_id", "number"))
    Place.objects.bulk_create(
        Place(survey=survey, study=study, number=number, shuffle=shuffle)
        for survey in study.surveys.all()
        for number, shuffle in enumerate(_shuffles(survey, wanted), start=1)
        if (survey.pk, number) not in there
    )


def _shuffles(survey: Survey, n: int) -> list[int]:
    """Random numbers by which places are handed out. More of them begin the same."""
    rng = np.random.default_rng(seeds.child(survey.seed, OfSurvey.PLACES))
    return [int(number) for number in rng.integers(2**62, size=n)]
