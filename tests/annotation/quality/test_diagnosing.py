from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from annotation import answering
from annotation.models import Item, Negative, Seat
from annotation.quality import checked_pages, diagnosing, rejudging
from scoring.stats.estimates import Estimate
from tests.annotation.seating import NOON, hand_in, hire, lay_out, page, sit


class TestMean:
    def test_missing_values_are_left_out(self):
        values, surveys = np.array([1.0, np.nan, 3, 2, 4, 5]), np.arange(6)
        found = diagnosing.mean(values, surveys)
        assert (found.value, found.n, found.reason) == (3.0, 5, None)
        ends = stats.ttest_1samp([1.0, 3, 2, 4, 5], 0).confidence_interval()
        assert (found.low, found.high) == pytest.approx(tuple(ends))

    def test_nothing_gives_a_reason(self):
        found = diagnosing.mean(np.array([np.nan]), np.array([1]))
        assert (found.value, found.low) == (None, None)
        assert found.reason == "no rating to compare"

    def test_one_survey_has_no_interval(self):
        found = diagnosing.mean(np.array([1.0, 2.0]), np.array([7, 7]))
        assert (found.value, found.low) == (1.5, None)
        assert found.reason == "an interval needs 5 surveys"


class TestShift:
    def test_it_is_the_difference_of_two_means(self):
        values = np.array([1.0, 2.0, 3.0, 6.0, 3.0, 3.0])
        before, after = np.ones(6, bool), np.arange(6) != 3
        found = diagnosing.shift(values, before, after, np.arange(6))
        assert (found.before, found.after) == (3.0, 2.4)
        assert found.delta.value == pytest.approx(-0.6)
        # What each worker moves: (v - 2.4) / 5 if it counts after, less (v - 3) / 6.
        moved = np.where(after, (values - 2.4) / 5, 0) - (values - 3) / 6
        half = stats.t.isf(0.025, 5) * (6 / 5 * (moved**2).sum()) ** 0.5
        assert found.delta.high == pytest.approx(-0.6 + half)
        assert found.delta.n == 5

    def test_where_nothing_moves_there_is_a_reason(self):
        values, every = np.arange(6.0), np.ones(6, bool)
        delta = diagnosing.shift(values, every, every, np.arange(6)).delta
        assert (delta.value, delta.low, delta.high) == (0.0, None, None)
        assert delta.reason == "all workers are alike"

    def test_where_nothing_is_left_there_is_a_reason(self):
        none = np.zeros(2, bool)
        found = diagnosing.shift(np.ones(2), ~none, none, np.arange(2))
        assert (found.after, found.delta.value) == (None, None)
        assert found.delta.reason == "nothing is left"

    def test_one_worker_has_no_interval(self):
        some = np.array([True, False])
        found = diagnosing.shift(
            np.array([1.0, 3.0]), np.ones(2, bool), some, np.ones(2)
        )
        assert (found.delta.value, found.delta.low) == (-1.0, None)


