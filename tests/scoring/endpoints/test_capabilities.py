"""What a refusal teaches, and how requests are fitted to it."""

from __future__ import annotations

import json

import pytest

from scoring.endpoints import capabilities, requests
from scoring.endpoints.capabilities import Capabilities
from scoring.endpoints.model_settings import ModelSettings

USUAL = Capabilities()


def probe(mode="logprobs", known=USUAL):
    return known.fitted(requests.probe(mode))


def after(text, mode="logprobs", status=400, **fields):
    body = json.dumps({"error": {"message": text, **fields}})
    return Capabilities().after(status, body, probe(mode))


@pytest.mark.parametrize(
    "text",
    [
        "Unsupported parameter: 'max_tokens' is not supported. Use"
        " 'max_completion_tokens' instead.",
        "Unknown field: max_tokens",
        "max_tokens: Extra inputs are not permitted",
        "use max_completion_tokens",
    ],
)
def test_a_refused_name_of_the_limit_is_exchanged(text):
    assert after(text) == Capabilities(limit_name="max_completion_tokens")


def test_a_limit_that_is_too_large_is_not_a_name_that_is_wrong():
    assert after("max_tokens is too large: 512; at most 256 are possible") is None


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("top_logprobs must be less than or equal to 5", 5),
        ("logprobs: expected 0 to 11, got 20", 11),
        ("Requested 20 logprobs, which is greater than max allowed: 10", 10),
        ("top_logprobs is too large", 5),
        ("at most 2 logprobs", 5),
    ],
)
def test_as_many_log_probabilities_are_wanted_as_a_refusal_allows(text, most):
    found = after(text)
    assert found.top_logprobs == most
    assert probe(known=found).parameters["top_logprobs"] == most


def test_fewer_than_a_scale_of_five_has_points_are_no_way_out():
    known = Capabilities(top_logprobs=5)
    body = '{"error": "no logprobs for this model"}'
    assert known.after(400, body, probe(known=known)) is None


def test_the_field_that_is_named_counts_and_not_all_that_was_sent():
    detail = [{"loc": ["body", "temperature"], "input": probe().parameters}]
    body = json.dumps({"detail": detail})
    found = Capabilities().after(422, body, probe())
    assert found == Capabilities(takes_temperature=False)


@pytest.mark.parametrize("status", [None, 200, 401, 404, 429, 500])
def test_other_errors_teach_nothing(status):
    assert after("no max_completion_tokens, temperature", status=status) is None


def test_what_the_operator_says_stands():
    own = ModelSettings(limit_name="max_tokens", temperature=0.5)
    known = capabilities.of(own)
    for text in ("use max_completion_tokens", "unsupported temperature"):
        body = json.dumps({"error": {"message": text}})
        assert known.after(400, body, probe(known=known)) is None
    assert probe(known=known).parameters["temperature"] == 0.5


@pytest.mark.parametrize(
    "known",
    [
        Capabilities(),
        Capabilities(limit_name="max_completion_tokens", takes_temperature=False),
        Capabilities(top_logprobs=5),
        capabilities.of(ModelSettings(temperature="none", top_logprobs=10)),
    ],
)
def test_it_is_known_again_by_a_test_question_that_was_answered(known):
    written = probe(known=known).written
    found = capabilities.of_probe(known.settings, written)
    assert found == known and found.lessons == known.lessons


def test_old_test_questions_say_nothing_else():
    written = '{"max_tokens": 512, "temperature": 0}'
    assert capabilities.of_probe(ModelSettings(), written) == Capabilities()


def test_a_sentence_says_all_that_was_learned():
    found = Capabilities(ModelSettings(), "max_completion_tokens", False, 5)
    assert found.lessons == (
        "A test question showed that the server calls the limit of an answer"
        " max_completion_tokens, takes no temperature (its own is used) and gives at"
        " most 5 log-probabilities."
    )
    assert Capabilities().lessons == ""


def test_a_text_to_be_continued_is_left_as_it_is():
    request = requests.Request("Once", {"max_tokens": 1, "echo": True}, continued=True)
    own = ModelSettings(max_tokens=100, body={"x": 1})
    assert capabilities.of(own).fitted(request) == request
