"""A run waits on the queue of what it needs."""

from __future__ import annotations

import pytest

from scoring import metrics, runs
from scoring.metrics import SystemMetric
from scoring.models import Chunk
from scoring.runs import loading, placing
from tests.scoring.working import work

CHOSEN = "folder/of/a/model"


def made(name: str, model: str = ""):
    kind = metrics.get(name)
    named = [one for one in metrics.option_fields(kind.Options) if one.path == "model"]
    return kind(**({one.name: model for one in named} if model else {}))


@pytest.mark.parametrize("name", metrics.names())
def test_who_loads_a_model_that_was_chosen_waits_for_a_gpu(name):
    found = placing.of(made(name, CHOSEN))
    loads = [
        one for one in metrics.option_fields(metrics.get(name).Options) if one.path
    ]
    models = [one for one in loads if one.path == "model"]
    assert found.queue == ("gpu" if models else "cpu")
    assert bool(found.loads) is bool(models)


@pytest.mark.parametrize(
    "name", "bleu rouge ter chrf length distinct self_bleu string_divergence".split()
)
def test_plain_arithmetic_waits_for_a_processor(name):
    assert placing.of(made(name)) == ("cpu", "")


def test_so_do_the_small_models_that_come_along():
    assert placing.of(made("perplexity", "bundled:causal-small")).queue == "cpu"
    assert placing.of(made("cdm", "bundled:causal-small")).queue == "cpu"
    kind = metrics.get("cdm")
    mixed = kind(expert=CHOSEN, amateur="bundled:causal-nano")
    assert placing.of(mixed).queue == "gpu"


def test_a_trained_metric_waits_for_a_gpu():
    assert placing.of(made("union", "checkpoint:mans/mine")).queue == "gpu"


def test_a_judge_over_the_network_waits_with_the_others():
    assert placing.of(made("llm_judge", "endpoint:lab/tiny")) == ("judges", "")


def test_an_author_may_know_better():
    class Large(SystemMetric):
        title = source = "this test"
        outputs = ()
        needs_gpu = True

    assert placing.of(Large()).queue == "gpu"


def test_one_key_for_what_one_loaded_metric_can_score():
    keys = [
        placing.key(made("perplexity", CHOSEN)),
        placing.key(metrics.get("perplexity")(model=CHOSEN, dtype="bfloat16")),
        placing.key(made("corpus_perplexity", CHOSEN)),
        placing.key(made("perplexity", "another")),
    ]
    assert len(set(keys)) == 4
    assert placing.key(made("perplexity", CHOSEN)) == keys[0]


@pytest.mark.django_db(transaction=True)
class TestRuns:
    @pytest.fixture(autouse=True)
    def _forget(self, sent):
        yield
        loading.forget_all()

    def test_their_chunks_say_where_and_with_what(self, make_study, sent):
        study = make_study()
        counted = runs.start(study=study, metric="length", options={})
        modelled = runs.start(
            study=study, metric="perplexity", options={"model": "bundled:causal-nano"}
        )
        assert counted.chunks.get().queue == modelled.chunks.get().queue == "cpu"
        assert counted.chunks.get().loads == ""
        assert modelled.chunks.get().loads != ""

    def test_a_worker_holds_what_the_chunks_that_it_did_say(self, make_study, sent):
        options = {"model": "bundled:causal-nano"}
        run = runs.start(study=make_study(), metric="perplexity", options=options)
        work(run)
        assert run.state == run.State.DONE, run.error
        assert loading.held() == {run.chunks.get().loads}
        again = runs.start(study=run.study, metric="perplexity", options=options)
        assert again.chunks.get().loads in loading.held()
        loading.forget_all()
        assert loading.held() == set()

    def test_what_is_without_a_model_holds_nothing(self, make_study, sent):
        work(runs.start(study=make_study(), metric="length", options={}))
        assert loading.held() == set()

    def test_a_chunk_that_is_taken_was_passed_by_nobody(self, make_study, sent):
        run = runs.start(study=make_study(), metric="length", options={})
        Chunk.objects.update(passed_at="2026-11-20T12:00Z")
        work(run)
        assert run.chunks.get().passed_at is None
