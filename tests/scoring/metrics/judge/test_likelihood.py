"""Log-probabilities of texts over a server: those of the local model, or a reason."""

import math

import numpy as np
import pytest

from scoring.endpoints import completions
from scoring.endpoints.call_records import InMemory
from scoring.endpoints.client import Client
from scoring.endpoints.text_requests import ScoredText
from scoring.metrics import Example, MetricError, OptionError, get, models
from scoring.metrics._cdm import remote
from scoring.metrics._engine.likelihood import Text
from scoring.metrics._engine.likelihood import causal as local_engine
from scoring.metrics.judge import likelihood
from tests.scoring.endpoints import torch_server
from tests.scoring.endpoints.servers import (
    KEY,
    Clock,
    Reply,
    Server,
    completion,
    endpoint,
    error,
)
from tests.scoring.endpoints.texts_server import continued, words

WAYS = ("prompt_logprobs", "echo")
TEXTS = [
    Example("The ferry left the harbour at seven.", prefix="The ferry"),
    Example("Nobody spoke. It was late.", source="It was a long evening.\nAt last"),
    Example("The"),
]


@pytest.fixture
def engine(monkeypatch):
    """An engine over a server that answers as it is told."""
    monkeypatch.setenv("LAB_KEY", KEY)
    running = []

    def made(reply, model="tiny", **fields):
        server = Server(reply)
        running.append(server.running())
        running[-1].__enter__()
        clock, kept = Clock(), InMemory()
        client = Client(
            endpoint(server, key_env="LAB_KEY", **fields),
            model,
            keeper=kept,
            waits=clock.waits(600.0),
            shared=clock.limits(),
        )
        found = likelihood.over(client)
        found.server, found.kept = server, kept
        return found

    yield made
    for one in running:
        one.__exit__(None, None, None)


def folder(name="nano"):
    return models.find(f"bundled:causal-{name}")


