"""Odd answers: each a score, or NaN with a reason. None is guessed."""

import math

import numpy as np
import pytest

from scoring.endpoints import answers, readings
from scoring.endpoints.answers import Answer, NoAnswer, Truncated
from scoring.metrics.judge.questions import Question
from tests.scoring.endpoints.servers import completion, likely

ASKED = Question("quality", "How good?")
WIDE = Question("quality", "How good?", 0, 9)


def read(mode, question=ASKED, content="4", **others):
    places = (others.get("logprobs") or {}).get("content") if mode == "logprobs" else ()
    if places and content == "4":
        content = "".join(place["token"] for place in places)
    given = answers.parsed(completion(content, **others).body.decode())
    return readings.MODES[mode](given, question)


def why(*arguments, **others):
    found = read(*arguments, **others)
    assert math.isnan(found.score)
    return found.reason


class TestAnswer:
    @pytest.mark.parametrize(
        ("content", "score"),
        [
            *(
                ("4", 4),
                (" 4\n", 4),
                ("**4**", 4),
                ("4.", 4),
                ("4.0", 4),
                ("Score: 4", 4),
            ),
            *(("4/5", 4), ("4 / 5", 4), ("4 out of 5", 4), ("**Rating:** 2", 2)),
            *(("\\boxed{4}", 4), ("$\\boxed{4}$.", 4), ("\\boxed{four}", 4)),
            *(("four", 4), ("Four.", 4), ("5/5", 5), ("<think>3? no</think>4", 4)),
        ],
    )
    def test_one_number_in_its_usual_dress_is_a_score(self, content, score):
        assert read("answer", content=content).score == score

    @pytest.mark.parametrize(
        "content",
        [
            *("between 3 and 4", "3-4", "3 or 4", "4.5", "4,5", "3 4", "4/7", "4/"),
            *("-4", "+4", "04", "rather good", "I'm sorry, but I can't.", "4 stars"),
            *("The text is a 4", "On a scale of 1 to 5: 4", "twenty", "٤", "４", "4th"),
            *("Score: 4, or 5", "1e0", "4..", "NaN", "4\n5", "four five", "/5", "IV"),
        ],
    )
    def test_anything_else_is_not_one_number(self, content):
        assert why("answer", content=content).startswith("the answer is not one number")
        assert read("answer", content=content).again

    @pytest.mark.parametrize("content", ["0", "6", "10", "six", "40/5", "999"])
    def test_a_number_off_the_scale_is_no_score(self, content):
        assert "not on the scale from 1 to 5" in why("answer", content=content)

    def test_the_upper_end_of_another_scale_is_not_taken_for_ours(self):
        assert math.isnan(read("answer", WIDE, content="4/5").score)
        assert read("answer", WIDE, content="4/9").score == 4

    def test_a_long_answer_is_told_by_its_beginning(self):
        reason = why("answer", content="good \x00\u202e" * 50_000)
        assert len(reason) < 120 and reason.endswith("…”") and "\u202e" not in reason


class TestHowItEnded:
    @pytest.mark.parametrize("mode", ["answer", "samples", "form"])
    def test_what_was_cut_off_is_no_score(self, mode):
        assert why(mode, finish="length").startswith("cut off")

    @pytest.mark.parametrize("mode", readings.MODES)
    def test_a_filter_and_a_refusal_are_told_apart(self, mode):
        blocked = why(mode, content="", finish="content_filter")
        assert blocked == "blocked by a content filter"
        refused = why(mode, content=None, refusal="I will not.")
        assert refused == "the model refused: “I will not.”"

    @pytest.mark.parametrize("mode", readings.MODES)
    def test_thoughts_alone_are_no_answer(self, mode):
        for name in ("reasoning_content", "reasoning"):
            found = read(mode, content="", **{name: "4 it is"})
            assert math.isnan(found.score) and found.again
            assert found.reason == "empty: the model only thought, and gave no answer"
        assert why(mode, content="") == why(mode, content=None) == "the answer is empty"

    def test_thoughts_in_the_answer_that_do_not_end_are_no_answer(self):
        assert "only thought" in why("answer", content="<think>4")

    def test_these_are_not_asked_again(self):
        for given in ({"finish": "length"}, {"refusal": "no"}):
            assert not read("answer", **given).again


