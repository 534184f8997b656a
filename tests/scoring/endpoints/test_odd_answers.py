"""The list of odd answers, in each mode: a score that the answer states, or a reason.

And answers made up by chance: whatever is read is a number that stands there alone.
"""

import json
import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.endpoints import answers, readings
from scoring.endpoints.answers import NoAnswer
from scoring.metrics.judge.questions import Question
from tests.scoring.endpoints.servers import completion, likely

ASKED = Question("quality", "How good?")
MODES = ("answer", "samples", "form", "logprobs")
MISSING = math.nan


def tokens(content):
    """As a tokenizer would cut it: words with their space, digits and marks alone."""
    return re.findall(r" ?[^\W\d_]+|\s?\d|\s?[^\w\s]|\s|_", content)


def read(mode, content, question=ASKED, **others):
    if mode == "logprobs" and isinstance(content, str) and "logprobs" not in others:
        others["logprobs"] = likely(*({one: 0.9} for one in tokens(content)))
    given = answers.parsed(completion(content, **others).body.decode())
    found = readings.MODES[mode](given, question)
    return readings.together([found], question) if mode == "samples" else found


# An answer, and its score in the modes answer and samples, form, logprobs.
ODD = [
    ("4", 4, MISSING, 4),
    ("4/5", 4, MISSING, 4),
    ("4 / 5", 4, MISSING, 4),
    ("4 out of 5", 4, MISSING, 4),
    ("between 3 and 4", MISSING, MISSING, MISSING),
    ("3-4", MISSING, MISSING, MISSING),
    ("3 – 4", MISSING, MISSING, MISSING),
    ("3 to 4", MISSING, MISSING, MISSING),
    ("4 or 5", MISSING, MISSING, MISSING),
    ("4 and 5", MISSING, MISSING, MISSING),
    ("4.5", MISSING, MISSING, MISSING),
    ("4,5", MISSING, MISSING, MISSING),
    ("4½", MISSING, MISSING, MISSING),
    ("45", MISSING, MISSING, MISSING),
    ("-4", MISSING, MISSING, MISSING),
    ("four", 4, MISSING, MISSING),
    ("Four.", 4, MISSING, MISSING),
    ("forty", MISSING, MISSING, MISSING),
    ("four or five", MISSING, MISSING, MISSING),
    ("quatre", MISSING, MISSING, MISSING),
    ("IV", MISSING, MISSING, MISSING),
    ("４", MISSING, MISSING, MISSING),  # full width
    ("٤", MISSING, MISSING, MISSING),  # Arabic-Indic
    ("④", MISSING, MISSING, MISSING),
    ("⁴", MISSING, MISSING, MISSING),
    ("Score: 4", 4, MISSING, 4),
    ("**Score:** 4", 4, MISSING, 4),
    # The whole answer is not a number; its first token behind the label is one.
    ("Score: 4 because it is clear", MISSING, MISSING, 4),
    ("The score is 4", MISSING, MISSING, MISSING),
    ("I give it a 4.", MISSING, MISSING, MISSING),
    ("It is 4, no, 5", MISSING, MISSING, MISSING),
    ("0", MISSING, MISSING, MISSING),
    ("6", MISSING, MISSING, MISSING),
    ("10", MISSING, MISSING, MISSING),
    ("10/10", MISSING, MISSING, MISSING),
    ("4/10", MISSING, MISSING, MISSING),
    ("80%", MISSING, MISSING, MISSING),
    ("4%", MISSING, MISSING, MISSING),
    ("4 out of 10", MISSING, MISSING, MISSING),
    ("4 5", MISSING, MISSING, MISSING),
    ("4 ½", MISSING, MISSING, MISSING),
    ("★★★★", MISSING, MISSING, MISSING),
    ("👍", MISSING, MISSING, MISSING),
    ("I'm sorry, but I cannot rate this.", MISSING, MISSING, MISSING),
    ("N/A", MISSING, MISSING, MISSING),
    ("None", MISSING, MISSING, MISSING),
    ("NaN", MISSING, MISSING, MISSING),
    ("", MISSING, MISSING, MISSING),
    (" \n", MISSING, MISSING, MISSING),
    ("<think>It is a 4</think>", MISSING, MISSING, MISSING),
    ("<think>4", MISSING, MISSING, MISSING),
    ("<think>4</think>2", 2, MISSING, MISSING),
    ('{"score": 4}', MISSING, MISSING, MISSING),
    ('{"reason": "Clear.", "score": 4}', MISSING, 4, MISSING),
    ('{"reason": "Clear.", "score": 4.0}', MISSING, 4, MISSING),
    ('{"reason": "Clear.", "score": "4"}', MISSING, MISSING, MISSING),
    ('{"reason": "Clear.", "score": [4]}', MISSING, MISSING, MISSING),
    ('{"reason": "Clear.", "score": {"value": 4}}', MISSING, MISSING, MISSING),
    ('{"reason": "Clear.", "score": true}', MISSING, MISSING, MISSING),
    ('{"reason": "Clear.", "score": null}', MISSING, MISSING, MISSING),
    ('{"reason": "Clear.", "score": 4.5}', MISSING, MISSING, MISSING),
    ('{"reason": "Clear.", "score": 9}', MISSING, MISSING, MISSING),
    ('{"reason": 4, "score": 4}', MISSING, MISSING, MISSING),
    ('{"reason": null, "score": 4}', MISSING, MISSING, MISSING),
    ('{"reason": "x", "score": 2, "score": 4}', MISSING, MISSING, MISSING),
    ('{"reason": "x", "rating": 4}', MISSING, MISSING, MISSING),
    ('[{"reason": "x", "score": 4}]', MISSING, MISSING, MISSING),
    ('{"reason": "x", "score": 4', MISSING, MISSING, MISSING),
    ('Here you are: {"reason": "x", "score": 4}', MISSING, MISSING, MISSING),
]