@pytest.mark.django_db
class TestStudy:
    @pytest.fixture
    def study(self, make_study):
        """Two surveys; the negative of the first is made of the second's first text."""
        study = make_study(ratings_per_text=3)
        first, second = lay_out(study)
        texts = Item.objects.filter(survey=second, generation__isnull=False)
        source = texts.order_by("pk").first().generation
        Negative.objects.filter(survey=first).update(source=source)
        return study

    def rate(self, study, worker, survey, real, negative):
        seat = Seat(
            survey=survey,
            worker=worker,
            place=survey.places.filter(free=True).first(),
            order=list(survey.items.values_list("pk", flat=True)),
            claimed_at=NOON,
        )
        seat.place.free = False
        seat.place.save()
        seat.save()
        answers = page(seat, real=real, negative=negative)
        return answering.submit(seat=seat, answers=answers, now=NOON)

    def pages(self, study):
        return checked_pages.read(
            study=study, seats=rejudging.finished(study), now=NOON
        )

    def shifted(self, study, pages):
        return diagnosing.system_shifts(
            study=study,
            pages=pages,
            after={page.seat_id: page.state for page in pages},
            with_discarded=True,
        )

    def test_quality_control_moves_the_means_by_what_it_discarded(self, study):
        survey = study.surveys.first()
        self.rate(study, hire(study, "ann"), survey, 4, 1)
        self.rate(study, hire(study, "bea"), survey, 2, 5)  # discarded
        rows = self.shifted(study, self.pages(study))
        assert [row.system for row in rows] == ["a", "b", "c", "d"]
        for row in rows:
            assert [(c.before, c.after, c.delta.value) for c in row.cells] == [
                (3.0, 4.0, 1.0)
            ] * 3

    def test_without_pages_there_is_no_row(self, study):
        assert self.shifted(study, []) == []

    def test_a_negative_is_held_against_what_others_gave_its_original(self, study):
        first, second = study.surveys.order_by("number")
        ann, bea = hire(study, "ann"), hire(study, "bea")
        self.rate(study, ann, first, 3, 2)
        self.rate(study, ann, second, 1, 1)  # her own: does not count for her
        self.rate(study, bea, second, 4, 1)
        (found,) = diagnosing.perturbations(study=study, pages=self.pages(study))
        assert found.perturbation == "shuffle"
        # Of the second survey's negative the original is on its own page: 1 - 4 by ann,
        # who does not count for herself, and 1 - 1 by bea; the first one's is 2 - 4.
        assert found.pages == 3
        assert found.hurt.value == pytest.approx((-2 - 3 + 0) / 3)

    def test_discarded_pages_say_as_much_as_valid_ones(self, study):
        first, second = study.surveys.order_by("number")
        self.rate(study, hire(study, "bea"), second, 2, 2)
        discarded = self.rate(study, hire(study, "ann"), first, 3, 5)
        assert discarded.state == "discarded"
        (found,) = diagnosing.perturbations(study=study, pages=self.pages(study))
        assert (found.pages, found.hurt.value) == (1, 3.0)

    def test_without_others_it_says_why_there_is_no_number(self, study):
        self.rate(study, hire(study, "ann"), study.surveys.first(), 3, 1)
        (found,) = diagnosing.perturbations(study=study, pages=self.pages(study))
        assert found.hurt.value is None
        assert found.hurt.reason == "nobody else has rated the undamaged texts yet"


@pytest.mark.django_db
def test_a_low_rating_is_good_where_lower_is_better(make_study):
    study = make_study(prompts=1, aspects=("coherence",))
    lay_out(study)
    study.aspects.update(higher_is_better=False)
    for name in ("ann", "bea"):
        seat = sit(study, name)
        answering.submit(seat=seat, answers=page(seat, real=2, negative=5), now=NOON)
    pages = checked_pages.read(study=study, seats=rejudging.finished(study), now=NOON)
    (found,) = diagnosing.perturbations(study=study, pages=pages)
    assert found.hurt.value == -3.0


@pytest.mark.parametrize(
    ("low", "high", "better", "by_chance"),
    [
        (0.2, 0.66, True, True),
        (-0.1, 0.4, False, True),
        (-0.9, -0.2, False, False),
        (None, None, False, False),
    ],
)
def test_damage_that_people_prefer_is_told_apart(low, high, better, by_chance):
    value = None if low is None else (low + high) / 2
    hurt = Estimate(value, low, high, 12, None if low else "too few")
    found = diagnosing.Works("rename", 12, hurt, hurt, by_chance)
    assert found.rated_better == better


class TestReadingMany:
    """Some surveys at a time, while workers go on."""

    @pytest.fixture
    def study(self, make_study, monkeypatch):
        monkeypatch.setattr(checked_pages, "MOST_AT_ONCE", 1)
        study = make_study()
        lay_out(study)
        for name in ("w1", "w2"):
            hand_in(sit(study, name))
        return study

    def read(self, study, monkeypatch, meanwhile):
        read = checked_pages.read

        def watched(**asked):
            found = read(**asked)
            meanwhile()
            return found

        monkeypatch.setattr(checked_pages, "read", watched)
        seats = Seat.objects.filter(survey__study=study, state=Seat.State.VALID)
        return checked_pages.read_all(study=study, seats=seats, now=NOON)

    def test_a_page_that_is_discarded_meanwhile_is_no_error(self, study, monkeypatch):
        first = Seat.objects.filter(survey=study.surveys.first())
        found = self.read(
            study, monkeypatch, lambda: first.update(state=Seat.State.DISCARDED)
        )
        assert len(found) == 2

    def test_nor_is_one_that_is_submitted_meanwhile(self, study, monkeypatch):
        found = self.read(
            study, monkeypatch, lambda: [hand_in(sit(study, n)) for n in hired(study)]
        )
        assert len(found) == 2


def hired(study) -> list[str]:
    """Two people who come now, and nobody later."""
    return [] if study.workers.count() > 2 else ["w3", "w4"]