class TestForm:
    def test_the_number_and_the_reason_are_read(self):
        found = read("form", content='{"reason": "Clear.", "score": 4}')
        assert (found.score, found.said) == (4, "Clear.")

    @pytest.mark.parametrize(
        "content",
        [
            *("4", "[]", "null", '{"score": 4}', '{"reason": 1, "score": 4}'),
            *('{"reason": "x", "score": "4"}', '{"reason": "x", "score": true}'),
            *('{"reason": "x", "score": 4.5}', '{"reason": "x", "score": null}'),
            *('{"reason": "x", "score": NaN}', '{"reason": "x", "score": Infinity}'),
            '{"reason": "x", "score": 4, "sure": false}',
        ],
    )
    def test_other_fields_are_refused(self, content):
        assert why("form", content=content).startswith("the answer has other fields")

    @pytest.mark.parametrize(
        "content",
        [
            *("", "```json\n{}\n```", '{"reason": "x"', "[" * 100_000),
            '{"reason": "x", "score": 1, "score": 5}',
        ],
    )
    def test_what_is_no_json_or_says_a_thing_twice_is_refused(self, content):
        assert math.isnan(read("form", content=content).score)

    @pytest.mark.parametrize("score", ["0", "6", "10" * 200, "1e300"])
    def test_a_number_off_the_scale_is_no_score(self, score):
        reason = why("form", content=f'{{"reason": "x", "score": {score}}}')
        assert "not on the scale" in reason and len(reason) < 250


