from __future__ import annotations

import pytest

from annotation import answering
from annotation.kinds.pairs import review
from annotation.models import Item, Seat, comparing
from annotation.watching import comparisons, item_lengths, raters
from annotation.watching.figures import Figure
from tests.annotation.pairing import SAME, A, B, choices, compare, open_pairs
from tests.annotation.seating import NOON, hand_in, lay_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """One page of three pairs and a damaged twin, with four places."""
    study = make_study(prompts=1, systems=("a", "b", "c"), ratings_per_text=4)
    return open_pairs(study)


def of(seat: Seat) -> raters.Rater:
    study = seat.survey.study
    return raters.raters(study=study, workers=[seat.worker])[seat.worker_id]


def test_the_share_of_left_is_of_choices_on_real_pairs(study):
    ann = compare(sit(study, "ann"), real=A)
    assert (of(ann).left, of(ann).choices) == (Figure(1.0), 9)
    ben = compare(sit(study, "ben"), real=B)
    assert of(ben).left == Figure(0.0)


def test_no_difference_chooses_no_side(study):
    ann = compare(sit(study, "ann"), real=SAME)
    assert of(ann).left.value is None and of(ann).choices == 0


def test_the_same_choice_is_the_share_of_others_with_it(study):
    ann = compare(sit(study, "ann"), first=comparing.FIRST)
    assert of(ann).same_choice == Figure(None, "nobody else has compared these pairs")
    compare(sit(study, "ben"), first=comparing.FIRST)
    compare(sit(study, "cat"), first=comparing.SECOND)
    assert of(ann).same_choice == Figure(0.5)


def test_how_much_better_a_text_is_makes_no_other_choice(make_study):
    study = make_study(prompts=1, systems=("a", "b", "c"))
    open_pairs(study, pair_strength=True)
    ann = compare(sit(study, "ann"), first=comparing.SECOND)
    compare(sit(study, "ben"), first=comparing.MUCH_SECOND)
    assert of(ann).same_choice == Figure(1.0)


def test_answers_on_pairs_make_no_ratings(study):
    ann = compare(sit(study, "ann"), first=comparing.FIRST)
    compare(sit(study, "ben"), first=comparing.FIRST)
    found = of(ann)
    assert found.texts == 0
    assert {found.bias.value, found.spread.value, found.agreement.value} == {None}


def test_a_study_without_pairs_is_not_asked_for_any(make_study):
    study = make_study()
    lay_out(study)
    found = of(hand_in(sit(study, "ann")))
    assert found.left == Figure(None, "no text was chosen on a page of pairs")


def test_the_same_answer_everywhere_is_told_as_it_was_pressed(study):
    seat = sit(study, "ann")
    same = dict.fromkeys(choices(seat), A)
    answering.submit(seat=seat, answers=same, now=NOON)
    stored = set(seat.annotations.values_list("value", flat=True))
    assert stored == {comparing.FIRST, comparing.SECOND}
    assert of(seat).same_pages == [seat.pk]
    assert of(seat).common == Figure(1.0)


def test_a_pair_with_an_excluded_text_is_left_out(study):
    ann = compare(sit(study, "ann"), real=A)
    study.generations.filter(system__name="a").update(excluded_at=NOON)
    assert of(ann).choices == 3  # of nine: one pair is left


def test_the_database_counts_the_characters_that_a_page_shows(study):
    study.prompts.update(source="Write a story.")
    # One text that does not begin with its prefix, which it then gets.
    study.generations.filter(system__name="b").update(text="A story of its own.")
    seat = compare(sit(study, "ann"))
    rows = Item.objects.select_related(
        "negative__source", "pair__prompt", "pair__first", "pair__second"
    )
    found = item_lengths.of_workers([seat.worker])
    assert found == {
        item.pk: review.characters(item) for item in rows.filter(pk__in=seat.order)
    }


def test_speed_is_of_all_that_a_page_shows(study):
    seat = sit(study, "ann")
    visible = dict.fromkeys(range(1, 5), 10_000)
    later = NOON.replace(hour=13)
    answering.submit(seat=seat, answers=choices(seat), now=later, visible=visible)
    characters = sum(item_lengths.of_workers([seat.worker]).values())
    assert of(seat).speed == Figure(characters / 40)


def test_an_outcome_is_who_is_better():
    outcomes = [comparisons.outcome(value) for value in sorted(comparing.IN_WORDS)]
    assert outcomes == [1, 1, 0, -1, -1]


def test_queries_do_not_grow_with_the_workers(study, django_assert_num_queries):
    for name in ("ann", "ben"):
        compare(sit(study, name))
    for n in (1, 2):
        workers = list(study.workers.all()[:n])
        with django_assert_num_queries(9):
            raters.raters(study=study, workers=workers)
