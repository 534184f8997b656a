"""The judge behind an address, from options to scores, on a server of this machine."""

import io
import itertools
import json
import logging
import math
import subprocess
import sys
import traceback

import numpy as np
import pytest

from scoring.endpoints import requests
from scoring.endpoints.call_records import InMemory
from scoring.metrics import Example, MetricError, OptionError, get, models
from scoring.metrics import __main__ as command
from scoring.metrics.judge import scorer
from tests.scoring.endpoints import torch_server
from tests.scoring.endpoints.servers import (
    KEY,
    MISBEHAVIOURS,
    Clock,
    Reply,
    Server,
    completion,
    error,
    likely,
    seeded,
)

TEXTS = [Example("The ferry left."), Example("Nobody spoke."), Example("Left left.")]
ASPECTS = "fluency: How fluent?\ntopic 0-9: How apt?"


@pytest.fixture
def judge(monkeypatch, tmp_path):
    """A loaded judge behind a server that answers as it is told."""
    monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "judges.toml"))
    monkeypatch.setenv("LAB_KEY", KEY)
    running = []

    def loaded(reply, *, at_once=8, seconds=5.0, changes="split", **options):
        server = Server(reply)
        running.append(server.running())
        running[-1].__enter__()
        (tmp_path / "judges.toml").write_text(
            f'[judges.lab]\nurl = "{server.url}"\nmodels = ["tiny"]\n'
            f'key_env = "LAB_KEY"\ncalls_at_once = {at_once}\nchanges = "{changes}"\n'
        )
        metric = get("llm_judge")(
            **{"model": "endpoint:lab/tiny", "aspects": ASPECTS, **options}
        )
        metric.check()
        clock, kept = Clock(), InMemory()
        found = scorer.load(
            metric._setup(),
            metric.version,
            keeper=kept,
            waits=clock.waits(seconds),
            shared=clock.limits(),
        )
        found.server, found.kept, found.clock = server, kept, clock
        return found

    yield loaded
    for one in running:
        one.__exit__(None, None, None)


def always(*arguments, **others):
    return lambda body, n: completion(*arguments, **others)


def message(body):
    return body["messages"][0]["content"]


def is_probe(body):
    return "nothing else" in message(body)


