from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import analyses
from scoring.analyses.preferences.numbers import Options
from scoring.stats import controlled, preference
from scoring.stats.data import Data, System, Votes
from scoring.stats.signature import parse
from tests.scoring import made
from tests.scoring.analyses.shown import everything


def cast(*rows: tuple, systems: str = "abc") -> Data:
    """Votes from (first, second, outcome) and maybe pair, rater, question, ordered."""
    usual = ("", "", "", "p", "w", "", True)
    columns = zip(*(row + usual[len(row) :] for row in rows), strict=True)
    first, second, outcome, pair, rater, question, ordered = map(list, columns)
    pair = [f"{p}{k}" if p == "p" else p for k, p in enumerate(pair)]
    found = Votes(
        pair=np.array(pair),
        question=np.array(question),
        first=np.array([systems.index(s) for s in first]),
        second=np.array([systems.index(s) for s in second]),
        ordered=np.array(ordered, bool),
        rater=np.array(rater),
        outcome=np.array(outcome),
    )
    return replace(
        made.data(votes=0), systems=[System(s) for s in systems], votes=found
    )


def with_lengths(data: Data, *rows: tuple[float, float]) -> Data:
    return replace(data, vote_lengths=np.array(rows, float))


def run(data: Data, **chosen) -> dict:
    return analyses.run("preferences", data, Options(**chosen))


def only(data: Data, **chosen) -> dict:
    (found,) = run(data, **chosen)["questions"]
    return found


ROUND = (
    [("a", "b", 1)] * 6
    + [("a", "b", 2)] * 2
    + [("b", "c", 1)] * 5
    + [("b", "c", 2)] * 3
)


def test_the_strongest_comes_first_and_numbers_are_those_of_the_fit():
    data = cast(*ROUND)
    found = only(data)
    assert [one["system"] for one in found["systems"]] == ["a", "b", "c"]
    votes = data.votes
    fitted = preference.bradley_terry(
        *(votes.first, votes.second, votes.outcome, 3),
        unit=votes.pair,
    )
    for one in found["systems"]:
        elo = fitted.elo[one["place"]]
        assert [one["elo"][key] for key in ("value", "low", "high")] == list(
            elo.numbers
        )
    assert [one["won"] for one in found["systems"]] == [6, 7, 3]
    assert found["systems"][1]["n"] == 16


def test_each_two_systems_stand_once_the_stronger_first():
    found = only(cast(*ROUND, *[("c", "a", 2)] * 3))["pairs"]
    assert [(one["first"], one["second"]) for one in found] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert [(one["won"], one["lost"]) for one in found] == [(6, 2), (3, 0), (5, 3)]
    assert found[0]["share"]["value"] == 6 / 8


def test_each_question_has_a_ranking_of_its_own():
    data = cast(*ROUND, ("a", "b", 0, "x", "w", "style"))
    found = run(data)["questions"]
    assert [one["question"] for one in found] == ["", "style"]
    assert [one["n_votes"] for one in found] == [16, 1]
    assert only(data, question="style")["n_ties"] == 1


def test_only_votes_between_the_chosen_systems_count():
    found = only(cast(*ROUND), systems=("a", "b"))
    assert found["n_votes"] == 8
    assert [one["system"] for one in found["systems"]] == ["a", "b"]
    assert found["left_out"] == []


def test_no_vote_is_no_question():
    assert run(made.data(votes=0))["questions"] == []
    assert run(cast(*ROUND), systems=("a",))["questions"] == []


def test_systems_that_no_circle_ties_together_are_named_in_groups():
    found = only(cast(*ROUND, ("c", "d", 1), systems="abcde"))
    assert found["components"] == [["a", "b", "c"], ["d"]]
    assert found["left_out"] == ["e"]
    last = found["systems"][-1]
    assert (
        last["elo"]["value"] is None
        and "only wins or only loses" in last["elo"]["reason"]
    )
    pulled = only(cast(*ROUND, ("c", "d", 1), systems="abcde"), ridge=True)
    assert len(pulled["components"]) == 1


