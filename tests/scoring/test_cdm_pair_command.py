"""The command that chooses CDM's expert and amateur."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Reference
from scoring.metrics import cdm_pairs
from scoring.scores import models_here
from tests.scoring.trained import reviews

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.mark.slow
def test_it_names_the_choice_among_the_models_that_are_here(study, capsys):
    reviews(study)
    call_command("cdm_pair", study.name, corpus="reviews", texts=4)
    printed = capsys.readouterr().out
    assert "Use -o expert=bundled:causal-" in printed
    named = {one.value for one in models_here.on_server() if "causal" in one.kinds}
    chosen = dict(
        word.split("=") for word in printed.split("Use ")[1].split() if "=" in word
    )
    assert set(chosen.values()) <= named and len(set(chosen.values())) == 2


def test_references_stand_in_for_a_corpus(study, monkeypatch, capsys):
    asked = []

    def measure(model, examples):
        asked.append(examples)
        raise cdm_pairs.MetricError("not now")

    monkeypatch.setattr(cdm_pairs, "measure", measure)
    prompt = study.prompts.first()
    Reference.objects.create(prompt=prompt, text=f"{prompt.prefix} and all.")
    with pytest.raises(CommandError, match="no two models with the same tokenizer"):
        call_command("cdm_pair", study.name)
    (example,) = asked[0]
    assert (example.text, example.prefix) == (
        f"{prompt.prefix} and all.",
        prompt.prefix,
    )
    assert "is left out: not now" in capsys.readouterr().err


def test_it_says_what_is_missing(study):
    with pytest.raises(CommandError, match="has no references: name a corpus"):
        call_command("cdm_pair", study.name)
    with pytest.raises(CommandError, match="has no corpus"):
        call_command("cdm_pair", study.name, corpus="x")
