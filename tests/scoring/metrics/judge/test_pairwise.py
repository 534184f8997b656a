"""Pairs of texts before a judge on a server of this machine, in both orders."""

import json
import re
from dataclasses import replace

import pytest

from scoring.endpoints.call_records import InMemory
from scoring.endpoints.client import Client
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.model_settings import ModelSettings
from scoring.endpoints.respondents import Identity
from scoring.metrics import Example, MetricError
from scoring.metrics.judge.pairwise import Comparer, Pair, message, request, signature
from scoring.metrics.judge.verdicts import FIRST, SECOND, TIE
from tests.scoring.endpoints.servers import (
    Clock,
    Server,
    completion,
    endpoint,
    error,
    likely,
    seeded,
)

ASKED = "Which text is better?"


def pair(first, second, question=ASKED, **given):
    return Pair(Example(first, **given), Example(second, **given), question)


PAIR = pair("Long and lively.", "Dull.")
SHOWN = re.compile(r"Text A:\n(.*)\n\nText B:\n(.*)\n\nQuestion")


def shown(body):
    """The two texts of a request; None for the test question."""
    found = SHOWN.search(body["messages"][0]["content"])
    return found and found.groups()


def longest(body, n):
    """A judge that prefers the longer text."""
    texts = shown(body)
    if texts is None:
        return completion("1")
    lengths = [len(text) for text in texts]
    if lengths[0] == lengths[1]:
        return completion("tie")
    return completion("A" if lengths[0] > lengths[1] else "B")


def ask(reply, *pairs, mode="answer", samples=1, progress=None):
    with Server(reply).running() as server:
        clock, kept = Clock(), InMemory()
        client = Client(
            *(endpoint(server), "tiny"),
            keeper=kept,
            waits=clock.waits(),
            shared=clock.limits(),
        )
        found = Comparer(client, mode, samples)(pairs, progress)
    return found, server


def test_each_pair_is_shown_in_both_orders():
    (found,), server = ask(longest, PAIR)
    texts = [shown(body) for body in server.asked if shown(body)]
    assert sorted(texts) == sorted(
        [("Long and lively.", "Dull."), ("Dull.", "Long and lively.")]
    )
    assert (found.as_given.winner, found.turned.winner) == (FIRST, SECOND)
    assert (found.agrees, found.outcome) == (True, FIRST)


def test_a_pair_whose_orders_disagree_is_a_tie():
    (found,), _ = ask(lambda body, n: completion("A" if shown(body) else "1"), PAIR)
    assert (found.as_given.winner, found.turned.winner) == (FIRST, FIRST)
    assert (found.agrees, found.outcome) == (False, TIE)


def test_a_tie_in_both_orders_agrees():
    (found,), _ = ask(longest, pair("One.", "Two."))
    assert (found.agrees, found.outcome) == (True, TIE)


def test_an_order_without_a_verdict_leaves_the_pair_without_one():
    def reply(body, n):
        texts = shown(body)
        return (
            completion("B or A") if texts and texts[0] == "Dull." else longest(body, n)
        )

    (found,), server = ask(reply, PAIR)
    assert (found.agrees, found.outcome) == (None, None)
    assert found.turned.reason.startswith("the answer is not A, B or tie")
    assert len(server.asked) == 1 + 1 + 3  # an unreadable answer is asked for again


@pytest.mark.parametrize(
    ("two", "said"),
    [
        (pair(" ", "Dull."), "there is no text to judge"),
        (pair("Dull.", "Dull."), "the two texts are the same"),
    ],
)
def test_what_cannot_be_compared_is_not_asked_about(two, said):
    (found,), server = ask(longest, two)
    assert (found.as_given.reason, found.turned.reason) == (said, said)
    assert len(server.asked) == 1