def test_ties_have_a_rate_between_equals_or_are_halved():
    rows = [("a", "b", 1)] * 4 + [("a", "b", 2)] * 4 + [("a", "b", 0)] * 2
    found = only(cast(*rows))
    assert found["tie_rate"] == pytest.approx(0.2)
    halved = only(cast(*rows), half_ties=True)
    assert halved["nu"]["value"] is None
    assert halved["nu"]["reason"] == "ties count as half wins"


def test_the_position_counts_only_where_the_order_is_known():
    rows = [("a", "b", 1, "p", "w", "", False)] * 5 + ROUND
    position = only(cast(*rows))["position"]
    assert position["n"] == 16 and position["n_unknown"] == 5
    assert position["value"] == 11 / 16


def test_raters_may_be_drawn_instead_of_pairs():
    rows = [(*row, f"p{k}", f"w{k % 12}") for k, row in enumerate(2 * ROUND)]
    by_pair, by_rater = only(cast(*rows)), only(cast(*rows), unit="rater")
    assert (by_pair["n_units"], by_rater["n_units"]) == (32, 12)
    assert by_pair["systems"][0]["elo"]["low"] != by_rater["systems"][0]["elo"]["low"]


def test_raters_without_a_name_are_drawn_vote_by_vote():
    rows = [(*row, f"p{k}", "") for k, row in enumerate(ROUND)]
    assert only(cast(*rows), unit="rater")["n_units"] == 16
    assert only(cast(*rows))["n_raters"] == 0


def test_the_signature_says_what_a_strength_depends_on():
    one = only(cast(*ROUND), half_ties=True, ridge=True)["systems"][0]
    said = parse(one["elo"]["signature"])
    assert said["statistic"] == "bradley-terry" and said["ties"] == "half"
    assert (said["ridge"], said["unit"], said["votes"]) == ("0.5", "pair", "16")


outcomes = st.sampled_from([0, 1, 2])
pairs = st.sampled_from(["ab", "ba", "bc", "cb", "ac", "cd"])
votes_cast = st.tuples(
    pairs, outcomes, st.sampled_from("pqr"), st.sampled_from(["", "v", "w"])
)


@settings(max_examples=20, deadline=None)
@given(
    rows=st.lists(votes_cast, min_size=1, max_size=12),
    unit=st.sampled_from(["pair", "rater"]),
    ridge=st.booleans(),
    half_ties=st.booleans(),
    questions=st.sampled_from([("",), ("", "style <b>")]),
)
def test_whatever_the_votes_are_there_is_a_page(
    rows, unit, ridge, half_ties, questions
):
    data = cast(
        *(
            (pair[0], pair[1], outcome, name, rater, questions[k % len(questions)])
            for k, (pair, outcome, name, rater) in enumerate(rows)
        ),
        systems="abcd",
    )
    found = run(data, unit=unit, ridge=ridge, half_ties=half_ties)
    everything("preferences", found)
    for question in found["questions"]:
        for one in question["systems"]:
            assert one["elo"]["value"] is not None or one["elo"]["reason"]
            assert one["elo"]["low"] is not None or one["elo"]["reason"]


