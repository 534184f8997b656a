from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from annotation import answering, quality
from annotation.models import Aspect, Item, Negative, Policy
from annotation.quality import is_above
from tests.annotation.seating import NOON, hand_in, lay_out, page, sit

RULES = ["above_all", "above_mean", "above_any"]
SCALE = np.arange(1, 6)

# (real texts, negative, rules that discard); rows are texts, columns aspects
PAGES = [
    ([[4], [5], [3], [4]], [1], []),
    ([[4], [5], [3], [4]], [3], []),  # ties with the worst: no evidence
    ([[4], [5], [4], [3]], [4], ["above_any"]),  # ties with the mean
    ([[4], [4], [1], [2]], [3], ["above_mean", "above_any"]),
    ([[4], [4], [3], [3]], [4], ["above_mean", "above_any"]),  # ties with the best
    ([[4], [4], [3], [3]], [5], RULES),
    ([[3], [3], [3], [3]], [3], []),  # the same score everywhere is never caught
    ([[2]], [3], RULES),  # one real text: the rules are the same
    # Two aspects, compared by their means: 3.5 against 3, 3, 3, 3.
    ([[3, 3], [2, 4], [4, 2], [1, 5]], [5, 2], RULES),
    # Best on one aspect, but 3 on average against 3: not above.
    ([[3, 3], [3, 3], [3, 3], [3, 3]], [5, 1], []),
    # Means of three that floating point would tell apart: 10/3 each way.
    ([[3, 4, 3], [4, 3, 3], [3, 3, 4], [4, 4, 2]], [4, 3, 3], []),
]


@pytest.mark.parametrize(("real", "negative", "discarding"), PAGES)
def test_rules_on_pages_worked_by_hand(real, negative, discarding):
    found = [
        rule for rule in RULES if is_above(rule, np.array(real), np.array(negative))
    ]
    assert found == discarding


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="above_all, above_mean, above_any"):
        is_above("below", np.ones((4, 1)), np.ones(1))


# A uniformly random rater and four real texts: one aspect / mean of three, in percent.
CAUGHT = {
    "above_all": (11.3, 15.7),
    "above_mean": (47.5, 48.2),
    "above_any": (68.7, 74.9),
}


class TestRandomRater:
    @pytest.mark.parametrize("rule", RULES)
    def test_all_3125_pages_of_one_aspect(self, rule):
        pages = np.array(list(product(SCALE, repeat=5)))[..., None]
        caught = is_above(rule, pages[:, :4], pages[:, 4])
        assert len(pages) == 3125
        assert round(100 * caught.mean(), 1) == CAUGHT[rule][0]

    @pytest.mark.parametrize("rule", RULES)
    def test_all_pages_of_three_aspects(self, rule):
        """5^15 pages, grouped by the texts' sums, which range from 3 to 15."""
        sums, ways = np.unique(
            np.array(list(product(SCALE, repeat=3))).sum(axis=1), return_counts=True
        )
        at = np.array(list(product(range(len(sums)), repeat=5)))
        weight = (ways[at] / 5**3).prod(axis=1)
        pages = sums[at][..., None]
        caught = weight @ is_above(rule, pages[:, :4], pages[:, 4])
        assert round(100 * caught, 1) == CAUGHT[rule][1]

    @pytest.mark.parametrize("rule", RULES)
    def test_a_sample_of_three_aspects(self, rule):
        pages = np.random.default_rng(1).integers(1, 6, size=(100_000, 5, 3))
        caught = is_above(rule, pages[:, :4], pages[:, 4]).mean()
        assert 100 * caught == pytest.approx(CAUGHT[rule][1], abs=0.7)

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize(("column", "aspects"), [(0, 1), (1, 3)])
    def test_the_chance_told_to_researchers(self, rule, column, aspects):
        chance = quality.chance_to_catch(rule, texts=4, aspects=aspects, steps=5)
        assert round(100 * chance, 1) == CAUGHT[rule][column]

    @pytest.mark.parametrize("texts", [1, 2, 3])
    @pytest.mark.parametrize("rule", RULES)
    def test_the_chance_is_that_of_the_rule(self, rule, texts):
        pages = np.array(list(product(range(3), repeat=2 * (texts + 1))))
        pages = pages.reshape(-1, texts + 1, 2)
        counted = is_above(rule, pages[:, :texts], pages[:, texts]).mean()
        chance = quality.chance_to_catch(rule, texts=texts, aspects=2, steps=3)
        assert chance == pytest.approx(counted, abs=1e-12)


