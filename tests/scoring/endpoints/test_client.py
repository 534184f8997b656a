"""What is tried again and what is not; that every attempt is kept; that limits hold."""

import math
from base64 import b64encode
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import quote

import pytest

from scoring.endpoints import event_loop, readings
from scoring.endpoints.call_records import InMemory
from scoring.endpoints.client import Client
from scoring.endpoints.respondents import Identity
from scoring.endpoints.transport import Connection
from scoring.metrics import Example, MetricError
from scoring.metrics.judge import rating_requests
from scoring.metrics.judge.questions import Question
from tests.scoring.endpoints.servers import (
    KEY,
    MISBEHAVIOURS,
    Clock,
    Reply,
    Server,
    completion,
    endpoint,
    error,
)

ASKED = Question("quality", "How good?")


class Asked:
    """A client after one question, with what it kept and how it waited."""

    def __init__(self, *replies, seconds=5.0, mode="answer", **fields):
        self.clock, self.kept = Clock(), InMemory()

        def reply(body, n):
            return replies[min(n, len(replies) - 1)]

        with Server(reply).running() as self.server:
            self.client = Client(
                endpoint(self.server, **fields),
                "tiny",
                keeper=self.kept,
                waits=self.clock.waits(seconds),
                shared=self.clock.limits(),
            )
            self.found = event_loop.run(self._ask(mode))

    async def _ask(self, mode):
        request = rating_requests.request(Example("A text."), ASKED, "", mode)
        async with self.client.line() as line:
            return await self.client.ask(
                line, request, 1, lambda given: readings.MODES[mode](given, ASKED)
            )

    @property
    def statuses(self):
        return [call.status for call in self.kept.calls]


class TestRetries:
    @pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
    def test_what_passes_by_itself_is_tried_again(self, status):
        asked = Asked(error(status), error(status), completion("4"))
        assert asked.found.score == 4 and asked.statuses == [status, status, 200]
        assert [call.attempt for call in asked.kept.calls] == [1, 2, 3]

    @pytest.mark.parametrize("status", [400, 403, 404, 422, 302])
    def test_what_stays_wrong_is_not(self, status):
        asked = Asked(error(status, "no such thing", Location="/v1/other"))
        assert math.isnan(asked.found.score) and asked.statuses == [status]
        assert asked.found.reason == (
            f"the server answered with the error {status}: “no such thing”"
        )

    @pytest.mark.parametrize("name", ["cut", "truncated JSON"])
    def test_half_an_answer_is_tried_again(self, name):
        asked = Asked(MISBEHAVIOURS[name](), completion("2"))
        assert asked.found.score == 2 and len(asked.kept.calls) == 2

    def test_a_server_that_hangs_is_left_after_a_while_and_tried_again(self):
        asked = Asked(Reply(seconds=1.0), completion("2"), seconds=0.3)
        assert asked.found.score == 2 and asked.statuses == [None, 200]
        assert asked.kept.calls[0].problem == "timed out"

    def test_after_five_attempts_there_is_a_reason(self):
        asked = Asked(Reply(seconds=0.6), seconds=0.2)
        assert asked.found.reason == "timed out 5 times"
        assert asked.statuses == [None] * 5
        asked = Asked(error(503, "too busy"))
        assert asked.found.reason == (
            "the server answered with the error 503: “too busy”; asked 5 times without"
            " success"
        )

    def test_a_server_that_is_not_there_is_a_broken_connection(self):
        server, clock = Server(None), Clock()
        with server.running():
            pass
        client = Client(
            endpoint(server), "tiny", waits=clock.waits(), shared=clock.limits()
        )

        async def probe():
            async with client.line() as line:
                await client.probe(line)

        with pytest.raises(MetricError, match="the connection broke; asked 5 times"):
            event_loop.run(probe())

    def test_pauses_grow_with_jitter(self):
        first, second, third, fourth = Asked(error(500)).clock.slept
        assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4 <= fourth <= 8

    def test_retry_after_is_obeyed_to_the_second(self):
        asked = Asked(error(429, Retry_After="7"), completion("4"))
        assert asked.found.score == 4 and sum(asked.clock.slept) == 7

    def test_everybody_waits_when_one_was_told_to(self):
        asked = Asked(error(429, Retry_After="9"), completion("4"))
        seconds, booking = asked.client.admission.limits.reserve(1)
        assert (seconds, booking is None) == (0, False)
        asked.client.admission.limits.pause(9)
        assert asked.client.admission.limits.reserve(1) == (9, None)

    def test_too_much_patience_is_a_reason(self):
        asked = Asked(error(429, Retry_After="86400"))
        assert "wants 86400 seconds of patience" in asked.found.reason
        assert asked.clock.slept == []

    def test_retry_after_may_be_a_date(self):
        line = Connection(None, None, seconds=1, now=lambda: 1_000.0)
        at = datetime.fromtimestamp(1_030, UTC)
        assert line._retry_after(format_datetime(at, usegmt=True)) == 30
        assert line._retry_after("Thu, 01 Jan 1970 00:00:00 GMT") == 0
        for nothing in (None, "", "soon", "-1", "1e9", "٣"):
            assert line._retry_after(nothing) is None