@pytest.mark.parametrize("mode", MODES)
def test_an_odd_answer_is_a_score_or_has_a_reason(mode):
    for content, number, form, likeliest in ODD:
        expected = {"form": form, "logprobs": likeliest}.get(mode, number)
        reading = read(mode, content)
        assert reading.score == pytest.approx(expected, nan_ok=True), content
        assert bool(reading.reason) == math.isnan(expected), content


ENDS = [
    ("a refusal", None, {"refusal": "I cannot rate this: 4"}, "refused"),
    ("a refusal beside a number", "4", {"refusal": "No."}, "refused"),
    ("a content filter", "4", {"finish": "content_filter"}, "content filter"),
    ("only reasoning", "", {"reasoning_content": "So it is 4."}, "only thought"),
    ("reasoning alone", None, {"reasoning": "4"}, "only thought"),
    ("nothing", None, {}, "is empty"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("end", ENDS, ids=lambda one: one[0])
def test_how_an_answer_ended_counts_before_what_it_says(mode, end):
    _, content, fields, said = end
    found = read(mode, content, **fields)
    assert math.isnan(found.score) and said in found.reason


@pytest.mark.parametrize("mode", ("answer", "samples", "form"))
@pytest.mark.parametrize("content", ["4", '{"reason": "x", "score": 4}', "", "4 or"])
def test_what_was_cut_off_is_no_score(mode, content):
    found = read(mode, content, finish="length")
    assert math.isnan(found.score) and found.reason.startswith("cut off")


def test_log_probabilities_are_read_where_the_answer_was_cut():
    """Their number stands in the first place, whatever would have followed."""
    assert read("logprobs", "4", finish="length").score == 4
    assert math.isnan(read("logprobs", "1", logprobs=None, finish="length").score)


@pytest.mark.parametrize("content", [4, 4.0, True, ["4"], {"text": "4"}])
@pytest.mark.parametrize("mode", MODES)
def test_an_answer_that_is_no_text_is_none(mode, content):
    with pytest.raises(NoAnswer):
        read(mode, content)


# What may stand around a number in an answer that states it alone.
ALONE = re.compile(
    r"(?:(?:answer|number|rating|score)[*_#` \s]*:)?[*_#`\s]*"
    r"(?P<number>\d|zero|one|two|three|four|five|six|seven|eight|nine)"
    r"(?:\.0*)?[*_#`\s]*(?:/\s*5|out of 5)?[*_#`.\s]*",
    re.IGNORECASE | re.ASCII,
)
PIECES = [
    *("4", "5", "12", "four", "five", "zero", "Score", "Rating:", ":", ".", "/", "/5"),
    *("out of 5", "out of", "between", "or", "and", "to", "-", "–", ",", " ", "\n"),
    *("**", "_", "#", "`", "%", "½", "４", "٤", "<think>", "</think>", "not", "{", "}"),
    *('"score"', "1e0", "0x4", "+", "−", "\u200b", "\u00a0", "\u202e", "٫", "．"),
]
answered = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=7).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=7).map(" ".join),
    st.text(max_size=12),
    st.from_regex(r"[\d\W]{1,8}", fullmatch=True),
)


