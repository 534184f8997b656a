"""Odd answers about two texts: each a verdict, or a reason. None is guessed."""

import math

import numpy as np
import pytest

from scoring.endpoints import answers
from scoring.endpoints.readings import Reading, missing
from scoring.metrics.judge import pairwise, verdicts
from scoring.metrics.judge.verdicts import FIRST, SECOND, TIE
from tests.scoring.endpoints.servers import completion, likely


def read(mode, content="A", **others):
    places = (others.get("logprobs") or {}).get("content") or ()
    if places and content == "A":
        content = "".join(place["token"] for place in places)
    given = answers.parsed(completion(content, **others).body.decode())
    return pairwise.MODES[mode](given)


def verdict(*arguments, **others):
    return verdicts.together([read(*arguments, **others)]).winner


def why(*arguments, **others):
    found = read(*arguments, **others)
    assert math.isnan(found.score)
    return found.reason


class TestWord:
    @pytest.mark.parametrize(
        ("content", "winner"),
        [
            *(
                ("A", FIRST),
                (" B\n", SECOND),
                ("tie", TIE),
                ("Tie", TIE),
                ("b", SECOND),
            ),
            *(("**A**", FIRST), ("A.", FIRST), ("`tie`.", TIE), ("# B", SECOND)),
            *(("Answer: A", FIRST), ("**Answer:** tie.", TIE), ("answer:B", SECOND)),
            ("<think>B? no</think>A", FIRST),
        ],
    )
    def test_one_verdict_in_its_usual_dress_is_read(self, content, winner):
        assert verdict("answer", content) == winner

    @pytest.mark.parametrize(
        "content",
        [
            *(
                "C",
                "AB",
                "A or B",
                "A/B",
                "Text A",
                "[[A]]",
                "(A)",
                "A good text",
                "A\nB",
            ),
            *("neither", "both", "a tie", "ties", "A!", "A..", "1", "Verdict: A", "А"),
            *(
                "The answer is A",
                "Answer: Answer: A",
                "A: better",
                "I prefer A.",
                "“A”",
            ),
        ],
    )
    def test_anything_else_is_no_verdict(self, content):
        assert why("answer", content).startswith("the answer is not A, B or tie")
        assert read("answer", content).again

    @pytest.mark.parametrize(
        ("content", "others", "said"),
        [
            ("", {}, "the answer is empty"),
            ("", {"reasoning_content": "A"}, "the model only thought"),
            ("<think>A", {}, "the model only thought"),
            (None, {"refusal": "I will not choose"}, "the model refused"),
            ("A", {"finish": "length"}, "cut off"),
            ("A", {"finish": "content_filter"}, "blocked by a content filter"),
        ],
    )
    def test_what_ends_oddly_has_its_reason(self, content, others, said):
        assert said in why("samples", content, **others)

    def test_a_long_answer_is_quoted_briefly(self):
        assert len(why("answer", "A " * 50_000)) < 120


class TestForm:
    def test_the_verdict_and_its_reason_are_read(self):
        found = read("form", '{"reason": "Livelier.", "verdict": "B"}')
        assert (found.score, found.said) == (0.0, "Livelier.")
        assert verdicts.together([found]).said == "Livelier."

    @pytest.mark.parametrize(
        "content",
        [
            *('{"reason": "x", "verdict": "C"}', '{"reason": "x", "verdict": "a"}'),
            *('{"verdict": "A"}', '{"reason": 1, "verdict": "A"}', '["A"]', '"A"'),
            '{"reason": "x", "verdict": "A", "score": 4}',
            '{"reason": "x", "verdict": ["A"]}',
        ],
    )
    def test_other_fields_are_no_verdict(self, content):
        assert why("form", content).startswith("the answer has other fields")

    @pytest.mark.parametrize(
        "content",
        ["A", '{"reason": "x", "verdict": "A"', '{"verdict": "A", "verdict": "B"}'],
    )
    def test_what_is_no_json_is_no_verdict(self, content):
        assert "not the JSON" in why("form", content)


class TestLikeliest:
    def test_shares_are_of_the_letters_in_all_spellings(self):
        top = likely({"A": 0.5, " A": 0.1, "B": 0.2, "C": 0.1, "Text": 0.05})
        found = read("logprobs", logprobs=top)
        np.testing.assert_allclose(found.shares, np.array([6, 1, 2]) / 9, atol=1e-12)
        assert found.score == pytest.approx(6.5 / 9)

    def test_a_label_before_the_letter_is_passed_over(self):
        places = likely({"Answer": 0.9}, {":": 1.0}, {" B": 0.8, " A": 0.2})
        assert verdict("logprobs", logprobs=places) == SECOND

    @pytest.mark.parametrize("end", ["", ".", "\n", "**", ". Because"])
    def test_a_letter_that_ends_is_read(self, end):
        places = [{"A": 0.9, "B": 0.1}, *([{end: 1.0}] if end else [])]
        assert verdict("logprobs", logprobs=likely(*places)) == FIRST

    @pytest.mark.parametrize("end", [" good", "/B", " or", "nd", ", but"])
    def test_a_letter_that_goes_on_is_no_answer(self, end):
        places = likely({"A": 0.9, "B": 0.1}, {end: 1.0})
        assert "the letter goes on" in why("logprobs", logprobs=places)

    def test_too_little_probability_is_none(self):
        said = why("logprobs", logprobs=likely({"Text": 0.6, "A": 0.3}))
        assert said.startswith("the letters A, B and C have 30.0% of the probability")

    def test_a_server_without_log_probabilities_is_told(self):
        assert "sent no log-probabilities" in why("logprobs", "A")

    def test_those_of_other_words_are_not_read(self):
        places = likely({"A": 0.9, "B": 0.1})
        assert "of other words" in why("logprobs", "Tie", logprobs=places)


class TestTogether:
    def shares(self, *rows):
        return [Reading(0.0, shares=np.array(row, float)) for row in rows]

    def test_the_verdict_is_the_largest_mean_share(self):
        found = verdicts.together(self.shares((1, 0, 0), (0, 0, 1), (0, 0, 1)))
        assert (found.winner, found.points) == (SECOND, pytest.approx(1 / 3))

    @pytest.mark.parametrize(
        "rows", [[(1, 0, 0), (0, 0, 1)], [(0.4, 0.2, 0.4)], [(1, 0, 0), (0, 1, 0)]]
    )
    def test_two_that_are_equal_make_a_tie(self, rows):
        assert verdicts.together(self.shares(*rows)).winner == TIE

    def test_half_of_the_answers_are_enough(self):
        found = verdicts.together([*self.shares((1, 0, 0)), missing("odd")])
        assert (found.winner, found.points, found.reason) == (FIRST, 1.0, "")

    def test_fewer_readable_answers_than_half_make_all_missing(self):
        bad = [missing("odd"), missing("odd")]
        found = verdicts.together([*self.shares((1, 0, 0)), *bad])
        assert found.winner is None and math.isnan(found.points)
        assert found.reason == "2 of 3 answers have no verdict; the first: odd"