class TestReadings:
    def test_an_unreadable_answer_is_asked_for_twice_again(self):
        asked = Asked(completion("well"), completion(""), completion("3"))
        assert asked.found.score == 3 and asked.statuses == [200] * 3
        asked = Asked(completion("well"))
        assert asked.statuses == [200] * 3
        assert asked.found.reason == "the answer is not one number: “well”"
        assert {call.problem for call in asked.kept.calls} == {asked.found.reason}

    def test_an_envelope_of_another_kind_is_too(self):
        asked = Asked(MISBEHAVIOURS["wrong schema"]())
        assert asked.statuses == [200] * 3
        assert asked.found.reason.endswith("something else than a chat completion")

    @pytest.mark.parametrize("name", ["refusal", "content filter", "cut off"])
    def test_an_answer_that_is_clear_is_not(self, name):
        assert Asked(MISBEHAVIOURS[name]()).statuses == [200]

    def test_no_log_probabilities_is_a_fact_and_not_asked_again(self):
        asked = Asked(completion("4"), mode="logprobs")
        assert asked.statuses == [200] and "no log-prob" in asked.found.reason

    def test_a_filter_that_answers_with_400_is_a_filter(self):
        asked = Asked(error(400, "content_filter"))
        assert asked.found.reason == "blocked by a content filter"

    def test_an_answer_that_never_ends_is_not_read_to_its_end(self):
        asked = Asked(Reply(body=b"x" * 5_000_000))
        assert asked.found.reason == "the answer is too large"


class TestRecords:
    def test_a_call_is_kept_with_all_that_is_known(self):
        (call,) = Asked(completion("4")).kept.calls
        assert (call.endpoint, call.model_asked) == ("lab", "tiny")
        assert (call.model_answered, call.fingerprint) == ("tiny", "fp_1")
        assert (call.sample, call.attempt, call.status) == (1, 1, 200)
        assert (call.tokens_in, call.tokens_out) == (50, 3)
        assert (call.finish_reason, call.problem) == ("stop", "")
        assert call.prompt_hash.startswith("sha256:") and len(call.prompt_hash) == 71
        assert call.parameters == '{"max_tokens": 512, "temperature": 0}'
        assert '"content": "4"' in call.answer and call.milliseconds == 0

    def test_who_does_not_say_its_name_is_not_called_by_the_one_asked_for(self):
        (call,) = Asked(completion("4", model="")).kept.calls
        assert call.model_answered is None

    def test_a_long_answer_is_cut(self):
        (call, *_) = Asked(completion("x" * 100_000)).kept.calls
        assert len(call.answer) == 20_000