class TestModes:
    def test_answer_is_one_call_at_temperature_0(self, judge):
        loaded = judge(always("4"), mode="answer")
        scores = loaded(TEXTS)
        assert scores.values["fluency"].tolist() == [4, 4, 4]
        assert scores.values["topic"].dtype == np.float64
        assert scores.parts == {} and scores.notes == ()
        assert scores.reasons["topic"] == [None] * 3
        assert len(loaded.server.asked) == 1 + 6
        assert {body["temperature"] for body in loaded.server.asked} == {0}

    def test_samples_are_calls_of_their_own_at_temperature_1(self, judge):
        numbers = itertools.count()
        loaded = judge(
            lambda body, n: completion(str(next(numbers) % 2 + 3)),
            mode="samples",
            samples=4,
            aspects="fluency: How fluent?",
            at_once=1,
        )
        scores = loaded(TEXTS[:1])
        assert scores.values["fluency"].tolist() == [3.5]
        assert scores.parts["fluency.p"].tolist() == [[0, 0, 0.5, 0.5, 0]]
        assert [call.sample for call in loaded.kept.calls] == [0, 1, 2, 3, 4]
        assert loaded.server.asked[-1]["temperature"] == 1

    def test_form_asks_by_a_schema(self, judge):
        loaded = judge(always('{"reason": "Clear.", "score": 2}'), mode="form")
        assert loaded(TEXTS).values["topic"].tolist() == [2, 2, 2]
        # Calls arrive in any order.
        sent = next(one for one in loaded.server.asked if "How apt?" in message(one))
        schema = sent["response_format"]["json_schema"]["schema"]
        assert schema["properties"]["score"]["enum"] == list(range(10))
        assert message(sent).endswith("from 0 (least) to 9 (most).")
        assert "Number:" not in message(sent)
        assert "Clear." in loaded.kept.calls[-1].answer

    @pytest.mark.parametrize(
        ("scale", "said", "score"),
        [
            ("1-10", "10", 10),
            ("0-10", "Score: 7/10", 7),
            ("0-100", "85 out of 100", 85),
        ],
    )
    @pytest.mark.parametrize("mode", ["samples", "answer", "form"])
    def test_numbers_of_several_digits_are_read(self, judge, mode, scale, said, score):
        if mode == "form":
            said = json.dumps({"reason": "So.", "score": score})
        asked = f"to-the-point {scale}: How much?"
        loaded = judge(always(said), mode=mode, aspects=asked, samples=3)
        scores = loaded(TEXTS[:1])
        assert scores.values["to_the_point"].tolist() == [score]
        low, high = map(int, scale.split("-"))
        if mode == "samples":
            shares = scores.parts["to_the_point.p"]
            assert shares.shape == (1, high - low + 1)
            assert shares[0, score - low] == 1
        off = always(json.dumps({"reason": "x", "score": 101}))
        other = judge(
            off if mode == "form" else always("101"), mode=mode, aspects=asked
        )
        assert math.isnan(other(TEXTS[:1]).values["to_the_point"][0])

    def test_probabilities_of_several_digits_are_refused_before_anything_is_asked(self):
        asked = {"model": "endpoint:lab/tiny", "aspects": "a: b\nc-d 1-10: e"}
        with pytest.raises(OptionError, match="c-d: the mode logprobs reads one token"):
            get("llm_judge")(**asked).check()
        get("llm_judge")(**asked, mode="answer").check()

    def test_a_question_names_what_belongs_to_the_text(self, judge):
        asked = "attribute-relevance: How well does it express {label}?"
        loaded = judge(always("4"), mode="answer", aspects=asked)
        scores = loaded([Example("A.", label="sad"), Example("B.")])
        (said,) = [one for one in map(message, loaded.server.asked) if "express" in one]
        assert "How well does it express sad?" in said
        assert scores.reasons["attribute_relevance"] == [
            *(None, "the question names {label}, which this text does not have"),
        ]

    def test_logprobs_is_the_expectation(self, judge):
        loaded = judge(always("4", logprobs=likely({"4": 0.6, "3": 0.3})))
        scores = loaded(TEXTS)
        np.testing.assert_allclose(scores.values["fluency"], 3.3 / 0.9)
        np.testing.assert_allclose(scores.parts["fluency.p"].sum(1), 0.9)
        assert loaded.server.asked[-1]["top_logprobs"] == 20

    @pytest.mark.parametrize("mode", ["logprobs", "samples", "answer", "form"])
    def test_none_falls_back_to_another(self, judge, mode):
        """Each gets what the other modes could read."""
        replies = {
            # The test question has them: without, it would be refused.
            "logprobs": lambda body, n: completion(
                "4", logprobs=likely({"4": 1.0}) if is_probe(body) else None
            ),
            "samples": always("well", logprobs=likely({"4": 1.0})),
            "answer": always('{"reason": "x", "score": 4}'),
            # Likewise: one that is answered without a schema is refused.
            "form": lambda body, n: completion(
                '{"reason": "x", "score": 1}' if is_probe(body) else "4",
                logprobs=likely({"4": 1.0}),
            ),
        }
        scores = judge(replies[mode], mode=mode, samples=2)(TEXTS)
        assert np.isnan(scores.values["fluency"]).all()
        assert all(scores.reasons["fluency"])

    def test_people_and_judge_are_asked_the_same_as_the_local_one(self, judge):
        loaded = judge(always("4"), mode="answer", aspects="quality: How good?")
        loaded([Example("A text.", source="A source.")])
        assert message(loaded.server.asked[-1]) == (
            "Read the text and answer the question about it.\n\nInput:\nA source.\n\n"
            "Text:\nA text.\n\n"
            "Question: How good?\nAnswer with one number from 1 (least) to 5 (most)."
            "\nNumber:"
        )

    def test_an_empty_text_is_not_sent(self, judge):
        loaded = judge(always("4"), mode="answer")
        scores = loaded([Example(" ")])
        assert scores.reasons["topic"] == ["there is no text to judge"]
        assert len(loaded.server.asked) == 1  # the probe

    def test_nothing_to_score_is_no_error(self, judge):
        scores = judge(always("4", logprobs=likely({"4": 1.0})))([])
        assert scores.values["fluency"].shape == (0,)
        assert scores.parts["topic.p"].shape == (0, 10)


