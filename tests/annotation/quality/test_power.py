"""What researchers are told before launch, against enumeration and the simulator."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from annotation import surveys
from annotation.careless import rules
from annotation.careless.common_scale import CommonScale
from annotation.models import Negative, Policy
from annotation.quality import page_shapes, power
from annotation.quality.page_shapes import Shape
from annotation.simulation import simulate
from tests.annotation.seating import NOON, lay_out

pytestmark = pytest.mark.django_db


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def of(study, policy=None, found=None) -> power.Power:
    policy = policy or study.current_policy()
    found = found or page_shapes.shapes(study=study)
    return power.of_policy(study=study, policy=policy, found=found, rng=rng())


def side(found: power.Power) -> power.Side:
    return next(side for side in found.sides if side.chosen)


class TestShapes:
    def test_drawn_pages_are_counted_by_texts_and_hurt_aspects(self, make_study):
        study = make_study(prompts=3)
        lay_out(study)
        Negative.objects.filter(survey__number=1).update(hurts=["relevance"])
        assert page_shapes.shapes(study=study) == Counter(
            {Shape(4, ("coherence",)): 2, Shape(4, ("relevance",)): 1}
        )

    def test_a_draft_has_the_pages_that_opening_it_will_draw(self, make_study):
        study = make_study(prompts=4, samples=2)
        before = page_shapes.shapes(study=study)
        assert study.surveys.count() == 0
        surveys.draw(study=study)
        assert before == page_shapes.shapes(study=study)
        assert before.total() == 8

    def test_without_texts_there_is_nothing(self, make_study):
        assert not page_shapes.shapes(study=make_study(prompts=0))


class TestCareless:
    def test_pages_of_different_kinds_are_averaged(self, make_study):
        study = make_study()
        pages = Counter({Shape(4, ("coherence",)): 3, Shape(2, ()): 1})
        found = side(of(study, found=pages))
        one = rules.chance_to_catch("above_all", texts=4, steps=[5])
        other = rules.chance_to_catch("above_all", texts=2, steps=[5] * 3)
        assert found.random == pytest.approx((3 * one + other) / 4, abs=1e-12)

    def test_any_one_aspect_has_its_exact_chance(self, make_study):
        study = make_study(aspects=("coherence", "relevance"))
        pages = Counter({Shape(2, ("coherence",)): 1})
        found = side(of(study, Policy(study=study, on="any"), pages))
        one = rules.chance_to_catch("above_all", texts=2, steps=[5])
        assert found.random == pytest.approx(1 - (1 - one) ** 2, abs=1e-12)
        usual = side(of(study, Policy(study=study), pages))
        assert found.honest["careful"] > usual.honest["careful"]

    @pytest.mark.parametrize("same_score", [False, True])
    def test_it_agrees_with_pages_answered_by_chance(self, make_study, same_score):
        study = make_study(aspects=("coherence", "relevance"))
        pages = Counter({Shape(1, ("coherence",)): 1})
        policy = Policy(study=study, rule="above_mean", same_score=same_score)
        made = rng().integers(1, 6, size=(200_000, 2, 2))
        caught = rules.is_above("above_mean", made[:, :1, :1], made[:, 1, :1])
        if same_score:
            caught |= rules.is_same(made)
        found = side(of(study, policy, pages))
        assert found.random == pytest.approx(caught.mean(), abs=0.005)

    @pytest.mark.parametrize(("same_score", "caught"), [(False, 0.0), (True, 1.0)])
    def test_a_straight_liner_is_caught_by_the_same_score_only(
        self, make_study, same_score, caught
    ):
        study = make_study()
        policy = Policy(study=study, same_score=same_score)
        assert [side.same for side in of(study, policy).sides] == [caught] * 3

    def test_the_table_has_the_chances_of_one_aspect(self):
        rows = power.table(steps=[5])
        assert [texts for texts, _ in rows] == [2, 3, 4, 5]
        assert [round(100 * chance) for _, (chance, *_) in rows] == [24, 16, 11, 8]


class TestHonest:
    def test_a_stricter_rule_costs_more_honest_pages(self, make_study):
        costs = [side.honest for side in of(make_study()).sides]
        for kind in ("careful", "noisy"):
            shares = [cost[kind] for cost in costs]
            assert shares == sorted(shares)
        assert costs[0]["careful"] < costs[0]["noisy"]

    @pytest.mark.slow
    def test_both_sides_agree_with_the_simulator(self, make_study):
        study = make_study(prompts=20, ratings_per_text=3)
        Policy.objects.update(rule="above_any")
        surveys.open_study(study=study)
        found = side(of(study))
        told = {"noisy": found.honest["noisy"], "random": found.random}
        mix = dict.fromkeys(told, 0.5)
        report = simulate(study=study, workers=20, mix=mix, rng=rng(), now=NOON)
        for kind, share in told.items():
            n = report.submitted[kind]
            # The study's own texts and workers scatter too: twice the simple error.
            error = 2 * 2 * np.sqrt(share * (1 - share) / n)
            assert n >= 30
            assert report.discarded[kind] / n == pytest.approx(share, abs=error)

    def test_equal_seeds_tell_the_same(self, make_study):
        study = make_study()
        assert of(study) == of(study)

    def test_answers_stay_on_the_scale_of_the_study(self):
        felt = np.array([-3.0, 1.0, 3.0, 5.0, 9.0])
        answers = CommonScale(((0, 10),)).on_scale(felt[:, np.newaxis])
        assert answers[:, 0].tolist() == [0, 0, 5, 10, 10]


class TestWorkers:
    def test_the_test_over_pages_tells_careless_from_careful(self, make_study):
        study = make_study()
        policy = Policy(study=study, worker_p=0.1, worker_pages=8)
        found = of(study, policy).worker
        assert found.pages == 8
        assert found.careless["same"] == 1.0
        assert found.careless["random"] > 0.8
        assert found.honest["careful"] < 0.1

    def test_who_answers_by_chance_passes_as_often_as_p_allows(self, make_study):
        study = make_study()
        policy = Policy(study=study, worker_p=0.2, worker_pages=10)
        passed = 1 - of(study, policy).worker.careless["random"]
        assert passed == pytest.approx(0.2, abs=0.07)

    def test_a_policy_without_it_says_nothing(self, make_study):
        assert of(make_study()).worker is None


class TestOdds:
    def test_they_find_answers_by_chance_and_spare_the_careful(self, make_study):
        study = make_study()
        found = of(study, Policy(study=study, chance_odds=20, worker_pages=3)).odds
        assert found.by_page == (4, 8)
        assert found.shares["random"][0] < found.shares["random"][1]
        assert found.shares["random"][1] > 0.1  # with the damaged text alone
        assert found.shares["careful"] == [0, 0]
        assert max(found.shares["noisy"]) <= 0.05

    def test_a_policy_without_them_says_nothing(self, make_study):
        assert of(make_study()).odds is None

    def test_sameness_that_must_be_fast_costs_no_reader(self, make_study):
        study = make_study(aspects=("coherence",))
        slow = Policy(study=study, same_score=True, same_faster_than=30)
        plain = Policy(study=study)
        assert side(of(study, slow)).honest == side(of(study, plain)).honest
        assert side(of(study, slow)).same == 1


class TestScalesThatDiffer:
    def test_the_chance_is_that_of_the_scales_compared(self, make_study):
        study = make_study()
        study.aspects.filter(key="consistency").update(kind="slider")
        policy = study.current_policy()
        policy.on, policy.same_score = Policy.On.MEAN, False
        found = of(study, policy, Counter({Shape(4, ("consistency",)): 3}))
        exact = rules.chance_to_catch("above_all", texts=4, steps=[5, 101, 5])
        chosen = next(side for side in found.sides if side.rule == "above_all")
        assert chosen.random == pytest.approx(exact)
        assert 0 <= chosen.honest["careful"] < chosen.random