class TestLogprobs:
    def test_it_is_the_expectation_over_all_spellings(self):
        place = {"4": 0.5, " 4": 0.1, "3": 0.2, "\n5": 0.1, "four": 0.05, "6": 0.05}
        found = read("logprobs", logprobs=likely(place))
        assert found.score == pytest.approx((4 * 0.6 + 3 * 0.2 + 5 * 0.1) / 0.9)
        np.testing.assert_allclose(found.shares, [0, 0, 0.2, 0.6, 0.1])

    def test_the_chosen_token_counts_once_and_also_if_it_is_not_listed(self):
        place = {"token": "4", "logprob": math.log(0.6), "top_logprobs": []}
        assert read("logprobs", logprobs={"content": [place]}).shares[3] == (
            pytest.approx(0.6)
        )
        assert read("logprobs", logprobs=likely({"4": 0.6})).shares[3] == (
            pytest.approx(0.6)
        )

    @pytest.mark.parametrize(
        "lead", [["Score", ":", " "], ["**"], ["\n"], ["**", "Rating", ":**"]]
    )
    def test_a_label_before_the_answer_is_passed_over(self, lead):
        places = [{one: 0.9} for one in lead]
        found = read("logprobs", logprobs=likely(*places, {"2": 0.9, "3": 0.1}))
        assert found.score == pytest.approx(2.1)

    @pytest.mark.parametrize("lead", [["On", " a", " scale"], ["The"], ["not", " "]])
    def test_a_number_further_on_is_not_looked_for(self, lead):
        places = [{one: 0.9, "1": 0.1} for one in lead]
        found = read("logprobs", logprobs=likely(*places, {"5": 0.9}))
        assert math.isnan(found.score) and "10.0% of the probability" in found.reason
        np.testing.assert_allclose(found.shares, [0.1, 0, 0, 0, 0])

    def test_little_mass_is_no_score_and_is_kept(self):
        found = read("logprobs", logprobs=likely({"4": 0.49, "well": 0.4}))
        assert math.isnan(found.score) and found.shares.sum() == pytest.approx(0.49)
        assert "have 49.0% of the probability" in found.reason and not found.again
        assert read("logprobs", logprobs=likely({"4": 0.51})).score == 4

    @pytest.mark.parametrize(
        "rest", [["0"], [".", "5"], ["-", "5"], [" or", " 5"], [" to", " 5"], ["–5"]]
    )
    def test_a_number_that_goes_on_is_no_answer(self, rest):
        places = likely({"1": 0.9}, *({one: 0.9} for one in rest))
        assert "the number goes on" in why("logprobs", logprobs=places)

    @pytest.mark.parametrize(
        "rest", [["."], ["/", "5"], ["\n", "\n", "The"], [" stars"]]
    )
    def test_words_behind_the_number_do_no_harm(self, rest):
        places = likely({"4": 0.9}, *({one: 0.9} for one in rest))
        assert read("logprobs", logprobs=places, finish="length").score == 4

    @pytest.mark.parametrize("given", [None, {}, {"content": None}, {"content": []}])
    def test_without_log_probabilities_the_words_are_not_read_instead(self, given):
        reason = why("logprobs", content="4", logprobs=given)
        assert reason.startswith("the server sent no log-probabilities")

    def test_those_of_thoughts_are_not_taken_for_those_of_the_answer(self):
        """Some servers send them for all that the model wrote."""
        places = likely({"4": 0.9}, {" is": 0.9}, {" too": 0.9})
        found = read("logprobs", content="2", logprobs=places)
        assert math.isnan(found.score) and "of other words" in found.reason
        empty = read("logprobs", content=" ", logprobs=places, reasoning="4 is too")
        assert "only thought" in empty.reason
        assert read("logprobs", content="4 is too", logprobs=places).score == 4

    @pytest.mark.parametrize("mark", ["Ġ", "▁", "Ċ"])
    def test_marks_in_names_of_tokens_are_spaces(self, mark):
        place = {f"{mark}4": 0.6, "4": 0.1, f"{mark}3": 0.2}
        found = read("logprobs", content=" 4", logprobs=likely(place))
        assert found.score == pytest.approx((4 * 0.7 + 3 * 0.2) / 0.9)

    def test_a_mark_that_the_answer_has_is_one_of_its_letters(self):
        found = read("logprobs", content="Ġ4", logprobs=likely({"Ġ4": 0.9}))
        assert math.isnan(found.score)

    @pytest.mark.parametrize("apart", [0.0, 1e-4, -1e-4, 0.01])
    def test_the_chosen_token_counts_once_under_either_number(self, apart):
        (place,) = likely({"4": 0.6, "3": 0.3})["content"]
        place = {**place, "logprob": place["logprob"] + apart}
        found = read("logprobs", logprobs={"content": [place]})
        assert found.shares[3] == pytest.approx(0.6)

    def test_two_tokens_that_are_spelled_alike_both_count(self):
        top = [{"token": "4", "logprob": math.log(p)} for p in (0.5, 0.3)]
        place = {**top[0], "top_logprobs": top}
        found = read("logprobs", logprobs={"content": [place]})
        assert found.shares[3] == pytest.approx(0.8)

    def test_more_than_all_of_the_probability_is_refused(self):
        place = likely({"4": 0.9, " 4": 0.8})
        assert "exceed 1" in why("logprobs", logprobs=place)

    @pytest.mark.parametrize("log", [0.5, math.nan, "x", None, True, math.inf])
    def test_what_is_no_log_probability_is_refused(self, log):
        given = {"content": [{"token": "4", "logprob": log}]}
        with pytest.raises(NoAnswer, match="log-probabilities that are none"):
            read("logprobs", logprobs=given)

    def test_no_probability_at_all_is_one(self):
        given = {"content": [{"token": "4", "logprob": -math.inf}]}
        assert "have 0.0%" in why("logprobs", logprobs=given)


