"""Runs that ask for log-probabilities of texts over the network: the local numbers."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest
from django.utils import timezone

from annotation.models import Generation, Reference
from evalapp.work import leases
from scoring import runs
from scoring.endpoints import admission
from scoring.judging import budget, capability_probe, estimates, identities
from scoring.judging.ledger import Limit
from scoring.metrics import get, models
from scoring.metrics._engine.likelihood import Text
from scoring.metrics._engine.likelihood import causal as local_engine
from scoring.models import Chunk, JudgeCall, MetricRun, Score
from scoring.runs import RunError, loading, starting
from scoring.scores.examples import examples_of
from tests.scoring.endpoints import torch_server
from tests.scoring.endpoints.servers import KEY, Server, completion, error
from tests.scoring.endpoints.texts_server import words
from tests.scoring.working import work
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)
LAB, OTHER = "endpoint:lab/tiny", "endpoint:other/tiny"
PRICES = "price_in = 1.0\nprice_out = 2.0\n"
SPLIT = f'{PRICES}\nchanges = "split"\n'
GOOD = words(start="<s>")


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.setattr("scoring.endpoints.client.FIRST_PAUSE", 0.001)
    catch(monkeypatch, "score_chunk", lambda pk: pytest.fail("waits for a GPU"))
    catch(monkeypatch, "score_chunk", lambda pk: None, queue="judges")
    yield
    loading.forget_all()


@pytest.fixture
def serve(monkeypatch, settings, tmp_path):
    """Servers by the names of their endpoints."""
    monkeypatch.setenv("LAB_KEY", KEY)
    settings.DATA_DIR = tmp_path
    with ExitStack() as stack:

        def start(more=PRICES, **replies):
            found, tables = [], []
            for name, reply in replies.items():
                found.append(stack.enter_context(Server(reply).running()))
                table = f'[judges.{name}]\nurl = "{found[-1].url}"\nmodels = ["tiny"]\n'
                tables.append(f'{table}key_env = "LAB_KEY"\n{more}')
            (tmp_path / "judges.toml").write_text("\n".join(tables))
            monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "judges.toml"))
            return found[0] if len(found) == 1 else found

        yield start


def start(study, metric="perplexity", calls=1000, cost=None, **options):
    if metric != "cdm":
        options = {"model": LAB, **options}
    return runs.start(
        study=study, metric=metric, options=options, limit=Limit(calls, cost)
    )


def done(run):
    work(run, now=timezone.now())
    return run


def scored(run, output="nll"):
    """Values and reasons, by text."""
    found = Score.objects.filter(signature=run.signature, output=output)
    return list(found.order_by("generation").values_list("value", "reason"))


def values(run, output="nll"):
    return np.array([value for value, _ in scored(run, output)], dtype=float)


def examples(study):
    rows = study.generations.order_by("pk").select_related("prompt__label")
    return examples_of(list(rows.prefetch_related("prompt__references")))


def of_texts(run):
    return run.calls.filter(sample=1)


def folder(name="nano"):
    return models.find(f"bundled:causal-{name}")


class TestSameModel:
    @pytest.mark.parametrize("way", ["prompt_logprobs", "echo"])
    @pytest.mark.parametrize("tokens", ["all", "generation"])
    def test_perplexity_is_that_of_the_local_model(
        self, make_study, serve, way, tokens
    ):
        study = make_study(systems=("a", "b"))
        here = get("perplexity")(model="bundled:causal-nano", tokens=tokens).load("cpu")
        here.engine.model.double()
        expected = here(examples(study)).values["nll"]
        serve(lab=torch_server.continuing(folder(), way))
        run = done(start(study, tokens=tokens))
        assert run.state == "done" and run.notes == []
        np.testing.assert_allclose(values(run), expected, rtol=1e-6)
        assert f"endpoint:lab/tiny, {way}," in run.signature.text

    def test_bartscore_is_that_of_a_text_behind_its_prefix(self, make_study, serve):
        study = make_study(systems=("a", "b"))
        tokenizer = models.tokenizer(folder())

        def ids(text):
            return tokenizer(text, add_special_tokens=False)["input_ids"]

        model = models.causal(folder(), device="cpu", dtype="float32").double()
        texts = [
            Text(
                (tokenizer.bos_token_id, *ids(f"{one.prefix}\n{one.text}")),
                len(ids(one.prefix)) + 1,
            )
            for one in examples(study)
        ]
        expected = local_engine(model).mean_logprobs(texts)
        serve(lab=torch_server.continuing(folder(), "echo"))
        run = done(start(study, "bartscore", directions="source"))
        np.testing.assert_allclose(values(run, "faithfulness"), expected, rtol=1e-6)

    def test_cdm_is_that_of_two_local_models(self, make_study, serve):
        study = make_study(systems=("a", "b"))
        local = {"expert": "bundled:causal-small", "amateur": "bundled:causal-nano"}
        scorer = get("cdm")(**local).load("cpu")
        for one in (scorer.contrast.expert, scorer.contrast.amateur):
            one.model.double()
        expected = scorer(examples(study)).values
        serve(
            lab=torch_server.continuing(folder("small"), "echo"),
            other=torch_server.continuing(folder("nano"), "prompt_logprobs"),
        )
        run = done(start(study, "cdm", expert=LAB, amateur=OTHER))
        assert run.state == "done"
        for key in expected:
            # The local models' last layers give numbers of 32 bits.
            np.testing.assert_allclose(values(run, key), expected[key], atol=1e-5)
        asked = {one.endpoint for one in identities.judges_of(run.signature)}
        assert asked == {"lab", "other"}


class TestWhatItTakes:
    @pytest.mark.parametrize(
        ("metric", "options"),
        [
            ("perplexity", {"model": LAB}),
            ("bartscore", {"model": LAB}),
            ("cdm", {"expert": LAB, "amateur": OTHER}),
            ("cdm", {"expert": LAB, "amateur": OTHER, "held_out": "held.txt"}),
        ],
    )
    def test_what_was_told_before_is_what_is_asked(
        self, make_study, serve, settings, tmp_path, metric, options
    ):
        settings.MODELS_DIR = tmp_path
        (tmp_path / "held.txt").write_text("It is late.\nNobody is here.\n")
        study = make_study(systems=("a", "b"))
        first, second, *_ = Generation.objects.order_by("pk")
        Generation.objects.filter(pk=second.pk).update(text=first.text)
        for prompt in study.prompts.all()[:1]:
            for position, text in enumerate(("It is fine.", "It is not.")):
                Reference.objects.create(prompt=prompt, text=text, position=position)
        serve(lab=words(start="<s>", model="one"), other=GOOD)
        made = starting.prepared(study=study, metric=metric, options=options)
        told = estimates.of_run(study=study, metric=made)
        run = done(start(study, metric, **options))
        assert run.state == "done"
        assert of_texts(run).count() == told.calls - told.tests
        assert run.n_calls <= told.calls and run.n_kept == 0
        assert len(told.places) == (2 if metric == "cdm" else 1)
        assert 0 < run.cost <= told.cost

    def test_the_same_again_costs_tests_alone_and_gives_the_same(
        self, make_study, serve
    ):
        study = make_study()
        serve(lab=words({" late": 0.1, "late.": 0.3}, start="<s>"))
        first = done(start(study))
        expected = scored(first)
        Score.objects.all().delete()
        again = done(start(study))
        assert scored(again) == expected
        assert (of_texts(again).count(), again.n_kept) == (0, 8)

    def test_prices_in_two_currencies_are_refused(self, make_study, serve, tmp_path):
        serve(lab=GOOD, other=words(start="<s>", model="two"))
        file = tmp_path / "judges.toml"
        file.write_text(f'{file.read_text()}currency = "EUR"\n')
        with pytest.raises(RunError, match="different currencies, EUR and USD"):
            start(make_study(), "cdm", expert=LAB, amateur=OTHER)

    def test_a_limit_stops_it_and_a_higher_one_asks_for_the_rest(
        self, make_study, serve
    ):
        study = make_study()
        server = serve("calls_at_once = 1\n" + PRICES, lab=GOOD)
        run = done(start(study, calls=12))
        assert run.state == "done" and len(server.asked) == run.n_calls == 12
        reasons = [reason for _, reason in scored(run)]
        n = reasons.count(admission.CALLS_REACHED)
        assert 0 < n < 8 and len(budget.unasked_texts(run)) == n
        budget.raise_run_limit(run=run, limit=Limit(100), user=None)
        done(run)
        assert [reason for _, reason in scored(run)] == [""] * 8
        assert of_texts(run).count() == 8

    def test_money_is_never_passed(self, make_study, serve):
        server = serve(lab=GOOD)
        run = done(start(make_study(prompts=6), cost=0.001))
        assert 0 < run.cost + run.held_cost <= 0.001
        assert admission.COST_REACHED in {reason for _, reason in scored(run)}
        assert run.n_calls == len(server.asked) == run.calls.count()

    def test_too_low_a_limit_for_the_tests_is_said_as_one(self, make_study, serve):
        serve(lab=GOOD)
        run = done(start(make_study(), calls=2))
        assert run.state == "failed"
        assert run.error.startswith("the limit was reached before")
        budget.raise_run_limit(run=run, limit=Limit(100), user=None)
        assert done(run).state == "done"


class TestServersWithoutThem:
    def test_it_is_said_before_the_run_starts(self, make_study, serve):
        server = serve(lab=words(way="neither"))
        study = make_study()
        with pytest.raises(RunError) as caught:
            start(study)
        assert str(caught.value) == (
            "the endpoint lab gives no log-probabilities of texts for the model tiny,"
            " which this metric needs: the server sent no log-probabilities of the text"
        )
        run = MetricRun.objects.get()
        assert (run.state, run.error) == ("failed", str(caught.value))
        assert run.n_calls == len(server.asked) == run.calls.count() == 3
        sent = {body["prompt"] for body in server.asked}
        assert not sent & set(study.generations.values_list("text", flat=True))
        assert not Chunk.objects.filter(state="queued").exists()

    @pytest.mark.parametrize("said", ["the server gives none", ""])
    def test_whoever_tries_again_meanwhile_keeps_the_run(
        self, make_study, serve, monkeypatch, said
    ):
        serve(lab=GOOD)
        stood = []

        def refusal(made, run):
            row = MetricRun.objects.get()
            stood.append((row.state, row.finished_at is not None))
            runs.retry(run=row)
            row.chunks.update(state="running")
            return said

        monkeypatch.setattr(capability_probe, "refusal", refusal)
        run = start(make_study())
        assert stood == [("cancelled", True)]
        assert (run.state, run.error, run.finished_at) == ("queued", "", None)
        assert set(run.chunks.values_list("state", flat=True)) == {"running"}

    def test_a_judge_that_only_chats_is_no_such_server(self, make_study, serve):
        serve(lab=lambda body, n: completion("4"))
        with pytest.raises(RunError, match="does not answer for the model tiny"):
            start(make_study())

    @pytest.mark.parametrize("reply", [lambda body, n: error(503), GOOD])
    def test_one_that_is_away_or_slow_is_tried_by_a_worker(
        self, make_study, serve, monkeypatch, reply
    ):
        if reply is GOOD:
            monkeypatch.setattr(capability_probe, "ALL_SECONDS", -1.0)
        server = serve(lab=reply)
        run = start(make_study())
        assert run.state == "queued"
        server.reply = GOOD
        assert done(run).state == "done"

    def test_a_key_that_only_workers_have_is_no_reason(
        self, make_study, serve, monkeypatch
    ):
        serve(lab=GOOD)
        monkeypatch.delenv("LAB_KEY")
        run = start(make_study())
        assert run.state == "queued" and run.n_calls == 0
        monkeypatch.setenv("LAB_KEY", KEY)
        assert done(run).state == "done"


class TestEnds:
    def test_a_killed_workers_successor_asks_only_what_is_missing(
        self, make_study, serve
    ):
        server = serve("calls_at_once = 1\n" + PRICES, lab=GOOD)
        study = make_study()
        run = done(start(study))
        expected = scored(run)
        last = of_texts(run).order_by("-pk")[:3]
        JudgeCall.objects.filter(pk__in=[one.pk for one in last]).delete()
        Score.objects.all().delete()
        now = timezone.now()
        run.chunks.update(state="running", owner="here/1/a", lease_until=now, attempt=1)
        MetricRun.objects.update(state="running")
        loading.forget_all()
        before = len(server.asked)
        leases.requeue_expired(now=now)
        work(run, owner="here/2/b", now=now)
        assert run.state == "done" and scored(run) == expected
        assert len(server.asked) - before == 3

    def test_failures_are_no_number_but_a_reason(self, make_study, serve):
        study = make_study(prompts=1)
        for text, said in zip(
            Generation.objects.order_by("pk"), ("cut", "long", "other", ""), strict=True
        ):
            Generation.objects.filter(pk=text.pk).update(text=f"So {said}")

        def reply(body, n):
            text = body["prompt"]
            if "cut" in text:
                return GOOD({**body, "prompt": text[:4]}, n)
            if "long" in text:
                return error(400, f"too many tokens, {KEY}")
            if "other" in text:
                return words(start="<s>", model="huge")(body, n)
            return GOOD(body, n)

        serve(SPLIT, lab=reply)
        run = done(start(study))
        (_, cut), (_, long), (_, other), (value, reason) = scored(run)
        assert cut == "the tokens that the server sent do not spell the text"
        assert long.endswith("error 400: “too many tokens, [key]”")
        assert other.startswith("another model answered: huge (fp_1) instead of tiny")
        assert value > 0 and reason == ""
        assert [value for value, _ in scored(run)[:3]] == [None] * 3
        assert run.notes[0].startswith("During the run the server changed its model")

    def test_another_model_since_then_is_told(self, make_study, serve):
        study = make_study()
        server = serve(SPLIT, lab=GOOD)
        run = done(start(study))
        assert identities.changes([run.signature]) == []
        server.reply = words(start="<s>", model="huge")
        again = done(start(study))
        (change,) = identities.changes_in(study)
        assert (change.signature_id, change.now) == (run.signature_id, "huge (fp_1)")
        assert (change.judge.model, change.judge.answered) == ("tiny", "tiny (fp_1)")
        assert again.signature != run.signature

    def test_a_key_that_is_refused_ends_it(self, make_study, serve):
        study = make_study()
        server = serve(lab=GOOD)
        run = start(study)
        server.reply = lambda body, n: (
            error(401, KEY) if "Version" in body["prompt"] else GOOD(body, n)
        )
        done(run)
        assert run.state == "failed" and "check the variable LAB_KEY" in run.error
        assert KEY not in str([*JudgeCall.objects.values_list()])