@pytest.mark.slow
@given(answered)
@example("four/5")
@example("4 \u202e5")
def test_no_answer_is_read_as_a_number_that_it_does_not_state_alone(content):
    found = read("answer", content)
    if math.isnan(found.score):
        assert found.reason
        return
    said = content
    if content.lstrip().startswith("<think>"):
        said = content.rpartition("</think>")[2]
    alone = ALONE.fullmatch(said.strip())
    assert alone, content
    number = alone["number"].lower()
    value = readings.WORDS.index(number) if number in readings.WORDS else int(number)
    assert found.score == value and value in ASKED.numbers


@given(answered)
def test_one_that_states_no_number_has_no_log_probability_score(content):
    """Where no token of it is a number of the scale, none is read."""
    places = tokens(content)
    if not "".join(places).strip():
        return
    found = read("logprobs", "".join(places))
    if math.isfinite(found.score):
        digits = [one.strip() for one in places if one.strip() in "12345"]
        assert str(int(round(found.score))) in digits


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["reason", "score", "x"]), inner),
        ),
        max_leaves=6,
    )
)
def test_a_form_is_read_only_if_it_is_the_one_that_was_asked_for(value):
    found = read("form", json.dumps(value))
    fits = (
        isinstance(value, dict)
        and set(value) == {"reason", "score"}
        and isinstance(value["reason"], str)
        and type(value["score"]) in (int, float)
        and value["score"] in ASKED.numbers
    )
    assert math.isfinite(found.score) == fits
    if fits:
        assert (found.score, found.said) == (value["score"], value["reason"])
    else:
        assert found.reason and len(found.reason) < 250


@given(st.dictionaries(st.text(max_size=3), st.floats(0.001, 0.2), min_size=1))
def test_an_expectation_is_within_the_scale_and_of_enough_probability(shares):
    first = next(iter(shares))
    found = read("logprobs", first, logprobs=likely(shares))
    if math.isfinite(found.score):
        assert 1 <= found.score <= 5 and found.shares.sum() >= readings.LEAST_MASS


LONG = 100_000


LONG_ANSWERS = (
    *("4" * LONG, " " * LONG + "4", "4" + " " * LONG + "5", "**" * (LONG // 2)),
    *("4/" * (LONG // 2), "Score:" * (LONG // 6), "<think>" * (LONG // 7)),
    *("4 or " * (LONG // 5), "[" * LONG, "{" * LONG, '"' * LONG, "." * LONG),
    *('{"reason": "' + "x" * LONG, "out of 5" * (LONG // 8), "４" * LONG),
    *("*" * LONG + "x", "#`_ " * (LONG // 4) + "4 or 5", "</think>" * (LONG // 8)),
)


@pytest.mark.parametrize("mode", MODES)
def test_a_long_answer_is_read_in_no_time_and_told_in_short(mode):
    for content in LONG_ANSWERS:
        reading = read(mode, content, logprobs=likely({"well": 0.9}))
        is_four = content.strip() == "4" and mode in ("answer", "samples")
        expected = 4 if is_four else MISSING
        assert reading.score == pytest.approx(expected, nan_ok=True), content[:12]
        assert len(reading.reason) < 250, content[:12]


def test_log_probabilities_of_many_tokens_are_read_in_no_time():
    many = likely(*({one: 0.9} for one in ["*"] * 20_000), {"4": 0.9})
    assert read("logprobs", "*" * 20_000 + "4", logprobs=many).score == 4