class TestSamples:
    def test_the_score_is_their_mean_with_the_share_of_each_number(self):
        found = readings.together([readings.Reading(n) for n in (4, 5, 4, 3)], ASKED)
        assert found.score == 4
        assert found.shares.tolist() == [0, 0, 0.25, 0.5, 0.25]

    def test_half_of_them_are_enough_and_how_many_were_read_is_told(self):
        bad = readings.missing("blocked by a content filter")
        two = [readings.Reading(4.0), readings.Reading(5.0)]
        found = readings.together([*two, bad, bad], ASKED)
        assert (found.score, found.n, found.reason) == (4.5, 2, "")
        assert found.shares.tolist() == [0, 0, 0, 0.5, 0.5]

    def test_fewer_leave_no_score(self):
        bad = readings.missing("blocked by a content filter")
        found = readings.together([readings.Reading(4.0), bad, bad], ASKED)
        assert math.isnan(found.score) and found.n == 1
        assert found.reason == (
            "2 of 3 answers have no number; the first: blocked by a content filter"
        )


class TestEnvelopes:
    @pytest.mark.parametrize(
        "body", ["", "{", '{"choices": [', "<html>", "[" * 100_000]
    )
    def test_what_is_not_all_of_it_is_incomplete(self, body):
        with pytest.raises(Truncated):
            answers.parsed(body)

    @pytest.mark.parametrize(
        "body",
        [
            *("{}", "[]", "7", "null", '"x"', '{"choices": []}', '{"choices": [7]}'),
            *('{"choices": {}}', '{"choices": [{"message": "4"}]}'),
            '{"choices": [{"message": {"content": 4}}]}',
            '{"choices": [{"message": {"content": ["4"]}}]}',
            '{"choices": [{"message": {"content": [{"type": "image_url"}]}}]}',
        ],
    )
    def test_what_is_no_chat_completion_is_refused(self, body):
        with pytest.raises(NoAnswer):
            answers.parsed(body)

    @pytest.mark.parametrize(
        ("body", "status", "words"),
        [
            ('{"error": {"message": "busy", "code": 502}}', 502, "busy"),
            ('{"error": {"message": "busy", "code": "429"}}', 429, "busy"),
            ('{"error": "no such model", "status": 404}', 404, "no such model"),
            ('{"object": "error", "message": "bad", "code": 400}', 400, "bad"),
            ('{"error": {"code": "overloaded"}}', None, '{"code": "overloaded"}'),
            (
                '{"choices": [{"error": {"message": "cut", "code": 502},'
                ' "message": {"content": "4"}}]}',
                502,
                "cut",
            ),
        ],
    )
    def test_an_error_object_is_an_error_with_the_status_that_it_carries(
        self, body, status, words
    ):
        with pytest.raises(answers.ServerError) as caught:
            answers.parsed(body)
        assert (caught.value.status, caught.value.words) == (status, words)

    def test_an_empty_error_is_none(self):
        body = '{"error": null, "choices": [{"message": {"content": "4"}}]}'
        assert answers.parsed(body).content == "4"

    def test_parts_of_a_content_are_joined(self):
        parts = [
            {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
            {"type": "text", "text": "Score: "},
            {"type": "output_text", "text": "4"},
            {"type": "refusal", "refusal": "No."},
        ]
        found = answers.parsed(completion(parts).body.decode())
        assert (found.content, found.reasoning) == ("Score: 4", "Hm.")
        assert found.refusal == "No."

    def test_names_are_fit_for_signatures(self):
        found = answers.parsed(completion(model="a|b\n" * 100).body.decode())
        assert found.model[:4] == "a_b_" and len(found.model) == 200

    def test_counts_that_are_none_are_not_known(self):
        body = '{"choices": [{"message": {}}], "usage": {"prompt_tokens": -1}}'
        assert answers.parsed(body) == Answer(model="")
