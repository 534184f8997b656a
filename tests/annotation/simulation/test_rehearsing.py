from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from django.db import connection

from annotation.careless import rules
from annotation.models import Annotation, Policy, Seat, Study, Worker
from annotation.models.first_policy import first_policy
from annotation.simulation import SimulationError, rehearsing
from annotation.simulation.rehearsing import KindResult
from tests.annotation.seating import NOON, hand_in, lay_out, sit

RANDOM = {"random": 1.0}


def rehearse(study, *, workers=8, mix=None, seed=1, **more):
    return rehearsing.rehearse(
        study=study,
        workers=workers,
        mix=mix or {"careful": 1.0},
        rng=np.random.default_rng(seed),
        now=NOON,
        **more,
    )


def kind(found, name) -> KindResult:
    return next(one for one in found.kinds if one.kind == name)


def test_a_draft_is_rated_and_stays_as_it_was(make_study):
    study = make_study(prompts=2)
    found = rehearse(study)
    assert (found.surveys, found.wanted, found.valid) == (2, 4, 4)
    assert found.covered
    assert study.surveys.count() == Worker.objects.count() == 0
    assert Seat.objects.count() == Annotation.objects.count() == 0
    kept = Study.objects.get()
    assert (kept.state, kept.simulated) == (Study.State.DRAFT, False)


def test_what_people_did_in_an_open_study_is_neither_read_nor_changed(make_study):
    study = make_study(prompts=2)
    lay_out(study)
    seat = hand_in(sit(study, "a person"))
    found = rehearse(study)
    assert kind(found, "careful").pages == found.valid == 4
    assert list(Seat.objects.values_list("pk", flat=True)) == [seat.pk]
    assert list(Worker.objects.values_list("external_id", flat=True)) == ["a person"]
    assert not Study.objects.get().simulated


def test_the_real_database_is_back_after_an_error(make_study):
    study = make_study(prompts=0)
    with pytest.raises(SimulationError, match="no texts"):
        rehearse(study)
    assert connection.settings_dict["NAME"] != ":memory:"
    assert Study.objects.get() == study


def test_shares_are_checked_first(make_study):
    with pytest.raises(SimulationError, match="add up to 1"):
        rehearse(make_study(), mix={"careful": 0.7})


@pytest.mark.slow
def test_random_answers_are_caught_as_often_as_was_computed(make_study):
    study = make_study(prompts=20, ratings_per_text=5)
    lay_out(study)
    study.policies.update(rule=Policy.Rule.ABOVE_MEAN)
    found = kind(rehearse(study, workers=20, mix=RANDOM), "random")
    exact = rules.chance_to_catch("above_mean", texts=4, steps=[5])
    error = np.sqrt(exact * (1 - exact) / found.pages)
    assert found.pages > 150
    assert abs(found.rate - exact) < 3 * error
    low, high = found.interval
    assert low < exact < high


def test_the_same_answer_everywhere_is_caught_only_by_its_own_check(make_study):
    study = make_study(prompts=4)
    lay_out(study)
    lines = {"straight-lining": 1.0}
    assert kind(rehearse(study, mix=lines), "straight-lining").rate == 0
    study.policies.update(same_score=True)
    found = rehearse(study, mix=lines)
    assert kind(found, "straight-lining").rate == 1
    assert (found.valid, found.covered) == (0, False)


def test_who_reads_nothing_is_caught_by_the_reading_time(make_study):
    study = make_study(prompts=4)
    lay_out(study)
    study.policies.update(characters_per_second=60)
    found = rehearse(study, mix={"careful": 0.5, "fast-clicker": 0.5})
    assert kind(found, "fast-clicker").rate == 1
    assert kind(found, "careful").rate == 0
    assert kind(found, "fast-clicker").minutes < kind(found, "careful").minutes


def shares(found, name: str) -> list[float | None]:
    return [one.share for one in kind(found, name).caught]


@pytest.mark.slow
def test_it_says_who_is_caught_by_which_page(make_study):
    study = make_study(prompts=8, ratings_per_text=4)
    study.policies.all().delete()
    first_policy(study).save()
    mix = {"careful": 0.5, "fast-clicker": 0.25, "patient-straight": 0.25}
    found = rehearse(study, workers=12, mix=mix)
    assert shares(found, "fast-clicker") == [1, 1, 1, 1]
    assert shares(found, "careful")[:3] == [0, 0, 0]
    # Nothing but all pages together tells that someone waits and then clicks.
    assert shares(found, "patient-straight")[2:] == [1, 1]
    first = kind(found, "patient-straight").caught[0]
    assert (first.page, first.workers) == (1, 3)
    assert first.share < 1