class TestKeys:
    def test_the_key_is_sent_and_nobody_elses(self, monkeypatch):
        monkeypatch.setenv("LAB_KEY", f"{KEY}\n")
        for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
            monkeypatch.setenv(f"OPENAI_{name}", "foreign")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: foreign")
        with_key = Asked(completion("4"), key_env="LAB_KEY")
        assert with_key.found.score == 4
        (headers,) = with_key.server.headers
        assert headers["authorization"] == f"Bearer {KEY}"
        (without,) = Asked(completion("4")).server.headers
        assert "authorization" not in {name.lower() for name in without}
        assert "foreign" not in str(headers) + str(without)
        assert {name.lower() for name in headers} == {
            *("host", "accept", "content-type", "content-length", "user-agent"),
            *("authorization", "x-stainless-raw-response"),
        }

    def test_a_key_that_is_refused_stops_all_and_names_the_variable(self, monkeypatch):
        monkeypatch.setenv("LAB_KEY", KEY)
        with pytest.raises(MetricError, match="check the variable LAB_KEY") as caught:
            Asked(error(401, KEY), key_env="LAB_KEY")
        assert KEY not in str(caught.value)
        with pytest.raises(MetricError, match="name the variable that holds it as key"):
            Asked(error(401))

    @pytest.mark.parametrize("spelled", [quote, lambda key: b64encode(key).decode()])
    def test_no_spelling_of_it_is_kept_or_shown(self, monkeypatch, spelled):
        monkeypatch.setenv("LAB_KEY", "sk-very/secret+0123")
        said = spelled(b"Bearer sk-very/secret+0123")
        asked = Asked(completion(said), key_env="LAB_KEY")
        (call, *_) = asked.kept.calls
        assert said not in call.answer and "[key]" in call.answer
        (call, *_) = Asked(error(400, said), key_env="LAB_KEY").kept.calls
        assert said not in call.problem and "[key]" in call.problem

    def test_a_variable_that_is_not_set_is_named(self, monkeypatch):
        monkeypatch.delenv("LAB_KEY", raising=False)
        with pytest.raises(MetricError, match="LAB_KEY, which holds .*, is not set"):
            Asked(completion("4"), key_env="LAB_KEY")
        monkeypatch.setenv("LAB_KEY", "sk\nbad")
        with pytest.raises(MetricError, match="characters that no key can have") as bad:
            Asked(completion("4"), key_env="LAB_KEY")
        assert "bad" not in str(bad.value)


class TestWhoAnswers:
    def test_another_model_than_that_of_the_probe_is_no_score_if_it_is_split(self):
        clock, kept = Clock(), InMemory()
        replies = iter(
            [completion("1"), completion("4"), completion("4", model="huge")]
        )
        with Server(lambda *_: next(replies)).running() as server:
            client = Client(
                endpoint(server, changes="split"),
                "tiny",
                keeper=kept,
                waits=clock.waits(),
                shared=clock.limits(),
            )

            async def asked():
                request = rating_requests.request(
                    Example("A text."), ASKED, "", "answer"
                )
                async with client.line() as line:
                    await client.probe(line)
                    return [
                        await client.ask(
                            line, request, n, lambda g: readings.answer(g, ASKED)
                        )
                        for n in (1, 2)
                    ]

            same, other = event_loop.run(asked())
        assert same.score == 4 and math.isnan(other.score)
        assert other.reason == (
            "another model answered: huge (fp_1) instead of tiny (fp_1), which answered"
            " at the start of the run"
        )
        assert client.respondents.others == {Identity("huge", "fp_1"): 1}
        assert [call.sample for call in kept.calls] == [0, 1, 2]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [({}, "json_schema"), ({"schemas": "json_object"}, "json_object")],
)
def test_a_schema_is_sent_as_the_server_takes_it(fields, kind):
    asked = Asked(completion('{"reason": "x", "score": 4}'), mode="form", **fields)
    assert asked.found.score == 4
    sent = asked.server.asked[-1]["response_format"]
    schema = sent["schema"] if kind == "json_object" else sent[kind]["schema"]
    assert sent["type"] == kind and schema["required"] == ["reason", "score"]
    assert '"json_schema"' in asked.kept.calls[-1].parameters  # what was meant
