from __future__ import annotations

from collections import Counter

import pytest

from annotation import answering, workers
from annotation.kinds.pairs import review
from annotation.models import Item, Seat, comparing
from annotation.models.texts import full_text
from annotation.watching import rated_pages, reading_times, reports
from annotation.watching.rated_pages import RatedPage
from tests.annotation.pairing import MUCH_B, SAME, A, B, choices, compare, open_pairs
from tests.annotation.seating import LATER, NOON, sit


@pytest.fixture
def study(make_study):
    """One page of three pairs of one prompt and a damaged twin, with four places."""
    study = make_study(prompts=1, systems=("a", "b", "c"), ratings_per_text=4)
    return open_pairs(study, pair_strength=True)


def read(seat: Seat) -> RatedPage:
    rows = Seat.objects.select_related("worker", "place", "survey__prompt__label")
    return rated_pages.read(study=seat.survey.study, seat=rows.get(pk=seat.pk))


def real(page: RatedPage) -> list[review.ComparedPair]:
    return [one for one in page.answers.pairs if not one.item.negative]


def test_pairs_stand_in_the_order_and_on_the_sides_that_this_worker_saw(study):
    seat = compare(sit(study, "ann"))
    found = read(seat)
    assert [one.item.pk for one in found.answers.pairs] == seat.order
    assert (found.answers.n, found.answers.n_asked) == (12, 12)
    for one in found.answers.pairs:
        assert (one.left.letter, one.right.letter) == ("A", "B")
        first = one.right if one.item.pk in seat.flipped else one.left
        assert first.text == one.item.pair.first and first.negative is None
    assert seat.flipped and set(seat.flipped) != set(seat.order)


def test_a_damaged_twin_stands_beside_the_text_it_was_made_of(study):
    (twin,) = [
        one
        for one in read(compare(sit(study, "ann"))).answers.pairs
        if one.item.negative
    ]
    damaged, whole = sorted(twin.sides, key=lambda side: side.negative is None)
    assert damaged.text == whole.text == twin.item.negative.source
    assert damaged.words == twin.item.negative.text != whole.words


def test_answers_are_words_as_this_worker_saw_the_pair(study):
    seat = compare(sit(study, "ann"), real=MUCH_B)
    said = {a.in_words for one in real(read(seat)) for a in one.answers}
    assert said == {"B is much better"}


def test_others_are_told_from_the_side_of_this_worker(study):
    ann = compare(sit(study, "ann"), first=comparing.FIRST)
    compare(sit(study, "ben"), first=comparing.SECOND)
    assert Seat.objects.first().flipped != Seat.objects.last().flipped
    for one in real(read(ann)):
        other = A if one.item.pk in ann.flipped else B
        assert one.answers[0].others == Counter({other: 1})
        assert one.answers[0].others_in_words == [(comparing.IN_WORDS[other], 1)]


def test_who_stands_alone_against_two_others_is_marked(study):
    ann = compare(sit(study, "ann"), first=comparing.FIRST)
    compare(sit(study, "ben"), first=comparing.SECOND)
    assert not any(a.is_far for one in real(read(ann)) for a in one.answers)
    compare(sit(study, "cat"), first=comparing.SECOND)
    assert all(a.is_far for one in real(read(ann)) for a in one.answers)
    compare(sit(study, "dan"), first=comparing.FIRST)
    assert not any(a.is_far for one in real(read(ann)) for a in one.answers)


def test_no_difference_is_against_nobody(study):
    ann = compare(sit(study, "ann"), real=SAME)
    for name in ("ben", "cat"):
        compare(sit(study, name), first=comparing.FIRST)
    assert not any(a.is_far for one in real(read(ann)) for a in one.answers)


def test_answers_that_do_not_count_are_not_among_the_others(study):
    ann, ben = (compare(sit(study, name)) for name in ("ann", "ben"))
    Seat.objects.filter(pk=ben.pk).update(informed=True)
    assert {a.n for one in read(ann).answers.pairs for a in one.answers} == {0}


def test_cannot_say_is_told_from_not_answered(study):
    study.aspects.filter(key="coherence").update(cannot_say=True)
    seat = sit(study, "ann")
    answers = {(1, "coherence"): None}
    answering.save_all(seat=seat, answers=answers, now=NOON)
    first, *_ = read(seat).answers.pairs
    assert [a.cannot_say for a in first.answers] == [True, False, False]
    assert {a.in_words for a in first.answers} == {""}


def test_speed_is_of_both_texts_and_what_is_shown_beside_them(study):
    study.prompts.update(source="Write a story.")
    seat = sit(study, "ann")
    visible = dict.fromkeys(range(1, 5), 10_000)
    later = LATER.replace(hour=13)
    answering.submit(seat=seat, answers=choices(seat), now=later, visible=visible)
    found = read(seat)
    item = Item.objects.get(pk=seat.order[0])
    texts = [item.pair.first.text, (item.pair.second or item.negative).text]
    full = [full_text(item.pair.prompt.prefix, text) for text in texts]
    characters = sum(map(len, full)) + len("Write a story.")
    assert found.answers.pairs[0].speed.value == characters / 10
    every = sum(review.characters(one.item) for one in found.answers.pairs)
    assert found.speed.value == every / found.seconds.value


def test_a_report_stands_with_its_pair(study):
    seat = sit(study, "ann")
    reports.report(seat=seat, position=2, reason="Rude.", now=NOON)
    said = [
        [report.reason for report in one.reports] for one in read(seat).answers.pairs
    ]
    assert said == [[], ["Rude."], [], []]


def test_after_a_withdrawal_no_answer_is_left(study):
    seat = compare(sit(study, "ann"))
    workers.withdraw(worker=seat.worker, now=LATER)
    found = read(seat)
    assert found.answers.n == 0
    assert {a.in_words for one in found.answers.pairs for a in one.answers} == {""}
    assert {one.seconds.reason for one in found.answers.pairs} == {
        reading_times.DELETED
    }


def test_it_takes_as_many_queries_for_many_pairs_as_for_few(
    study, make_study, django_assert_num_queries
):
    large = open_pairs(make_study(name="large", prompts=4), texts_per_survey=12)
    for one in (study, large):
        seat = Seat.objects.select_related(
            "worker", "place", "survey__prompt__label", "survey__study"
        ).get(pk=compare(sit(one, "ann")).pk)
        with django_assert_num_queries(7):
            rated_pages.read(study=one, seat=seat)
