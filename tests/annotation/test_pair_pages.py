"""Pages of pairs from the claim to the verdict."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from annotation import answering, assigning, human_scores, surveys
from annotation.human_scores import single_ratings
from annotation.kinds.pairs.content import pairs
from annotation.models import Annotation, Item, Policy, Seat, comparing
from tests.annotation.seating import NOON, hire, in_threads, saved, sit

STRICT = {"ratings_per_text": 4, "page_kinds": ["pair"], "texts_per_survey": 3}


@pytest.fixture
def study(make_study):
    study = make_study(prompts=2, systems=("a", "b"), aspects=("coherence",), **STRICT)
    surveys.open_study(study=study)
    return study


def prefer(seat: Seat, *, damaged: bool = False, code: int = comparing.FIRST) -> dict:
    """Answers as given: `code` on real pairs, and who is better of the twins."""
    found = {}
    for item in Item.objects.in_bulk(seat.order).values():
        stored = code
        if item.negative_id:
            stored = comparing.SECOND if damaged else comparing.FIRST
        position = seat.order.index(item.pk) + 1
        given = comparing.turned(stored) if item.pk in seat.flipped else stored
        for key in seat.survey.study.aspects.values_list("key", flat=True):
            found[position, key] = given
    return found


def submit(seat: Seat, **how) -> Seat:
    return answering.submit(seat=seat, answers=prefer(seat, **how), now=NOON)


def test_each_side_of_a_pair_is_on_the_left_for_half_of_the_people(study):
    flips: Counter[int] = Counter()
    n = 0
    while seat := assigning.claim(worker=hire(study, f"w{n}"), now=NOON):
        submit(seat)
        flips.update({item: int(item in seat.flipped) for item in seat.order})
        n += 1
    assert n == 4 * study.surveys.count()
    assert set(flips.values()) == {2}


def test_a_page_shows_both_texts_in_the_order_of_its_seat(study):
    for name in "ab":
        seat = sit(study, name)
        for one in pairs(seat):
            item = Item.objects.get(pk=one.item_id)
            sides = [one.sides.left, one.sides.right]
            first = item.pair.first.full_text
            assert sides.index(first) == (item.pk in seat.flipped)


def test_answers_are_stored_from_the_first_text_and_shown_as_given(study):
    seat = sit(study, "ann")
    answers = prefer(seat)
    answering.save_all(seat=seat, answers=answers, now=NOON)
    assert saved(seat) == answers
    rows = Annotation.objects.filter(seat=seat)
    assert set(rows.values_list("value", flat=True)) == {comparing.FIRST}
    assert not rows.filter(pair=None).exists()


@pytest.mark.parametrize(
    ("ties", "strength", "offered"),
    [
        (True, False, {2, 3, 4}),
        (False, False, {2, 4}),
        (True, True, {1, 2, 3, 4, 5}),
        (False, True, {1, 2, 4, 5}),
    ],
)
def test_only_what_the_study_offers_is_an_answer(study, ties, strength, offered):
    study.pair_ties, study.pair_strength = ties, strength
    study.save()
    seat = sit(study, "ann")
    for value in range(7):
        if value in offered:
            answering.save(
                seat=seat, position=1, aspect="coherence", value=value, now=NOON
            )
        else:
            with pytest.raises(answering.BadAnswer):
                answering.save(
                    seat=seat, position=1, aspect="coherence", value=value, now=NOON
                )


def test_who_calls_a_damaged_twin_better_is_discarded_with_the_reason(study):
    careful, careless = submit(sit(study, "ann")), submit(sit(study, "b"), damaged=True)
    assert careful.state == Seat.State.VALID
    assert careless.state == Seat.State.DISCARDED
    verdict = careless.verdicts.get()
    assert "The damaged version of a text was called better" in verdict.reason
    assert verdict.numbers["failed"] == ["rule"]


def test_no_difference_on_the_twin_is_no_evidence(study):
    seat = sit(study, "ann")
    hidden = Item.objects.get(survey=seat.survey, negative__isnull=False)
    answers = prefer(seat)
    answers[seat.order.index(hidden.pk) + 1, "coherence"] = comparing.TIE
    done = answering.submit(seat=seat, answers=answers, now=NOON)
    assert done.state == Seat.State.VALID


def test_the_same_button_everywhere_is_found_whatever_it_meant(study):
    Policy.objects.create(study=study, version=2, same_score=True)
    seat = sit(study, "ann")
    left = {key: comparing.FIRST for key in prefer(seat)}
    done = answering.submit(seat=seat, answers=left, now=NOON)
    assert done.state == Seat.State.DISCARDED
    numbers = done.verdicts.get().numbers
    assert "same" in numbers["failed"]


def test_pairs_are_no_ratings(study):
    submit(sit(study, "ann"))
    assert not human_scores.ratings(study=study).exists()
    assert not len(single_ratings.of_negatives(study=study).of)


def test_who_never_sees_the_damage_is_found_over_their_pages(make_study):
    study = make_study(
        prompts=12, systems=("a", "b"), aspects=("coherence",), page_kinds=["pair"]
    )
    study.texts_per_survey = 1
    study.save()
    Policy.objects.create(
        study=study, version=2, rule="above_all", chance_odds=5, worker_pages=3
    )
    surveys.open_study(study=study)
    rng = np.random.default_rng(5)
    by_chance, reader = hire(study, "chance"), hire(study, "reader")
    while seat := assigning.claim(worker=by_chance, now=NOON):
        answers = prefer(seat, code=int(rng.choice([2, 3, 4])))
        hidden = Item.objects.get(survey=seat.survey, negative__isnull=False)
        answers[seat.order.index(hidden.pk) + 1, "coherence"] = comparing.TIE
        answering.submit(seat=seat, answers=answers, now=NOON)
    while seat := assigning.claim(worker=reader, now=NOON):
        submit(seat, code=int(rng.choice([2, 3, 4])))
    assert set(by_chance.seats.values_list("state", flat=True)) == {"discarded"}
    assert set(reader.seats.values_list("state", flat=True)) == {"valid"}


def test_a_part_is_claimed_before_the_next_one(make_study):
    study = make_study(prompts=2, page_kinds=["pair", "ratings"])
    surveys.open_study(study=study)
    worker, kinds = hire(study, "ann"), []
    while seat := assigning.claim(worker=worker, now=NOON):
        kinds.append(seat.survey.kind)
        Seat.objects.filter(pk=seat.pk).update(state=Seat.State.VALID)
        seat.place.free, seat.place.lease_until = False, None
        seat.place.save()
    n_pairs = study.surveys.filter(kind="pair").count()
    assert kinds == ["pair"] * n_pairs + ["ratings"] * 2


def test_a_pair_with_an_excluded_text_stays_off_new_pages(study):
    seat = sit(study, "ann")
    pair = Item.objects.filter(pk__in=seat.order, negative=None).first()
    text = pair.pair.first
    text.excluded_at = NOON
    text.save()
    other = sit(study, "ben")
    while other.survey_id != seat.survey_id:
        other = assigning.claim(worker=submit(other).worker, now=NOON)
    assert pair.pk not in other.order
    assert len(other.order) < len(seat.order)


@pytest.mark.django_db(transaction=True)
def test_many_at_once_fill_every_pair_exactly(make_study):
    study = make_study(prompts=4, systems=("a", "b"), aspects=("coherence",), **STRICT)
    surveys.open_study(study=study)

    workers = [hire(study, f"w{n}") for n in range(8)]

    def work(n: int) -> None:
        while seat := assigning.claim(worker=workers[n], now=NOON):
            submit(seat, damaged=n % 5 == 0)

    in_threads(8, work)
    # A page that is discarded last leaves a place when the careful ones have gone.
    for n in (1, 2, 3, 4, 6, 7):
        work(n)
    pairs = Annotation.objects.filter(seat__state="valid", pair__second__isnull=False)
    n_of = Counter(pairs.values_list("pair", flat=True))
    assert set(n_of.values()) == {4}
