from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from annotation import human_scores
from annotation.models import Annotation, Aspect, Item, Seat, Study
from annotation.simulation import SimulationError, simulate
from annotation.simulation.simulating import _shares
from tests.annotation.seating import NOON, State, hire, lay_out

CAREFUL = {"careful": 1.0}


@pytest.fixture
def study(make_study):
    study = make_study(prompts=6, ratings_per_text=3)
    lay_out(study)
    return study


def run(study, *, workers=10, mix=CAREFUL, seed=1, **more):
    rng = np.random.default_rng(seed)
    return simulate(study=study, workers=workers, mix=mix, rng=rng, now=NOON, **more)


def test_it_covers_the_study(study):
    report = run(study)
    assert report.coverage == 1
    assert (report.valid, report.wanted) == (18, 18)
    found = human_scores.means(study=study)
    assert (found.n_ratings == 3).all()
    assert len(found.generations) == 24


def test_it_marks_the_study_and_the_workers(study):
    run(study, workers=3, mix={"careful": 0.7, "noisy": 0.0, "careless": 0.3})
    assert Study.objects.get().simulated
    assert sorted(study.workers.values_list("external_id", flat=True)) == [
        "simulated-careful-001",
        "simulated-careful-002",
        "simulated-careless-001",
    ]


def test_workers_come_when_they_agree(study):
    run(study, workers=3)
    assert set(study.workers.values_list("created_at", "consented_at")) == {
        (NOON, NOON)
    }


def test_it_stops_when_nobody_is_left_to_ask(study):
    report = run(study, workers=2)
    assert report.coverage == pytest.approx(2 / 3)
    assert report.seats == {State.VALID: 12}


def test_it_reports_what_is_in_the_database(study):
    report = run(study, workers=30, mix={"careful": 0.5, "noisy": 0.2, "careless": 0.3})
    assert report.workers == {"careful": 15, "noisy": 6, "careless": 9}
    assert sum(report.seats.values()) == Seat.objects.count()
    assert sum(report.submitted.values()) == Seat.objects.count()
    discarded = Seat.objects.filter(state=State.DISCARDED).count()
    assert sum(report.discarded.values()) == discarded


def test_the_same_generator_gives_the_same_ratings(study):
    def ratings():
        return list(Annotation.objects.order_by("pk").values_list("value", flat=True))

    run(study)
    first = ratings()
    Annotation.objects.all().delete()
    Seat.objects.all().delete()
    study.workers.all().delete()
    study.places.update(free=True)
    run(study)
    assert ratings() == first


def test_ratings_follow_the_quality_given(study):
    means = {"a": 1.5, "b": 2.5, "c": 3.5, "d": 4.5}
    run(study, quality=lambda system, aspect: means[system])
    human = human_scores.means(study=study)
    systems = dict(study.generations.values_list("pk", "system__name"))
    for name, mean in means.items():
        rows = [systems[pk] == name for pk in human.generations.tolist()]
        assert human.values[rows].mean() == pytest.approx(mean, abs=0.4)


def test_quality_may_be_a_table(study):
    table = {(s, a.key): 4.0 for s in "abcd" for a in study.aspects.all()}
    run(study, quality=table)
    assert human_scores.means(study=study).values.mean() == pytest.approx(4, abs=0.4)


def test_the_truth_of_each_text_may_be_given(study):
    texts = list(study.generations.values_list("pk", flat=True))
    n_aspects = study.aspects.count()
    truth = {pk: [1.5 + 3 * (n % 2)] * n_aspects for n, pk in enumerate(texts)}
    run(study, mix={"careful": 1.0}, truth=truth)
    human = human_scores.means(study=study)
    low = [truth[pk][0] < 3 for pk in human.generations.tolist()]
    assert human.values[low].max() < 3 < human.values[np.invert(low)].min()


def test_careful_workers_rate_the_negative_lower_where_it_hurts(study):
    run(study)
    hidden = Annotation.objects.filter(negative__isnull=False)
    mean = {
        key: np.mean(hidden.filter(aspect__key=key).values_list("value", flat=True))
        for key in ("coherence", "relevance")
    }
    assert mean["coherence"] < mean["relevance"] - 0.5


