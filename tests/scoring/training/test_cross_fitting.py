"""BLEURT of a study's own ratings, without references: from the start to the scores."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import training
from scoring.metrics import get
from scoring.models import Checkpoint
from scoring.scores.examples import example_of
from scoring.training import data as training_data
from scoring.training.forms import Material, TrainingForm
from scoring.training.starting import TrainingError
from tests.scoring.trained import slice_of
from tests.support.scored import give_means

pytestmark = pytest.mark.usefixtures("trained_here")


@pytest.fixture
def study(make_study):
    made = make_study(prompts=5, systems=("x", "y"))
    for k, prompt in enumerate(made.prompts.all()):
        prompt.prefix = f"Harbour {k} was"
        prompt.save()
        for one in prompt.generations.all():
            one.text = f"Harbour {k} was white said {one.key}."
            one.save()
    give_means(made, "coherence", [1, 2, 3, 4, 5] * 2)
    return made


def begun(study, tiny, **given):
    options = {"base": str(tiny), "epochs": 1, "batch": 4, "max_tokens": 16}
    return training.start(
        study=study,
        metric="bleurt",
        name="own",
        options={**options, "pair": "prefix", "folds": 2, **given},
        aspect=study.aspects.get(key="coherence"),
        any_folder=True,
    )


def test_each_text_gets_a_score_from_ratings_of_other_prompts(study, tiny):
    row = begun(study, tiny)
    while row.state != Checkpoint.State.DONE:
        slice_of(row)
    examples = [
        example_of(one)
        for one in study.generations.select_related("prompt__label", "system")
    ]
    found = get("bleurt")(model=row.key).load("cpu")(examples)
    assert np.isfinite(found.values["bleurt"]).all()
    assert row.card["figures"]["folds"] == 2
    assert row.card["figures"]["n"] == len(examples)


def test_texts_are_paired_with_what_stands_in(study):
    aspect = study.aspects.get(key="coherence")
    first = training_data.pairs(aspect, "prefix")[0].rated
    assert (first.reference, first.text[:13]) == ("Harbour 0 was", "Harbour 0 was")
    label = study.prompts.first().label
    both = training_data.pairs(aspect, "label_prefix")[0].rated
    assert both.reference == (f"{label}: " if label else "") + "Harbour 0 was"


def test_prompts_that_differ_by_label_only_share_a_fold(study):
    aspect = study.aspects.get(key="coherence")
    study.prompts.update(prefix="Harbour 0 was")
    found = training_data.pairs(aspect, "prefix", crossed=True)
    assert len({pair.rated.document for pair in found}) == 1


def test_too_few_prompts_are_told_at_once(study, tiny):
    with pytest.raises(
        TrainingError, match="folds=6: expected rated texts of at least"
    ):
        begun(study, tiny, folds=6)


def test_the_form_offers_the_studys_own_ratings_to_bleurt_alone(study):
    material = Material.of(study)
    key = f"{study.name}/coherence"
    form = TrainingForm(get("bleurt"), material)
    assert key in dict(form.fields["ratings"].choices)
    assert "cross-fitting" in form.fields["ratings"].help_text