class TestSameModel:
    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("tokens", ["all", "generation"])
    def test_perplexity_equals_that_of_the_local_model(self, engine, way, tokens):
        here = get("perplexity")(model="bundled:causal-nano", tokens=tokens)
        there = get("perplexity")(model="endpoint:lab/tiny", tokens=tokens)
        scorer = here.load("cpu")
        scorer.engine.model.double()
        expected = scorer(TEXTS)
        found = there.over(engine(torch_server.continuing(folder(), way)))(TEXTS)
        assert found.reasons == expected.reasons == {"nll": [None] * 3}
        np.testing.assert_allclose(
            found.values["nll"], expected.values["nll"], rtol=1e-6
        )

    @pytest.mark.parametrize("way", WAYS)
    def test_without_a_mark_before_it_the_first_token_is_given(self, engine, way):
        reply = torch_server.continuing(folder(), way, start=False)
        metric = get("perplexity")(model="endpoint:lab/tiny")
        scorer = metric.over(engine(reply))
        found = scorer(TEXTS)
        local = local_engine(
            models.causal(folder(), device="cpu", dtype="float32").double()
        )
        tokenizer = models.tokenizer(folder())
        ids = [
            tuple(tokenizer(one.text, add_special_tokens=False)["input_ids"])
            for one in TEXTS
        ]
        expected = -local.mean_logprobs([Text(one, 1) for one in ids])
        np.testing.assert_allclose(found.values["nll"], expected, rtol=1e-6)
        assert found.reasons["nll"] == [None, None, "there is no token to score"]
        assert "first token given" in scorer.signature

    def test_cdm_equals_that_of_the_local_models(self, engine):
        options = {"expert": "bundled:causal-small", "amateur": "bundled:causal-nano"}
        scorer = get("cdm")(**options).load("cpu")
        for one in (scorer.contrast.expert, scorer.contrast.amateur):
            one.model.double()
        expected = scorer(TEXTS)
        expert, amateur = (
            engine(torch_server.continuing(folder(name), way))
            for name, way in (("small", "echo"), ("nano", "prompt_logprobs"))
        )
        metric = get("cdm")(expert="endpoint:lab/tiny", amateur="endpoint:b/tiny")
        found = metric.over(remote.over(expert, amateur, "auto"))(TEXTS)
        assert found.reasons == expected.reasons
        # Differences of log-probabilities, of which the local ones are single numbers
        # of 32 bits in their last layer.
        for key, values in expected.values.items():
            np.testing.assert_allclose(found.values[key], values, atol=1e-5)
        np.testing.assert_allclose(found.parts["m"], expected.parts["m"], atol=1e-5)
        np.testing.assert_array_equal(found.parts["m.ends"], expected.parts["m.ends"])

    def test_log_probabilities_equal_those_of_the_local_model(self, engine):
        given = [
            ScoredText(one.text, f"{one.source}\n" * bool(one.source)) for one in TEXTS
        ]
        found = engine(torch_server.continuing(folder("small"), "echo")).logprobs(given)
        local = get("cdm")(expert="bundled:causal-small", amateur="bundled:causal-nano")
        contrast = local.load("cpu").contrast
        contrast.expert.model.double()
        asked = [contrast._asker([contrast._given(one)])[0] for one in TEXTS[1:]]
        for one, other in zip(found[1:], contrast.expert.logprobs(asked), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)

    def test_bartscore_is_that_of_the_text_given_its_source(self, engine):
        metric = get("bartscore")(model="endpoint:lab/tiny", directions="source")
        found = metric.over(engine(torch_server.continuing(folder(), "echo")))(
            [TEXTS[1], Example("Alone.")]
        )
        local = local_engine(
            models.causal(folder(), device="cpu", dtype="float32").double()
        )
        tokenizer = models.tokenizer(folder())
        before, whole = (
            tokenizer(one, add_special_tokens=False)["input_ids"]
            for one in (TEXTS[1].source, f"{TEXTS[1].source}\n{TEXTS[1].text}")
        )
        text = Text((tokenizer.bos_token_id, *whole), len(before) + 1)
        expected = local.mean_logprobs([text])[0]
        np.testing.assert_allclose(
            found.values["faithfulness"], [expected, math.nan], rtol=1e-6
        )
        assert found.reasons["faithfulness"][1] == (
            "there is neither a source nor a prefix"
        )

    def test_bartscore_takes_the_best_reference(self, engine):
        metric = get("bartscore")(model="endpoint:lab/tiny", directions="references")
        found = metric.over(engine(words({"well.": 0.9, " well.": 0.9})))(
            [Example("All is well.", references=("It is fine.", "Quite well."))]
        )
        assert found.parts["recall.s"][0, 1] > found.parts["recall.s"][0, 0]
        assert found.values["recall"][0] == found.parts["recall.s"][0, 1]


class TestWhatIsTried:
    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("shift", [-1, 1])
    def test_numbers_of_other_tokens_are_found_out(self, engine, way, shift):
        """As llama-cpp-python sends them where a model has no mark before a text."""
        with pytest.raises(MetricError, match="do not belong to its tokens"):
            engine(torch_server.continuing(folder(), way, shift=shift))

    def test_what_the_server_offers_is_asked_for(self, engine):
        made = engine(torch_server.continuing(folder(), "prompt_logprobs"))
        assert made.way == ("prompt_logprobs", True)
        assert len(made.server.asked) == 3
        asked = {"prompt_logprobs": 0, "logprobs": 1, "max_tokens": 1, "temperature": 0}
        assert made.server.asked[-1].items() >= asked.items()

    @pytest.mark.parametrize(
        ("reply", "said"),
        [
            (words(way="neither"), "no log-probabilities of the text$"),
            (lambda body, n: completion("4"), "something else than a completion"),
            (lambda body, n: error(404), "answered with the error 404"),
            (
                lambda body, n: (
                    error(400, "logits_all=False")
                    if "echo" in body
                    else words(way="")(body, n)
                ),
                "with prompt_logprobs, the server sent no .*; with echo, the server"
                " answered with the error 400: “logits_all=False”",
            ),
        ],
    )
    def test_a_server_without_them_is_told_in_a_sentence(self, engine, reply, said):
        with pytest.raises(MetricError, match=said) as caught:
            engine(reply)
        assert str(caught.value).startswith("the endpoint lab ")

    def test_a_server_that_never_writes_a_word_is_not_trusted(self, engine):
        def silent(body, n):
            told = [("<s>", None), (body["prompt"], -1.0)]
            return continued(body["prompt"], None, told, "prompt_logprobs", body)

        with pytest.raises(MetricError, match="not certain that its log-prob"):
            engine(silent)