def test_a_policy_that_only_looks_at_the_damage_catches_no_straight_liner(make_study):
    study = make_study(prompts=8, ratings_per_text=4)
    mix = {"careful": 0.5, "patient-straight": 0.5}
    assert shares(rehearse(study, workers=8, mix=mix), "patient-straight")[0] == 0


def test_who_is_blocked_is_counted(make_study):
    study = make_study(prompts=4)
    lay_out(study)
    study.policies.update(same_score=True, block_after=2)
    found = kind(
        rehearse(study, workers=3, mix={"straight-lining": 1.0}), "straight-lining"
    )
    assert (found.workers, found.blocked, found.pages) == (3, 3, 6)


@pytest.mark.slow
def test_lazy_readers_tell_the_texts_less_apart(make_study):
    study = make_study(prompts=6, aspects=("coherence",), ratings_per_text=4)
    lay_out(study)
    careful, lazy = (
        rehearse(study, mix={name: 1.0}).aspects[0].with_control.value
        for name in ("careful", "lazy")
    )
    assert lazy < careful - 0.2


def test_coverage_grows_page_by_page_to_what_is_valid(make_study):
    study = make_study(prompts=6, ratings_per_text=4)
    lay_out(study)
    curve = rehearse(study).curve
    assert (curve[0].pages, curve[0].coverage) == (0, 0)
    assert curve[-1].coverage == 1
    for one, other in zip(curve, curve[1:], strict=False):
        assert other.pages > one.pages
        assert other.hours >= one.hours


def test_too_few_workers_leave_places_open(make_study):
    study = make_study(prompts=4, ratings_per_text=4)
    lay_out(study)
    found = rehearse(study, workers=3)
    assert (found.valid, found.wanted, found.covered) == (12, 16, False)


def test_alpha_without_quality_control_counts_the_discarded_pages_in(make_study):
    study = make_study(prompts=6, ratings_per_text=3)
    lay_out(study)
    study.policies.update(rule=Policy.Rule.ABOVE_ANY)
    found = rehearse(study, mix={"careful": 0.5, "random": 0.5}, workers=12)
    n_discarded = sum(one.discarded for one in found.kinds)
    assert n_discarded > 0
    first = found.aspects[0]
    assert first.without_control.n_ratings == (found.valid + n_discarded) * 4
    assert first.with_control.n_ratings == found.valid * 4


class TestCost:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=6, pay_per_page=Decimal("0.50"))
        lay_out(study)
        study.policies.update(rule=Policy.Rule.ABOVE_ANY)
        return study

    def test_unused_pages_are_paid_by_default(self, study):
        found = rehearse(study, mix=RANDOM, workers=20)
        assert found.pages > found.valid
        assert found.cost == found.pages * Decimal("0.50")

    def test_or_not_by_policy(self, study):
        Study.objects.update(pay_unused=False)
        found = rehearse(study, mix=RANDOM, workers=20)
        assert found.cost == found.valid * Decimal("0.50")

    def test_none_where_no_pay_is_set(self, study):
        Study.objects.update(pay_per_page=None)
        assert rehearse(study).cost is None

    def test_of_some_surveys_it_is_that_of_all(self, study):
        found = rehearse(study, max_pages=5)
        assert (found.surveys, found.all_surveys, found.wanted) == (2, 6, 4)
        assert found.pages_in_all == 12
        assert found.cost == Decimal("6.00")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result(make_study):
    study = make_study(prompts=4)
    lay_out(study)
    mix = {"careful": 0.5, "random": 0.5}
    assert rehearse(study, mix=mix, seed=3) == rehearse(study, mix=mix, seed=3)
    assert rehearse(study, mix=mix, seed=3) != rehearse(study, mix=mix, seed=4)


def test_a_rate_without_pages_is_none():
    nobody = KindResult("noisy", 0, 0, 0, 0, None, [])
    assert nobody.rate is None
    assert nobody.interval is None


def test_a_rate_has_the_interval_of_wilson():
    """By hand: (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 + z²/n), z = 1.959964."""
    assert KindResult("noisy", 1, 10, 2, 0, None, []).interval == pytest.approx(
        (0.0566822, 0.5098375), abs=1e-7
    )
    assert KindResult("noisy", 1, 10, 0, 0, None, []).interval[0] == 0
