from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
import scipy.stats

from annotation import answering, assigning, workers
from annotation.models import Seat
from annotation.quality import checked_pages
from annotation.watching import raters
from annotation.watching.figures import Figure
from tests.annotation.seating import LATER, NOON, hand_in, hire, lay_out, page, sit


@pytest.fixture
def study(make_study):
    """Four surveys of four texts, three places each."""
    study = make_study(prompts=4, ratings_per_text=3)
    lay_out(study)
    return study


def work(study, name: str, careful: list[bool]) -> int:
    """A new worker submits so many pages; their id."""
    worker = hire(study, name)
    for good in careful:
        hand_in(assigning.claim(worker=worker, now=NOON), careful=good)
    return worker.pk


def of(study, name: str) -> raters.Rater:
    worker = study.workers.get(external_id=name)
    return raters.raters(study=study, workers=[worker])[worker.pk]


class TestStatistics:
    own = np.array([4, 2, 5, 1])
    total = np.array([9, 2, 12, 7])
    n = np.array([3, 1, 3, 2])

    def test_one_s_own_rating_is_not_among_the_others(self):
        counted = np.array([True, True, True, False])
        found = raters.others_mean(self.own, self.total, self.n, counted)
        np.testing.assert_array_equal(found, [2.5, np.nan, 3.5, 3.5])

    def test_bias_is_the_mean_difference_to_the_others(self):
        others = np.array([2.5, np.nan, 3.5, 3.5])
        assert raters.bias(self.own, others).value == pytest.approx(0.5 / 3)
        assert raters.bias(self.own, np.full(4, np.nan)).value is None

    def test_agreement_and_position_bias_are_pearson_s_r(self):
        rng = np.random.default_rng(1)
        own, others = rng.normal(size=(2, 40))
        expected = scipy.stats.pearsonr(own, others).statistic
        assert raters.agreement(own, others).value == pytest.approx(expected)
        assert raters.position_bias(own, others).value == pytest.approx(expected)

    def test_spread_is_the_sample_standard_deviation(self):
        assert raters.spread(self.own).value == pytest.approx(np.sqrt(10 / 3))

    @pytest.mark.parametrize("own", [np.array([3.0]), np.empty(0)])
    def test_what_does_not_exist_has_a_reason(self, own):
        nothing = np.full(len(own), np.nan)
        for figure in (
            raters.bias(own, nothing),
            raters.spread(own),
            raters.agreement(own, nothing),
            raters.position_bias(own, nothing),
        ):
            assert figure.value is None and figure.reason


class TestRaters:
    def test_they_are_compared_with_valid_ratings_of_others(self, make_study):
        study = make_study(name="one", prompts=1, ratings_per_text=3)
        lay_out(study)
        work(study, "ann", [True])
        work(study, "ben", [True])
        work(study, "careless", [False])
        assert of(study, "ann").bias == Figure(0.0)
        # Gave 2 to all real texts where the others gave 4, and was discarded.
        assert of(study, "careless").bias == Figure(-2.0)
        assert (of(study, "careless").failed, of(study, "careless").judged) == (1, 1)

    def test_it_agrees_with_a_calculation_by_hand(self, make_study):
        study = make_study(name="one", prompts=1, ratings_per_text=3)
        lay_out(study)
        given = {"ann": [1, 2, 3, 4], "ben": [2, 2, 4, 5], "cat": [3, 1, 5, 5]}
        for name, values in given.items():
            seat = sit(study, name)
            real = list(seat.survey.items.filter(negative=None).order_by("pk"))
            value_of = {item.pk: v for item, v in zip(real, values, strict=True)}
            answers = {
                (position, key): value_of.get(seat.order[position - 1], 1)
                for position, key in page(seat)
            }
            answering.submit(seat=seat, answers=answers, now=NOON)
        own = np.repeat(given["ann"], 3)
        others = np.repeat((np.array(given["ben"]) + given["cat"]) / 2, 3)
        found = of(study, "ann")
        expected = scipy.stats.pearsonr(own, others).statistic
        assert found.agreement.value == pytest.approx(expected)
        assert found.bias.value == pytest.approx((own - others).mean())
        assert found.spread.value == pytest.approx(own.std(ddof=1))

    def test_seconds_are_of_the_time_in_view_where_that_is_known(self, study):
        work(study, "ann", [True, True])
        seats = Seat.objects.order_by("pk")
        Seat.objects.update(submitted_at=NOON + timedelta(seconds=90))
        assert of(study, "ann").seconds == Figure(90.0)
        assert of(study, "ann").by_clock
        Seat.objects.filter(pk=seats.first().pk).update(
            visible={"1": 20_000, "2": 5500}
        )
        assert of(study, "ann").seconds == Figure(25.5)
        assert not of(study, "ann").by_clock

    def test_it_names_the_checks_that_failed(self, study):
        hand_in(sit(study, "careless"), careful=False)
        assert of(study, "careless").checks == [("damaged text rated too high", 1)]

    def test_exclusion_by_hand_is_no_failed_check(self, study, alice):
        work(study, "ann", [True])
        worker = study.workers.get()
        workers.exclude(worker=worker, reason="A script.", user=alice, now=LATER)
        assert (of(study, "ann").failed, of(study, "ann").judged) == (0, 1)

    def test_who_has_handed_in_nothing_has_reasons_instead_of_numbers(self, study):
        sit(study, "new")
        found = of(study, "new")
        figures = (found.agreement, found.bias, found.spread, found.seconds)
        assert all(figure.value is None and figure.reason for figure in figures)

    def test_queries_do_not_grow_with_the_workers(
        self, study, django_assert_num_queries
    ):
        for name in ("ann", "ben", "cat"):
            work(study, name, [True] * 4)
        everybody = list(study.workers.all())
        with django_assert_num_queries(6):
            raters.raters(study=study, workers=everybody[:1])
        with django_assert_num_queries(6):
            raters.raters(study=study, workers=everybody)

    @pytest.mark.parametrize("prefix", ["Once upon a time 0", "Not its beginning", ""])
    def test_its_reading_speed_is_that_of_quality_control(self, make_study, prefix):
        study = make_study(name="read", prompts=1)
        lay_out(study)
        study.prompts.update(prefix=prefix)
        work(study, "ann", [True])
        later = NOON + timedelta(minutes=1)
        Seat.objects.update(visible={"1": 20_000, "3": 5_000}, submitted_at=later)
        seats = Seat.objects.all()
        (sheet,) = checked_pages.read(study=study, seats=seats, now=NOON, texts=True)
        found = of(study, "ann")
        assert found.speed.value == sheet.characters / 25
        assert found.page_speeds == {seats.get().pk: sheet.characters / 25}

    def test_one_answer_everywhere_counts_the_damaged_text_too(self, study):
        for name, negative in (("same", 4), ("almost", 3)):
            seat = sit(study, name)
            answers = page(seat, real=4, negative=negative)
            answering.submit(seat=seat, answers=answers, now=NOON)
        assert len(of(study, "same").same_pages) == 1
        assert of(study, "same").common.value == 1
        assert of(study, "almost").same_pages == []
        assert of(study, "almost").common.value == 12 / 15

    def test_an_informed_page_is_compared_with_all_others(self, make_study):
        study = make_study(name="one", prompts=1, ratings_per_text=3)
        lay_out(study)
        for name in ("ann", "ben"):
            work(study, name, [True])
        Seat.objects.filter(worker__external_id="ann").update(informed=True)
        assert of(study, "ann").bias == Figure(0.0)
        assert of(study, "ben").bias.value is None  # nobody else counts
