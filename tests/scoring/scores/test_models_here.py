"""Models are looked for when someone starts a run, not 100 seconds later."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from evalapp.work import heartbeats
from scoring import metrics, runs
from scoring.metrics import OptionError
from scoring.runs import starting
from scoring.scores import allowed_models, models_here

pytestmark = pytest.mark.django_db


def check(metric, **options):
    models_here.check(metrics.get(metric).Options, options)


def test_a_bundled_model_of_the_right_kind_will_do():
    check("perplexity", model="bundled:causal-small")


def test_one_of_another_kind_is_refused_with_what_is_needed():
    said = "model: bundled:encoder-small is an encoder; this option needs a language"
    with pytest.raises(OptionError, match=said):
        check("llm_judge", model="bundled:encoder-small")


def test_a_name_that_neither_this_server_nor_the_hub_has_is_refused():
    with pytest.raises(OptionError, match="model: a/b is not on this server.*hf down"):
        check("perplexity", model="a/b")


def test_one_that_the_hub_has_will_do(monkeypatch):
    monkeypatch.setattr(models_here, "reachable", lambda name: name == "a/b")
    check("perplexity", model="a/b")


def test_one_that_was_downloaded_will_do(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    copy = tmp_path / "models--a--b" / "snapshots" / "c0"
    copy.mkdir(parents=True)
    (copy / "config.json").write_text(
        json.dumps({"architectures": ["LlamaForCausalLM"]})
    )
    (copy / "model.safetensors").write_bytes(b"0")
    refs = tmp_path / "models--a--b" / "refs"
    refs.mkdir()
    (refs / "main").write_text("c0")
    check("perplexity", model="a/b")


def test_workers_on_another_machine_may_have_what_this_one_has_not():
    heartbeats.beat(owner="gpu-machine/1/x", now=timezone.now())
    check("perplexity", model="a/b")


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(OptionError, match="is not a complete model: its folder needs"):
        check("perplexity", model=str(tmp_path))


def test_a_run_that_somebody_waits_for_is_refused_at_once(make_study):
    with pytest.raises(runs.OptionError, match="is not on this server"):
        starting.start_ready(
            study=make_study(), metric="perplexity", options={"model": "a/b"}
        )


def test_a_published_model_in_the_folder_is_the_one_that_is_used(settings, tmp_path):
    kind = metrics.get("ctrleval").Options
    settings.MODELS_DIR, settings.HUB = tmp_path, "on"
    assert allowed_models.resolve_allowed(kind, {}) == {}
    folder = tmp_path / "google" / "pegasus-large"
    folder.mkdir(parents=True)
    for given in ({}, {"model": "google/pegasus-large"}):
        assert allowed_models.resolve_allowed(kind, given) == {"model": str(folder)}


def test_the_best_bundled_model_is_the_one_to_start_with():
    fields = metrics.option_fields(metrics.get("ctrleval").Options)
    field = next(one for one in fields if one.name == "model")
    found = models_here.usable(models_here.on_server(), field, "ctrleval")
    names = [one.value for one in found if one.place == "bundled"]
    assert names == [
        "bundled:infill-medium",
        "bundled:infill-small",
        "bundled:infill-nano",
    ]