class TestSameModel:
    PROMPT = (
        "{text} {question} #3 and #1 and #4 and #2 and #5 and #4 and #1 and #5 and #"
    )

    def test_it_equals_the_local_judge(self, judge, monkeypatch):
        # So many that every spelling of each number is among them.
        monkeypatch.setattr(requests, "MOST_LIKELIEST", 400)
        options = {"prompt": self.PROMPT, "aspects": "quality: How good?"}
        folder = models.find("bundled:causal-small")
        local = get("llm_judge")(model="bundled:causal-small", **options).load("cpu")
        local.engine.model.double()  # rounding in single precision is larger
        remote = judge(torch_server.answering(folder), seconds=60.0, **options)
        here, there = local(TEXTS), remote(TEXTS)
        assert there.reasons["quality"] == [None] * 3
        np.testing.assert_allclose(
            there.values["quality"], here.values["quality"], atol=1e-6, rtol=0
        )
        np.testing.assert_allclose(
            there.parts["quality.p"], here.parts["quality.p"], atol=1e-6, rtol=0
        )
        assert len(set(here.values["quality"])) == 3


class TestRuns:
    def test_no_more_calls_are_open_than_allowed(self, judge):
        def slow(body, n):
            return Reply(body=completion("4").body, seconds=0.05)

        loaded = judge(slow, mode="answer", at_once=3)
        loaded(TEXTS * 4)
        assert loaded.server.most_at_once == 3

    def test_progress_adds_up(self, judge):
        told = []
        judge(always("4"), mode="answer")(TEXTS, told.append)
        assert sum(told) == len(TEXTS)

    def test_progress_may_stop_it(self, judge):
        class Stopped(Exception):
            pass

        def stop(n):
            raise Stopped

        loaded = judge(always("4"), mode="answer", at_once=1)
        with pytest.raises(Stopped):
            loaded(TEXTS, stop)
        assert len(loaded.kept.calls) <= 2

    def test_a_key_refused_in_the_middle_stops_at_once(self, judge):
        def reply(body, n):
            return completion("4") if is_probe(body) else error(401, KEY)

        loaded = judge(reply, mode="answer", at_once=1)
        with pytest.raises(MetricError, match="check the variable LAB_KEY"):
            loaded(TEXTS)
        assert len(loaded.kept.calls) == 2

    def test_scores_of_two_models_are_never_mixed(self, judge):
        """The server changes its model; those who came after have no score."""

        def reply(body, n):
            changed = "Nobody" in message(body)
            return completion(
                "5" if changed else "4", model="new" if changed else "old"
            )

        loaded = judge(reply, mode="answer")
        scores = loaded(TEXTS)
        np.testing.assert_array_equal(scores.values["fluency"], [4, math.nan, 4])
        assert scores.reasons["topic"][1] == (
            "another model answered: new (fp_1) instead of old (fp_1), which answered"
            " at the start of the run"
        )
        assert scores.notes == (
            "During the run the server changed its model: answers came from new (fp_1)"
            " instead of old (fp_1) and were not scored. Start another run to score"
            " these texts under the other model.",
        )
        assert "|answered:old (fp_1)|" in loaded.signature

    def test_a_model_that_was_exchanged_is_not_asked_for_long(self, judge):
        def reply(body, n):
            probe = "nothing else" in body["messages"][0]["content"]
            return completion("4", model="old" if probe else "new")

        loaded = judge(reply, mode="answer", at_once=1)
        scores = loaded([Example(f"Text {n}.") for n in range(60)])
        assert len(loaded.kept.calls) == 1 + 50
        assert scores.reasons["fluency"][59].startswith("nobody was asked: the last 50")

    @pytest.mark.parametrize("seed", range(3))
    def test_a_score_is_what_the_server_meant_or_missing_with_a_reason(
        self, judge, seed
    ):
        """Under all misbehaviours at once; and every call is kept."""
        texts = [Example(f"Text number {n} of many.") for n in range(20)]
        meant = {example.text: n % 5 + 1 for n, example in enumerate(texts)}

        def good(body, n):
            found = [v for text, v in meant.items() if text in message(body)]
            return completion(str(found[0]) if found else "1")

        loaded = judge(
            seeded(seed, good, share=0.7), mode="answer", aspects="quality: How good?"
        )
        scores = loaded(texts)
        values, reasons = scores.values["quality"], scores.reasons["quality"]
        for example, value, reason in zip(texts, values, reasons, strict=True):
            assert math.isnan(value) == bool(reason)
            assert reason or value == meant[example.text]
        assert 2 < np.isfinite(values).sum() < 20
        assert len(loaded.kept.calls) == len(loaded.server.asked)
        assert KEY not in repr((scores, loaded.kept.calls, loaded.signature))