class TestPositionAndLength:
    def test_without_lengths_there_is_no_such_table(self):
        assert only(cast(*ROUND))["steady"] is None

    def test_votes_of_unknown_length_are_left_out_and_counted(self):
        rows = [(10, 20), (20, 10)] * (len(ROUND) // 2)
        rows[0] = (np.nan, 5)
        steady = only(with_lengths(cast(*ROUND), *rows))["steady"]
        assert (steady["n_votes"], steady["n_unknown"]) == (len(ROUND) - 1, 1)

    def test_what_length_alone_explains_is_no_strength(self):
        """a wins only where it is longer, b where b is: held fixed, they are equal."""
        rng = np.random.default_rng(3)
        longer = rng.random(400) < 0.8
        wins = rng.random(400) < np.where(longer, 0.8, 0.2)
        data = cast(*(("a", "b", 1 if won else 2) for won in wins), systems="ab")
        sizes = [(30, 10) if long else (10, 30) for long in longer]
        steady = only(with_lengths(data, *sizes))["steady"]
        strong = {one["system"]: one for one in steady["systems"]}["a"]
        assert strong["plain"]["low"] > 1000
        assert strong["steady"]["low"] < 1000 < strong["steady"]["high"]
        (length,) = (one for one in steady["effects"] if one["key"] == "length")
        assert length["low"] > 0.7
        assert length["one"] == pytest.approx(0.5)

    def test_the_page_names_the_order_with_both_held_fixed(self):
        turned = [(b, a, 3 - won) for a, b, won in ROUND]
        once = [(10, 20)] * len(ROUND) + [(20, 10)] * len(ROUND)
        same = once + [(b, a) for a, b in once]
        data = with_lengths(cast(*(ROUND + turned) * 2), *same)
        found = everything("preferences", run(data))
        assert "the systems stay in the same order" in found[-1].words

    def test_an_order_that_always_goes_with_the_systems_is_no_effect(self):
        sizes = [(10, 20), (20, 10)] * (len(ROUND) // 2)
        steady = only(with_lengths(cast(*ROUND), *sizes))["steady"]
        effects = {one["key"]: one for one in steady["effects"]}
        assert effects["position"]["reason"] == controlled.CONFOUNDED
        assert effects["length"]["value"] is not None


class TestJudge:
    """A judge stands beside people and never among them."""

    NAME = "tiny on lab, comparison 1"

    def judged(self, data: Data, *rows: tuple, question: str = "") -> Data:
        rows = tuple((*row, f"p{k}", self.NAME, question) for k, row in enumerate(rows))
        return replace(data, judge_votes=cast(*rows).votes)

    def test_nothing_of_people_s_results_changes(self):
        data = self.judged(cast(*ROUND), *[("c", "a", 1)] * 4)
        with_judge, without = run(data, judge=self.NAME), run(data)
        assert "judge" not in without
        assert with_judge["questions"] == without["questions"]
        assert run(cast(*ROUND))["questions"] == without["questions"]

    def test_strengths_stand_side_by_side(self):
        data = self.judged(cast(*ROUND), *ROUND)
        found = run(data, judge=self.NAME)["judge"]
        assert [one["system"] for one in found["systems"]] == ["a", "b", "c"]
        for one in found["systems"]:
            assert one["judge"]["value"] == one["people"]["value"]
        assert found["agreement"]["judge"]["value"] == 1

    def test_agreement_is_on_the_same_pairs_whichever_stands_first(self):
        people = cast(("a", "b", 1, "x"), ("b", "a", 1, "y"), ("a", "b", 0, "z"))
        own = cast(("b", "a", 2, "x"), ("a", "b", 1, "y"), ("a", "b", 1, "other"))
        rater = np.array([self.NAME] * 3)
        data = replace(people, judge_votes=replace(own.votes, rater=rater))
        found = run(data, judge=self.NAME)["judge"]["agreement"]
        assert (found["n_pairs"], found["judge"]["value"]) == (2, 0.5)

    def test_other_questions_of_people_are_not_compared(self):
        people = cast(("a", "b", 1, "p0", "ann", "fluency"))
        data = self.judged(people, ("a", "b", 1), question="coherence")
        found = run(data, judge=self.NAME)["judge"]
        assert (found["people"], found["agreement"]) == (None, None)

    def test_a_judge_may_stand_alone(self):
        data = self.judged(made.data(votes=0), ("a", "b", 1), ("a", "b", 2))
        data = replace(data, systems=[System(s) for s in "abc"])
        found = run(data, judge=self.NAME)
        assert found["questions"] == []
        assert found["judge"]["n_votes"] == 2
        assert "People have not voted" in str(everything("preferences", found))

    def test_one_that_is_not_there_has_no_verdicts(self):
        found = run(cast(*ROUND), judge="nobody")
        assert found["judge"]["n_votes"] == 0
        assert "has no verdict" in str(everything("preferences", found))
