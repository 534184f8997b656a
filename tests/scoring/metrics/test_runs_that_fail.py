"""What a user can cure reaches the page of the run as one sentence, without traceback.

Real metrics with tiny models, through the worker, to the page.
"""

from __future__ import annotations

import json
import shutil

import pytest

from scoring import runs
from scoring.models import Score
from scoring.runs import loading
from scoring.runs.work import RUNS
from tests.scoring.working import NOON, work

pytestmark = pytest.mark.usefixtures("sent", "small_chunks")


@pytest.fixture(autouse=True)
def nothing_loaded():
    loading.forget_all()
    yield
    loading.forget_all()


@pytest.fixture
def study(make_study):
    """Eight texts of which the last is too long for a model with 24 positions."""
    study = make_study()
    study.generations.update(text="the ferry left")
    study.prompts.update(prefix="the")
    last = study.generations.last()
    study.generations.filter(pk=last.pk).update(text="the ferry left " * 20)
    return study


@pytest.fixture
def models(settings, tmp_path, gpt2, pegasus):
    """MODELS_DIR with copies that a test may spoil."""
    settings.MODELS_DIR = tmp_path / "models"
    for name, folder in (("gpt2", gpt2), ("pegasus", pegasus)):
        shutil.copytree(folder, settings.MODELS_DIR / name)
    return settings.MODELS_DIR


@pytest.fixture
def shown(client, alice, models):
    """Start a run as a page does, work on it, and read its page."""

    def shown(study, metric, *, before=None, **options):
        run = runs.start(study=study, metric=metric, options=options)
        if before:
            before(run)
        work(run)
        client.force_login(alice)
        page = client.get(run.get_absolute_url()).content.decode()
        assert "Traceback" not in page and str(models) not in page
        assert run.error in page.replace("&#x27;", "'").replace("&quot;", '"')
        assert "\n" not in run.error
        return run, page

    return shown


def more_words(folder):
    """Make the tokenizer one of a larger model."""
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    words = content["model"]["vocab"]
    words |= {f"more{k}": len(words) + k for k in range(9)}
    file.write_text(json.dumps(content))


def test_a_model_that_nobody_has(study, shown, models):
    run, _ = shown(study, "perplexity", model="nobody/has-it")
    assert run.state == "failed"
    assert "model nobody/has-it is not in " in run.error
    assert "Get it with `hf download nobody/has-it`" in run.error


def test_a_folder_that_went_away(study, shown, models):
    def away(run):
        shutil.rmtree(models / "gpt2")

    run, _ = shown(study, "perplexity", model="gpt2", before=away)
    assert (run.state, run.error) == ("failed", "there is no model folder gpt2")


def test_the_tokenizer_of_another_model(study, shown, models):
    more_words(models / "pegasus")
    run, _ = shown(study, "ctrleval", model="pegasus", weighting="mean")
    assert run.state == "failed"
    assert run.error.startswith("the tokenizer in pegasus has ")
    assert run.error.endswith("the tokenizer belongs to another model")


def test_a_model_of_the_wrong_kind(study, shown, models):
    run, _ = shown(study, "ctrleval", model="gpt2", weighting="mean")
    assert run.state == "failed" and "gpt2" in run.error


def test_two_models_with_different_tokenizers(study, shown, models):
    shutil.copytree(models / "gpt2", models / "other")
    more_words(models / "other")
    run, _ = shown(study, "cdm", expert="gpt2", amateur="other")
    assert run.state == "failed"
    assert "tokenizer" in run.error


def test_a_text_over_the_limit_costs_only_its_own_score(study, shown, models):
    run, page = shown(study, "perplexity", model="gpt2")
    assert (run.state, run.error) == ("done", "")
    assert Score.objects.exclude(value=None).count() == 7
    assert "7 texts" in page and "Why some have no score" in page
    (reason,) = Score.objects.filter(value=None).values_list("reason", flat=True)
    assert reason == "the text has 60 tokens, the model takes 24"


def test_a_run_that_fails_on_its_way_keeps_what_it_had(study, shown, models):
    def first_then_away(run):
        first = run.chunks.first()
        RUNS.perform(pk=first.pk, owner="here/1/a", clock=lambda: NOON)
        shutil.rmtree(models / "gpt2")

    run, page = shown(study, "perplexity", model="gpt2", before=first_then_away)
    assert run.state == "failed"
    assert Score.objects.exclude(value=None).count() == 4
    assert "4 texts" in page and "Scores as CSV" in page and "Try again" in page