class TestReasons:
    def nll(self, made, *examples, **options):
        metric = get("perplexity")(model="endpoint:lab/tiny", **options)
        return metric.over(made)(list(examples))

    def test_each_text_has_a_number_or_a_reason(self, engine):
        good = words(start="<s>")

        def reply(body, n):
            text = body["prompt"]
            if "none" in text:
                return words(start="<unk>")(body, n)
            if "cut" in text:
                return good({**body, "prompt": text[:8]}, n)
            if "long" in text:
                return error(400, f"too many tokens, {KEY}")
            if "other" in text:
                return words(start="<s>", model="huge")(body, n)
            if "broken" in text:
                return Reply(body=b'{"choices": [{"text": ""')
            return good(body, n)

        texts = ["All is well.", " ", "A none.", "It is cut off here.", "So long."]
        texts += ["The other.", "It is broken.", "All is well."]
        found = self.nll(engine(reply, changes="split"), *map(Example, texts))
        assert found.values["nll"][0] == found.values["nll"][-1] == math.log(2)
        assert np.isnan(found.values["nll"]).tolist() == [
            bool(one) for one in found.reasons["nll"]
        ]
        reasons = found.reasons["nll"]
        assert reasons[1] == "there is no token to score"
        assert reasons[3] == "the tokens that the server sent do not spell the text"
        assert reasons[4].endswith("error 400: “too many tokens, [key]”")
        assert reasons[5].startswith("another model answered: huge (fp_1) instead of")
        assert reasons[6] == (
            "the server sent incomplete JSON; asked 5 times without success"
        )
        assert found.notes[0].startswith("During the run the server changed its model")

    @pytest.mark.parametrize("log", [-9999.0, -1e400])
    def test_no_probability_at_all_is_no_number(self, engine, log):
        def reply(body, n):
            if "never" not in body["prompt"]:
                return words(start="<s>")(body, n)
            told = [("<s>", None), ("never", log)]
            return continued("never", (" so", -1.0), told, "echo", body)

        found = self.nll(engine(reply), Example("never"))
        assert found.reasons["nll"] == ["the model gives no finite probability"]

    @pytest.mark.parametrize("log", [0.5, "x", None, True])
    def test_what_is_no_log_probability_is_refused(self, engine, log):
        def reply(body, n):
            if "odd" not in body["prompt"]:
                return words(start="<s>")(body, n)
            told = [("<s>", None), ("It", -1.0), (" is", log), (" odd", -1.0)]
            return continued("It is odd", (" so", -1.0), told, "echo", body)

        found = self.nll(engine(reply), Example("It is odd"))
        assert math.isnan(found.values["nll"][0])
        assert "log-probabilit" in found.reasons["nll"][0]

    def test_a_token_on_both_sides_of_the_prefix_leaves_no_number(self, engine):
        found = self.nll(
            engine(words(start="<s>")),
            Example("The ferryman left.", prefix="The ferry"),
            Example("The ferry left.", prefix="The ferry"),
            Example("Another", prefix="The"),
            tokens="generation",
        )
        assert found.reasons["nll"] == [
            "a token of the server stands on both sides of where the scored text"
            " begins",
            None,
            "the text does not start with its prefix",
        ]

    def test_two_models_that_split_a_text_differently_are_not_compared(self, engine):
        def letters(body, n):
            text = body["prompt"]
            if "left" not in text:
                return words(start="<s>")(body, n)
            told = [("<s>", None), *((one, -1.0) for one in text)]
            return continued(text, (" so", -1.0), told, "echo", body)

        expert, amateur = engine(words(start="<s>"), "one"), engine(letters)
        contrast = remote.over(expert, amateur, "auto")
        metric = get("cdm")(expert="endpoint:lab/tiny", amateur="endpoint:lab/tiny")
        found = metric.over(contrast)([Example("It left."), Example("So it is.")])
        assert found.reasons["mean"] == [
            "the two models split the text into different tokens",
            None,
        ]

    def test_a_key_refused_in_the_middle_stops_at_once(self, engine):
        def reply(body, n):
            if "left" in body["prompt"] and "ferry" not in body["prompt"]:
                return error(401, KEY)
            return words(start="<s>")(body, n)

        made = engine(reply)
        with pytest.raises(MetricError, match="check the variable LAB_KEY"):
            self.nll(made, Example("It left."))
        assert KEY not in repr(made.kept.calls)

    def test_the_whole_answer_is_kept_so_that_it_can_be_used_again(self, engine):
        made = engine(words(start="<s>"))
        self.nll(made, Example("word " * 2_000 + "end"))
        kept = made.kept.calls[-1]
        assert kept.answer.endswith("}") and len(kept.answer) > 50_000