def test_and_higher_where_lower_is_better(study):
    Aspect.objects.filter(key="coherence").update(higher_is_better=False)
    run(study)
    hidden = Annotation.objects.filter(negative__isnull=False)
    mean = {
        key: np.mean(hidden.filter(aspect__key=key).values_list("value", flat=True))
        for key in ("coherence", "relevance")
    }
    assert mean["coherence"] > mean["relevance"] + 0.5


@pytest.mark.slow
def test_careless_workers_are_discarded_more_often(make_study):
    study = make_study(prompts=20, ratings_per_text=5)
    lay_out(study)
    report = run(study, workers=20, mix={"careful": 0.5, "careless": 0.5})
    rate = {
        kind: report.discarded.get(kind, 0) / n for kind, n in report.submitted.items()
    }
    assert rate["careless"] > rate["careful"]


def test_it_answers_on_the_studys_own_scale(make_study):
    study = make_study(prompts=2, scale_min=0, scale_max=100)
    lay_out(study)
    run(study)
    values = set(Annotation.objects.values_list("value", flat=True))
    assert max(values) > 20
    assert max(values) <= 100


@pytest.mark.slow
def test_readers_take_the_time_that_reading_takes(make_study):
    """Brysbaert 2019: 238 words a minute, 175 to 300 for most adults."""
    study = make_study(prompts=2, ratings_per_text=30)
    lay_out(study)
    run(study, workers=30)
    rates = [
        sum(len(Item.objects.get(pk=pk).text) for pk in seat.order)
        / 5.7
        / (sum(seat.visible.values()) / 60_000)
        for seat in Seat.objects.all()
    ]
    assert np.median(rates) == pytest.approx(238, rel=0.15)
    assert 0.7 < np.mean([150 < rate < 330 for rate in rates]) < 1


def test_later_discards_are_in_the_report(study):
    study.policies.update(same_pages=3)
    report = run(study, workers=4, mix={"patient-straight": 1.0})
    assert report.discarded == report.submitted == {"patient-straight": 24}


def test_nobody_works_on_two_pages_at_once(study):
    run(study)
    for worker in study.workers.all():
        free = NOON
        for seat in worker.seats.order_by("pk"):
            assert seat.claimed_at >= free
            assert seat.submitted_at - seat.claimed_at >= timedelta(seconds=60)
            free = seat.submitted_at


class TestRefusals:
    def test_a_study_that_people_worked_on(self, study):
        hire(study, "a person")
        with pytest.raises(SimulationError, match="People have rated"):
            run(study)
        assert not Study.objects.get().simulated

    def test_a_study_that_is_not_open(self, study):
        study.state = "draft"
        with pytest.raises(SimulationError, match="Open it first"):
            run(study)

    @pytest.mark.parametrize(
        "mix", [{"careful": 0.5}, {"sleepy": 1.0}, {}, {"careful": 1.5, "noisy": -0.5}]
    )
    def test_shares_that_are_none(self, study, mix):
        with pytest.raises(SimulationError, match="add up to 1"):
            run(study, mix=mix)

    def test_no_workers(self, study):
        with pytest.raises(SimulationError, match="at least one"):
            run(study, workers=0)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10, 99])
def test_shares_add_up(n):
    found = _shares(n, {"careful": 0.7, "noisy": 0.2, "careless": 0.1})
    assert sum(found.values()) == n
    assert abs(found["careful"] - 0.7 * n) < 1


def test_everybody_answers_on_the_scale_of_each_question(study):
    study.aspects.filter(key="consistency").update(kind=Aspect.Kind.SLIDER)
    study.aspects.filter(key="relevance").update(scale_min=0, scale_max=1)
    run(study, mix={"careful": 0.5, "random": 0.3, "straight-lining": 0.2})
    for aspect in study.aspects.all():
        given = set(aspect.annotations.values_list("value", flat=True))
        assert given <= set(aspect.scale)
        assert len(given) > (10 if aspect.is_slider else 1)


def test_who_clicks_one_place_does_so_on_every_scale(study):
    study.aspects.filter(key="consistency").update(kind=Aspect.Kind.SLIDER)
    run(study, workers=2, mix={"patient-straight": 1.0})
    for seat in Seat.objects.all():
        for aspect in study.aspects.all():
            rows = seat.annotations.filter(aspect=aspect)
            assert len(set(rows.values_list("value", flat=True))) == 1
