"""Every server's answers are read right, or nobody is asked about a text."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.endpoints.client import Client
from scoring.endpoints.configuration import Endpoint
from scoring.endpoints.model_settings import ModelSettings
from scoring.endpoints.readings import MODES
from scoring.metrics import Example, MetricError, get
from scoring.metrics.judge import scorer, steps
from scoring.metrics.judge.pairwise import Comparer, Pair
from scoring.metrics.judge.verdicts import FIRST, SECOND
from tests.scoring.endpoints import quirks
from tests.scoring.endpoints.servers import Clock, Server

NUMBERS = (4, 2, 5, 1, 3)
TEXTS = [Example(f"Text number {n}.") for n in NUMBERS]
PAIRS = [
    Pair(Example("Long and lively."), Example("Dull."), "Which is better?"),
    Pair(Example("No."), Example("So be it."), "Which is better?"),
]
LONG = ModelSettings(max_tokens=1000)
# What is said before anything is paid. Everywhere else all texts are scored.
TOO_SHORT = "did not end its answer to a test question within"
ONLY_THOUGHT = "as a test question shows: empty: the model only thought"
NOT_KEPT = "as a test question shows: the server did not keep to a schema"
SAID = {
    ("gpt5", "logprobs"): "not allowed to request logprobs from it",
    **{("think", mode): TOO_SHORT for mode in ("answer", "samples")},
    ("think", "logprobs"): ONLY_THOUGHT,
    **{(name, "form"): NOT_KEPT for name in ("noschema", "fenced")},
    **{("thinknull", mode): ONLY_THOUGHT for mode in MODES},
}
TABLE = [
    *((name, mode, ModelSettings()) for name in quirks.QUIRKS for mode in MODES),
    *(("think", mode, LONG) for mode in MODES),
]
IDS = [f"{name}-{mode}{'-long' if one == LONG else ''}" for name, mode, one in TABLE]


class Asked:
    """A client of a server with a quirk, and what it may ask in a mode."""

    def __init__(self, name, settings=None, **fields):
        self.name, self.clock = name, Clock()
        self.server = Server(quirks.QUIRKS[name]())
        self.settings, self.fields = settings or ModelSettings(), fields

    def __enter__(self):
        self.running = self.server.running()
        self.running.__enter__()
        return self

    def __exit__(self, *error):
        self.running.__exit__(*error)

    @property
    def texts_asked_about(self):
        return [body for body in self.server.asked if not quirks.is_test(body)]

    def client(self):
        model = {"tiny": self.settings}
        endpoint = Endpoint(
            "lab", self.server.url, ("tiny",), model=model, **self.fields
        )
        waits, shared = self.clock.waits(), self.clock.limits()
        return Client(endpoint, "tiny", waits=waits, shared=shared)

    def scorer(self, monkeypatch, mode, **options):
        made = self.client()
        monkeypatch.setattr(scorer, "Client", lambda *given, **others: made)
        monkeypatch.setattr(
            scorer.configuration, "resolve", lambda *given: (made.endpoint, "tiny")
        )
        metric = get("llm_judge")(
            **{"model": "endpoint:lab/tiny", "mode": mode, "samples": 3, **options}
        )
        return scorer.load(metric._setup(), metric.version)


def said(name, mode, settings):
    return "" if settings == LONG else SAID.get((name, mode), "")


@pytest.mark.parametrize(("name", "mode", "settings"), TABLE, ids=IDS)
def test_every_text_has_the_right_number_or_a_sentence_comes_first(
    monkeypatch, name, mode, settings
):
    with Asked(name, settings) as asked:
        if refused := said(name, mode, settings):
            with pytest.raises(MetricError, match=refused):
                asked.scorer(monkeypatch, mode)
            assert asked.texts_asked_about == []
            return
        scores = asked.scorer(monkeypatch, mode)(TEXTS)
    right = [quirks.expected(n) if mode == "logprobs" else n for n in NUMBERS]
    assert scores.reasons["quality"] == [None] * len(TEXTS)
    np.testing.assert_allclose(scores.values["quality"], right, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "mode", "settings"), [one for one in TABLE if one[0] != "boxed"]
)
def test_every_pair_has_the_right_verdict_or_a_sentence_comes_first(
    name, mode, settings
):
    with Asked(name, settings) as asked:
        compare = Comparer(asked.client(), mode, samples=3)
        if refused := said(name, mode, settings):
            with pytest.raises(MetricError, match=refused):
                compare(PAIRS)
            assert asked.texts_asked_about == []
            return
        verdicts = compare(PAIRS)
    assert [one.outcome for one in verdicts] == [FIRST, SECOND]


class TestLessons:
    def test_what_was_learned_is_said_signed_and_used(self, monkeypatch):
        with Asked("gpt5") as asked:
            judge = asked.scorer(monkeypatch, "answer")
            scores = judge(TEXTS)
        assert scores.notes == (
            "A test question showed that the server calls the limit of an answer"
            " max_completion_tokens and takes no temperature (its own is used).",
        )
        assert "|sent:temperature=none" in judge.signature
        assert len(asked.texts_asked_about) == len(TEXTS)  # none of them twice
        assert all("temperature" not in one for one in asked.texts_asked_about)

    def test_a_name_of_the_limit_changes_no_number_and_no_signature(self, monkeypatch):
        signatures = []
        for name in ("ok", "gpt5"):
            with Asked(name) as asked:
                signatures.append(asked.scorer(monkeypatch, "samples").signature)
        assert signatures[0] == signatures[1]

    def test_as_many_log_probabilities_are_asked_for_as_there_are(self, monkeypatch):
        with Asked("top5") as asked:
            judge = asked.scorer(monkeypatch, "logprobs")
            judge(TEXTS)
        assert {one["top_logprobs"] for one in asked.texts_asked_about} == {5}
        assert "|sent:top_logprobs=5" in judge.signature

    def test_steps_are_written_by_a_server_with_quirks(self):
        with Asked("gpt5") as asked:
            (question,) = get("llm_judge")()._questions()
            assert steps.written(asked.client(), question) == "1"

    def test_what_the_operator_says_is_not_tried(self, monkeypatch):
        own = ModelSettings(
            limit_name="max_completion_tokens",
            max_tokens=900,
            temperature="none",
            reasoning_effort="low",
            body={"verbosity": "low"},
        )
        with Asked("gpt5", own) as asked:
            scores = asked.scorer(monkeypatch, "answer")(TEXTS)
        assert scores.notes == () and len(asked.server.asked) == 1 + len(TEXTS)
        sent = asked.server.asked[-1]
        del sent["messages"]
        assert sent == {
            "model": "tiny",
            "max_completion_tokens": 900,
            "reasoning_effort": "low",
            "verbosity": "low",
        }

    def test_the_server_s_own_words_are_told_to_their_end(self):
        own = ModelSettings(limit_name="max_tokens")
        with (
            Asked("gpt5", own) as asked,
            pytest.raises(MetricError, match="Use 'max_completion_tokens' instead"),
        ):
            Comparer(asked.client(), "answer")(PAIRS)


class TestOtherNames:
    @pytest.mark.parametrize("name", ["fp", "dated"])
    def test_they_are_scored_and_told(self, monkeypatch, name):
        with Asked(name) as asked:
            judge = asked.scorer(monkeypatch, "answer")
            scores = judge(TEXTS)
        assert scores.values["quality"].tolist() == list(NUMBERS)
        assert len(asked.server.asked) == 1 + len(TEXTS)
        assert len(scores.notes) == {"fp": 2, "dated": 1}[name]
        assert all("All of these answers are scored." in one for one in scores.notes)
        assert "answered" not in judge.signature

    def test_the_operator_may_want_them_apart(self, monkeypatch):
        with Asked("dated", changes="split") as asked:
            judge = asked.scorer(monkeypatch, "answer")
            scores = judge(TEXTS)
        assert np.isnan(scores.values["quality"]).all()
        assert "|answered:tiny (fp_1)|" in judge.signature


class TestCutOff:
    def test_answers_that_do_not_end_are_not_asked_for_for_long(self, monkeypatch):
        """Thoughts about a text may be longer than those about a test question."""

        def reply(body, n):
            return quirks.ok(body, n) if quirks.is_test(body) else quirks.think(body, n)

        with Asked("ok", calls_at_once=1) as asked:
            asked.server.reply = reply
            texts = [Example(f"Text number 4, {n}.") for n in range(20)]
            scores = asked.scorer(monkeypatch, "answer")(texts)
        assert len(asked.texts_asked_about) == 5
        assert scores.reasons["quality"][0].startswith("cut off")
        assert "set max_tokens for it" in scores.reasons["quality"][-1]


def test_most_of_the_samples_are_enough_and_how_many_is_told(monkeypatch):
    def reply(body, n):
        # The second sample, each of the three times that it is asked for.
        is_odd = not quirks.is_test(body) and n in (1, 2, 3)
        return quirks.completion("Well.") if is_odd else quirks.ok(body, n)

    with Asked("ok", calls_at_once=1) as asked:
        asked.server.reply = reply
        scores = asked.scorer(monkeypatch, "samples", samples=4)(TEXTS[:1])
    assert scores.values["quality"].tolist() == [4.0]
    assert scores.parts["quality.n"].tolist() == [3]