class TestFacts:
    def test_the_signature_says_who_was_asked_what_and_who_answered(self, judge):
        found = judge(always("4"), mode="answer").signature
        fields = [part.partition(":")[0] for part in found.split("|")]
        assert fields == [
            *("llm_judge", "answered", "aspects", "endpoint", "mode", "parameters"),
            *("prompt", "v"),
        ]
        assert "|endpoint:lab/tiny|mode:answer|" in found

    def test_whatever_changes_a_score_changes_it(self, judge):
        found = [
            judge(always("4"), mode="answer").signature,
            judge(always("4"), mode="samples").signature,
            judge(always("4"), mode="samples", samples=5).signature,
            judge(always('{"reason": "x", "score": 1}'), mode="form").signature,
            judge(always("4", logprobs=likely({"4": 1.0}))).signature,
            judge(always("4"), mode="answer", prompt="{text} {question}").signature,
            judge(always("4"), mode="answer", aspects="fluency: How?").signature,
            judge(always("4", fingerprint="fp_2"), mode="answer").signature,
            judge(always("4", model="other"), mode="answer").signature,
        ]
        assert len(set(found)) == len(found)

    def test_that_of_a_local_judge_is_as_it_was(self):
        assert get("llm_judge")(model="m").signature() == (
            "llm_judge|aspects:quality: How good is the text?|chat:True|dtype:float32"
            "|model:m|prompt:|v:4"
        )

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"mode": "samples"}, "mode=samples: a model on this machine does not"),
            ({"samples": 5}, "samples=5: a model on this machine"),
            (
                {"model": "endpoint:lab/x", "dtype": "bfloat16"},
                "dtype=bfloat16: a model",
            ),
            (
                {"model": "endpoint:lab/x", "chat": "false"},
                "chat=False: a model behind",
            ),
            ({"model": "endpoint:lab"}, "expected endpoint:NAME/MODEL"),
            ({"model": "endpoint:lab/x", "samples": 1}, "a whole number from 2 to 100"),
        ],
    )
    def test_options_that_do_not_go_together_are_refused(self, options, said):
        with pytest.raises(OptionError, match=said):
            get("llm_judge")(**options).check()

    def test_series_are_there_where_numbers_have_shares(self):
        def series(mode):
            return len(get("llm_judge")(model="endpoint:lab/x", mode=mode).series)

        assert [series(m) for m in ("logprobs", "samples", "answer", "form")] == (
            [1, 1, 0, 0]
        )

    def test_other_metrics_say_that_they_need_a_model_here(self):
        with pytest.raises(MetricError, match="needs a model on this machine"):
            get("corpus_perplexity")(model="endpoint:lab/tiny").load("cpu")

    def test_listing_metrics_imports_no_client(self):
        code = (
            "import sys; from scoring.metrics import get; get('llm_judge')().check()\n"
            "print({'openai', 'tenacity', 'httpx2'} & set(sys.modules))"
        )
        found = subprocess.run([sys.executable, "-c", code], capture_output=True)
        assert found.stdout.strip() == b"set()", found.stderr