class TestJudge:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=1)
        lay_out(study, hurts=("coherence",))
        return study

    def judged(self, study, *, rule="above_all", on="hurt", chosen=(), **ratings):
        """Verdict on a page whose real texts have 4 throughout; see `rated`."""
        seat = rated(study, **ratings)
        policy = Policy.objects.create(
            study=study, version=2, rule=rule, on=on, chosen=list(chosen)
        )
        return quality.judge(seat=seat, policy=policy, now=NOON)

    def test_it_compares_the_aspects_that_the_negative_hurts(self, study):
        verdict = self.judged(study, coherence=5, consistency=1, relevance=1)
        assert not verdict.valid
        assert verdict.numbers["aspects"] == ["coherence"]

    def test_it_says_why_with_the_numbers(self, study):
        assert self.judged(study, coherence=5).reason == (
            "The damaged text got 5, above the best of 4 real texts with 4,"
            " on Coherence."
        )

    def test_a_valid_page_needs_no_reason(self, study):
        verdict = self.judged(study, coherence=4, consistency=5, relevance=5)
        assert (verdict.valid, verdict.reason) == (True, "")

    def test_on_mean_it_compares_all_aspects(self, study):
        verdict = self.judged(study, on="mean", coherence=3, consistency=5, relevance=5)
        assert not verdict.valid
        assert "on the mean of Coherence, Consistency and Relevance" in verdict.reason

    def test_on_chosen_it_compares_those(self, study):
        verdict = self.judged(study, on="chosen", chosen=["relevance"], coherence=5)
        assert verdict.valid
        assert verdict.numbers["aspects"] == ["relevance"]

    def test_it_compares_all_where_the_study_lacks_the_hurt_aspects(self, study):
        Negative.objects.update(hurts=["fluency"])
        verdict = self.judged(study, coherence=1)
        assert verdict.numbers["aspects"] == ["coherence", "consistency", "relevance"]

    def test_a_low_rating_is_good_where_lower_is_better(self, study):
        Aspect.objects.filter(key="coherence").update(higher_is_better=False)
        verdict = self.judged(study, coherence=1)  # the real texts have 4
        assert not verdict.valid
        assert "Coherence (turned round)" in verdict.reason

    def test_the_numbers_let_anyone_check_it(self, study):
        seat = rated(study, coherence=2)
        verdict = quality.judge(seat=seat, policy=study.current_policy(), now=NOON)
        hidden = Item.objects.get(negative__isnull=False).pk
        assert verdict.numbers["negative"] == [2]
        assert verdict.numbers["rule"] == "above_all"
        assert verdict.numbers["texts"] == {
            str(position): [4]
            for position, item in enumerate(seat.order, start=1)
            if item != hidden
        }

    def test_it_changes_nothing_but_appends_a_verdict(self, study):
        seat = hand_in(sit(study, "ann"))
        quality.judge(seat=seat, policy=study.current_policy(), now=NOON)
        seat.refresh_from_db()
        assert (seat.state, seat.verdicts.count()) == ("valid", 2)

    def test_a_page_without_a_negative_is_valid(self, study):
        seat = sit(study, "ann")
        study.surveys.get().negative.delete()
        policy = study.current_policy()
        assert quality.judge(seat=seat, policy=policy, now=NOON).valid

    def test_long_titles_do_not_make_the_reason_too_long(self, study):
        Aspect.objects.update(title="x" * 100)
        verdict = self.judged(study, on="mean", coherence=5, consistency=5, relevance=5)
        assert len(verdict.reason) <= 300


def rated(study, **negative):
    """A page with 4 on every real text and these values, or 1, on the negative."""
    seat = sit(study, "ann")
    hidden = Item.objects.get(negative__isnull=False).pk
    answers = {
        (position, key): (
            negative.get(key, 1) if seat.order[position - 1] == hidden else 4
        )
        for position, key in page(seat)
    }
    return answering.submit(seat=seat, answers=answers, now=NOON)
