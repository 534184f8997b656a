from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering, assigning, workers
from annotation.models import Item, Seat
from annotation.watching import rated_pages, reading_times, reports
from annotation.watching.rated_pages import RatedPage
from tests.annotation.seating import LATER, NOON, hand_in, hire, lay_out, page, sit
from tests.support.scored import rate


@pytest.fixture
def study(make_study):
    """One survey of four texts and a damaged one, with three places."""
    study = make_study(prompts=1, ratings_per_text=3)
    lay_out(study)
    return study


def submit(study, name: str, real: int = 4, negative: int = 1) -> Seat:
    seat = sit(study, name)
    answers = page(seat, real=real, negative=negative)
    return answering.submit(seat=seat, answers=answers, now=NOON)


def read(seat: Seat) -> RatedPage:
    rows = Seat.objects.select_related("worker", "place", "survey__prompt__label")
    return rated_pages.read(study=seat.survey.study, seat=rows.get(pk=seat.pk))


def test_texts_stand_in_the_order_in_which_this_worker_saw_them(study):
    seat = submit(study, "ann")
    found = read(seat)
    assert [one.item.pk for one in found.answers.texts] == seat.order
    assert [one.position for one in found.answers.texts] == [1, 2, 3, 4, 5]
    assert (found.answers.n, found.answers.n_asked) == (15, 15)


def test_answers_stand_beside_the_mean_of_the_other_valid_raters(study):
    ann = submit(study, "ann", real=5)
    submit(study, "careless", real=2, negative=5)  # discarded: does not count
    submit(study, "ben", real=4)
    submit(study, "cat", real=1)
    (real, *_) = [one for one in read(ann).answers.texts if one.item.generation]
    answer = real.answers[0]
    assert (answer.own, answer.others.value, answer.n) == (5, 2.5, 2)
    assert (answer.difference, answer.is_far) == (2.5, True)


def test_a_discarded_page_is_compared_with_all_valid_ones(study):
    submit(study, "ann", real=4)
    careless = submit(study, "careless", real=2, negative=5)
    (damaged,) = [one for one in read(careless).answers.texts if one.item.negative]
    assert (damaged.answers[0].own, damaged.answers[0].others.value) == (5, 1)
    (real, *_) = [one for one in read(careless).answers.texts if one.item.generation]
    assert (real.answers[0].others.value, real.answers[0].n) == (4, 1)


def test_imported_ratings_are_among_the_others(study):
    rate(study, "coherence", [[2]] * 4)
    seat = submit(study, "ann")
    real = next(one for one in read(seat).answers.texts if one.item.generation)
    assert [answer.n for answer in real.answers] == [1, 0, 0]
    assert real.answers[1].others.reason == "nobody else has a valid rating"


def test_who_had_read_the_debriefing_is_not_among_the_others(study):
    ann = submit(study, "ann")
    submit(study, "ben")
    Seat.objects.exclude(pk=ann.pk).update(informed=True)
    assert {a.n for one in read(ann).answers.texts for a in one.answers} == {0}


def test_the_damaged_text_comes_with_its_recipe_and_what_the_original_got(study):
    seat = submit(study, "ann", real=4)
    original = read(seat).answers.original
    assert original.negative.perturbation == "shuffle"
    # Its original stands on the same page here, so this worker rated it, too.
    assert [(mean.value, n) for _, mean, n in original.means] == [(4, 1)] * 3


class TestTimes:
    def test_each_text_has_the_time_it_was_in_view_and_its_speed(self, study):
        seat = submit(study, "ann")
        seat.visible = {"1": 2000, "3": 500}
        seat.submitted_at += timedelta(minutes=1)
        seat.save()
        found = read(seat)
        seconds = [one.seconds for one in found.answers.texts]
        assert (seconds[0].value, seconds[2].value) == (2, 0.5)
        assert seconds[1].reason.startswith("never in view")
        assert found.seconds.value == 2.5
        first = found.answers.texts[0]
        prefix = seat.survey.prompt.prefix
        text = first.item.text
        own = len(text) - len(prefix) if text.startswith(prefix) else len(text) + 1
        assert first.speed.value == own / 2

    def test_a_page_without_scripts_says_that_nothing_was_measured(self, study):
        seat = submit(study, "ann")
        Seat.objects.update(submitted_at=NOON + timedelta(minutes=3))
        found = read(seat)
        assert found.seconds.value is None and "not measured" in found.seconds.reason
        assert found.speed.value is None
        assert found.minutes.value == 3

    def test_a_page_that_is_open_has_not_been_submitted(self, study):
        seat = sit(study, "ann")
        answering.save(seat=seat, position=1, aspect="coherence", value=3, now=NOON)
        found = read(seat)
        assert found.minutes.reason == "not submitted"
        assert (found.answers.n, found.verdict) == (1, None)

    def test_after_a_withdrawal_everything_says_that_it_is_deleted(self, study):
        seat = submit(study, "ann")
        workers.withdraw(worker=seat.worker, now=LATER)
        found = read(seat)
        assert found.answers.n == 0
        assert found.seconds.reason == found.minutes.reason == reading_times.DELETED


class TestWhatWasSaid:
    def test_a_report_stands_with_its_text(self, study):
        seat = submit(study, "ann")
        reports.report(seat=seat, position=2, reason="It insults.", now=NOON)
        said = [
            [report.reason for report in one.reports]
            for one in read(seat).answers.texts
        ]
        assert said == [[], ["It insults."], [], [], []]

    def test_the_newest_verdict_comes_first(self, study, alice):
        seat = submit(study, "ann")
        workers.exclude(worker=seat.worker, reason="A script.", user=alice, now=LATER)
        found = read(seat)
        assert [verdict.valid for verdict, _ in found.verdicts] == [False, True]
        assert found.verdict.judged_by == alice
        assert found.verdicts[0][1] == []  # a person decided: no check speaks
        assert len(found.verdicts[1][1]) == 6


class TestNeighbours:
    def test_pages_of_a_worker_follow_the_order_they_were_begun_in(self, make_study):
        study = make_study(name="long", prompts=4)
        lay_out(study)
        worker = hire(study, "ann")
        seats = []
        for minute in range(3):
            now = NOON + timedelta(minutes=minute)
            seats.append(hand_in(assigning.claim(worker=worker, now=now), now=now))
        found = rated_pages.of_worker(seats[1])
        assert found == (2, 3, seats[0], seats[2])
        assert rated_pages.of_worker(seats[0]).before is None

    def test_workers_of_a_page_follow_each_other(self, study):
        first, second = submit(study, "ann"), submit(study, "ben")
        assert rated_pages.of_survey(first) == (1, 2, None, second)


def test_as_many_queries_for_many_texts_as_for_few(
    make_study, django_assert_max_num_queries
):
    study = make_study(name="wide", prompts=1, systems=tuple("abcdefghijk"))
    lay_out(study)
    seat = submit(study, "ann")
    assert Item.objects.filter(survey=seat.survey).count() == 12
    rows = Seat.objects.select_related("worker", "place", "survey__prompt__label")
    seat = rows.get(pk=seat.pk)
    with django_assert_max_num_queries(9):
        rated_pages.read(study=study, seat=seat)