class TestOptions:
    @pytest.mark.parametrize(
        ("name", "options", "said"),
        [
            ("perplexity", {"bos": "false"}, "bos=False: a model behind an address"),
            ("perplexity", {"dtype": "bfloat16"}, "dtype=bfloat16: a model behind"),
            ("perplexity", {"form": "from_mask"}, "has form=causal only"),
            ("perplexity", {"model": "endpoint:lab"}, "expected endpoint:NAME/MODEL"),
            ("bartscore", {"dtype": "bfloat16"}, "dtype=bfloat16: a model behind"),
            ("cdm", {"amateur": "bundled:causal-nano"}, "or both behind an address"),
            ("cdm", {"probe": "p"}, "probe=p: a model behind an address"),
        ],
    )
    def test_those_of_local_models_are_refused(self, name, options, said):
        named = {"model": "endpoint:lab/x"}
        if name == "cdm":
            named = {"expert": "endpoint:lab/x", "amateur": "endpoint:lab/y"}
        with pytest.raises(OptionError, match=said):
            get(name)(**{**named, **options}).check()

    def test_the_same_model_twice_is_no_pair(self, engine):
        reply = words(start="<s>")
        with pytest.raises(MetricError, match="are the same model"):
            remote.over(engine(reply), engine(reply), "auto")

    def test_the_signature_says_who_was_asked_and_who_answered(self, engine):
        metric = get("perplexity")(model="endpoint:lab/tiny")
        split = metric.over(engine(words(start="<s>"), changes="split")).signature
        assert split == (
            "perplexity|bos:server|dtype:server|form:causal|model:endpoint:lab/tiny"
            " answered by tiny (fp_1), echo, first token scored|tokens:all|v:1"
        )
        usual = metric.over(engine(words(start="<s>"))).signature
        assert usual == split.replace(" answered by tiny (fp_1)", "")


def test_a_prompt_is_asked_once_whoever_needs_it(engine):
    made = engine(words(start="<s>"))
    before = len(made.server.asked)
    logs = made.logprobs(
        [ScoredText("It is"), ScoredText("It is"), ScoredText("is", "It ")]
    )
    assert [len(one) for one in logs] == [2, 2, 0]
    assert len(made.server.asked) - before == 2


class TestKept:
    @pytest.mark.parametrize("way", WAYS)
    def test_the_same_is_read_from_what_is_kept(self, way):
        reply = torch_server.continuing(folder(), way)
        body = {"prompt": "The ferry left, 没有人.", "logprobs": 1, way: 1}
        sent = reply(body, 0).body.decode()
        kept = completions.compact(sent)
        assert completions.parsed(kept) == completions.parsed(sent)
        assert completions.compact(kept) == kept and kept.isascii()
        assert len(kept) < len(sent)

    def test_no_probability_stays_none(self):
        told = [("<s>", None), ("It", -9999.0), (" is", -0.1)]
        sent = continued(
            "It is", (" so", -1.0), told, "echo", {"echo": 1, "logprobs": 1}
        )
        one = completions.parsed(completions.compact(sent.body.decode()))
        assert [piece.log for piece in one.written] == [None, -math.inf, -0.1, -1.0]

    @pytest.mark.parametrize("body", ["", "{", '{"choices": []}', '{"error": "no"}'])
    def test_what_cannot_be_read_is_kept_as_it_came(self, body):
        assert completions.compact(body) == body