class TestCommandLine:
    ARGUMENTS = ("llm_judge", "--model", "endpoint:lab/tiny", "--mode", "answer")

    def run(self, monkeypatch, capsys, *arguments):
        given = b'{"id": 1, "text": "The ferry left."}\n{"text": "Nobody spoke."}\n'
        stdin = io.TextIOWrapper(io.BytesIO(given))
        monkeypatch.setattr(sys, "stdin", stdin)
        status = command.main([*self.ARGUMENTS, *arguments])
        return status, capsys.readouterr()

    def test_it_works_without_the_site(self, judge, monkeypatch, capsys):
        def reply(body, n):
            return completion("well" if "Nobody" in message(body) else "4")

        judge(reply, mode="answer")  # writes the file and starts the server
        aspects = "quality: How good is the text?"
        status, said = self.run(monkeypatch, capsys, "--aspects", aspects)
        first, second = map(json.loads, said.out.splitlines())
        assert status == 0 and first == {"id": 1, "quality": 4.0}
        assert second == {
            "quality": None,
            "reasons": {"quality": "the answer is not one number: “well”"},
        }
        assert said.err.startswith("signature: llm_judge|answered:tiny (fp_1)|")

    def test_an_endpoint_that_is_not_there_is_said_in_a_sentence(
        self, monkeypatch, capsys, tmp_path
    ):
        monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "none"))
        status, said = self.run(monkeypatch, capsys)
        assert status == 2 and said.out == ""
        assert said.err.startswith("there is no endpoint lab; there are: none.")


class TestKeys:
    """After every failure there is: no key in a log, an error, a record or a repr."""

    def test_no_key_is_anywhere(self, judge, caplog, capsys):
        caplog.set_level(logging.DEBUG)
        names = [name for name in MISBEHAVIOURS if name != "hang"]

        def reply(body, n):
            if is_probe(body):
                return completion("1", fingerprint=KEY)
            return next(
                MISBEHAVIOURS[name]() for name in names if f"<{name}>" in message(body)
            )

        loaded = judge(reply, mode="answer")
        scores = loaded([Example(f"<{name}>") for name in names])
        assert np.isnan(scores.values["fluency"]).all()
        client = loaded.client
        shown = [scores, loaded.kept.calls, loaded.signature, client.identity]
        shown += [vars(client), vars(client.line()), client.endpoint]
        shown += [client.respondents.others]
        assert KEY not in repr(shown) and "LAB_KEY" in repr(shown)
        assert "[key]" in repr(loaded.kept.calls)
        self._nowhere(caplog, capsys)

    def test_nor_in_the_traceback_of_a_refused_key(self, judge, caplog, capsys):
        caplog.set_level(logging.DEBUG)

        def reply(body, n):
            return completion("4") if is_probe(body) else error(401, KEY)

        loaded = judge(reply, mode="answer")
        with pytest.raises(MetricError) as caught:
            loaded(TEXTS)
        told = traceback.TracebackException.from_exception(
            caught.value, capture_locals=True
        )
        ours = "".join(told.format())
        assert KEY not in ours and "LAB_KEY" in ours
        assert KEY not in repr(loaded.kept.calls)
        self._nowhere(caplog, capsys)

    def _nowhere(self, caplog, capsys):
        assert caplog.records, "the libraries log at this level"
        assert KEY not in caplog.text
        assert all(KEY not in repr(vars(one)) for one in caplog.records)
        said = capsys.readouterr()
        assert KEY not in said.out + said.err
