"""A probe of CDM fitted on the Training page: from a study's ratings to its scores."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import training
from scoring.metrics import MetricError, get
from scoring.models import Checkpoint
from scoring.scores.examples import example_of
from scoring.training import data as training_data
from scoring.training.forms import Material, TrainingForm
from tests.scoring.trained import work
from tests.support.scored import give_means

pytestmark = pytest.mark.usefixtures("trained_here")


@pytest.fixture
def study(make_study):
    made = make_study(prompts=8, systems=tuple("vwxyz"))
    for k, prompt in enumerate(made.prompts.all()):
        prompt.prefix = f"Harbour {k} was"
        prompt.save()
    for one in made.generations.select_related("prompt"):
        one.text = (
            f"{one.prompt.prefix} white, said {one.key} {'of old ' * (one.pk % 4)}."
        )
        one.save()
    give_means(made, "coherence", [1, 2, 3, 4, 5] * 8)
    return made


def begun(study, aspect, **options):
    return training.start(
        study=study,
        metric="cdm_probe",
        name="probe-1",
        options={"folds": 2, **options},
        aspect=aspect,
    )


def examples_of(study):
    rows = study.generations.select_related("prompt__label", "system")
    return [example_of(one) for one in rows.prefetch_related("prompt__references")]


def test_a_studys_own_ratings_are_cross_fitted(study):
    row = begun(study, study.aspects.get(key="coherence"))
    work(row)
    assert row.state == Checkpoint.State.DONE, row.error
    figures = row.card["figures"]
    assert (figures["n"], figures["prompts"], figures["folds"]) == (40, 8, 2)
    assert figures["pearson_low"] <= figures["pearson"] <= figures["pearson_high"]
    scorer = get("cdm_probe")(model=row.key).load("cpu")
    assert "|model:sha256:" in scorer.signature
    found = scorer(examples_of(study))
    assert np.isfinite(found.values["rating"]).all()


def test_ratings_of_another_study_give_its_texts_no_score(study, make_study):
    other = make_study(name="other")
    row = begun(other, study.aspects.get(key="coherence"))
    work(row)
    assert row.state == Checkpoint.State.DONE, row.error
    scorer = get("cdm_probe")(model=row.key).load("cpu")
    assert np.isfinite(scorer(examples_of(other)).values["rating"]).all()
    learned = scorer(examples_of(study))
    assert np.isnan(learned.values["rating"]).all()
    assert set(learned.reasons["rating"]) == {"the probe was fitted on this text"}


def test_a_training_of_another_metric_is_refused(study, tmp_path):
    with pytest.raises(MetricError, match="is no probe of CDM: train one under"):
        get("cdm_probe")(model=str(tmp_path)).load("cpu")


def test_each_rated_text_comes_once_with_prefix_and_source(study):
    study.prompts.update(source="Is it white?")
    aspect = study.aspects.get(key="coherence")
    found = [pair.rated for pair in training_data.pairs(aspect, "alone", crossed=True)]
    assert len(found) == 40
    assert {one.reference for one in found} == {""}
    assert found[0].prefix == "Harbour 0 was" and found[0].source == "Is it white?"
    assert found[0].text.startswith("Harbour 0 was white")


def test_the_form_asks_for_ratings_and_two_models_alone(study):
    form = TrainingForm(get("cdm_probe"), Material.of(study))
    assert f"{study.name}/coherence" in dict(form.fields["ratings"].choices)
    assert {"expert", "amateur", "folds"} <= set(form.fields)
    assert not {"corpus", "base", "epochs", "texts"} & set(form.fields)