def test_samples_are_a_share_of_answers():
    def reply(body, n):
        texts = shown(body)
        if texts is None:
            return completion("1")
        lively = "A" if texts[0].startswith("Long") else "B"
        return completion(lively if n % 4 else "tie")

    (found,), server = ask(reply, PAIR, mode="samples", samples=4)
    assert len(server.asked) == 1 + 2 * 4
    assert {body["temperature"] for body in server.asked[1:]} == {1}
    assert found.as_given.points == pytest.approx(0.75 + 0.25 / 2)
    assert found.turned.points == pytest.approx(0.25 / 2)


def test_log_probabilities_of_the_letters_are_read():
    def reply(body, n):
        return completion("A", logprobs=likely({"A": 0.7, "B": 0.2, "C": 0.1}))

    (found,), server = ask(reply, PAIR, mode="logprobs")
    assert found.as_given.points == pytest.approx(0.75)
    assert server.asked[1]["top_logprobs"] == 20


def test_a_form_has_its_reason():
    def reply(body, n):
        return completion(json.dumps({"reason": "Livelier.", "verdict": "A"}))

    (found,), server = ask(reply, PAIR, mode="form")
    assert found.as_given.said == "Livelier."
    schema = server.asked[1]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["verdict"]["enum"] == ["A", "tie", "B"]


def test_texts_are_put_in_as_they_are():
    odd = pair("{second} {question}", "Text A:", source="{first}")
    written = message(odd, "answer")
    assert "Text A:\n{second} {question}\n\nText B:\nText A:\n\n" in written
    assert "Input:\n{first}\n" in written


def test_both_orders_have_prompts_of_their_own():
    hashes = {request(one, "answer").prompt_hash for one in (PAIR, PAIR.turned())}
    assert len(hashes) == 2


def test_whoever_misbehaves_gets_no_verdict_invented():
    """Whatever is read is what this judge says; all else has a reason."""
    pairs = [pair("x" * (10 + k % 7), "y" * (9 + k % 5) + str(k)) for k in range(60)]
    found, _ = ask(seeded(3, longest, 0.9), *pairs)
    known = 0
    for asked, one in zip(pairs, found, strict=True):
        first, second = len(asked.first.text), len(asked.second.text)
        wanted = TIE if first == second else FIRST if first > second else SECOND
        for verdict in (one.as_given, one.turned):
            assert (verdict.winner is None) == bool(verdict.reason)
        if one.outcome is not None:
            assert (one.outcome, one.agrees) == (wanted, True)
            known += 1
    assert 0 < known < 60


def test_a_refused_key_stops_everything():
    def reply(body, n):
        return error(401) if shown(body) else completion("1")

    with pytest.raises(MetricError, match="wants a key"):
        ask(reply, PAIR)


def test_progress_may_stop_it():
    class Enough(Exception):
        pass

    def stop(done):
        raise Enough

    def slow(body, n):
        return replace(longest(body, n), seconds=0.5 if shown(body) else 0.0)

    with pytest.raises(Enough):
        ask(slow, *[PAIR] * 20, progress=stop)


def test_the_signature_tells_what_changes_the_verdicts():
    def signed(fields=(), **change):
        known = {"changes": "split", **dict(fields)}
        client = Client(Endpoint("lab", "http://127.0.0.1", ("tiny",), **known), "tiny")
        client.respondents.first = Identity(change.pop("answered", "tiny"), "fp_1")
        usual = {"mode": "answer", "samples": 20, "question": ASKED}
        return signature(client, **{**usual, **change})

    base = signed()
    assert base.startswith("llm_judge pairs|answered:tiny (fp_1)|endpoint:lab/tiny|")
    assert signed(samples=5) == base  # only asked in that mode
    for change in ({"mode": "form"}, {"question": "Which?"}, {"answered": "huge"}):
        assert signed(**change) != base
    named = {"tiny": ModelSettings(limit_name="max_completion_tokens")}
    assert signed({"model": named}) == base  # it changes no verdict
    longer = {"tiny": ModelSettings(max_tokens=2000)}
    assert "|sent:max_tokens=2000|" in signed({"model": longer})
