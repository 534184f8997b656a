"""From the database to arrays: the same human scores as everywhere else."""

from __future__ import annotations

import numpy as np
import pytest

from annotation import human_scores, simulation
from scoring import aligning


@pytest.fixture
def study(make_study):
    return make_study()


def test_the_texts_are_in_the_order_of_their_upload(study):
    data = aligning.load(study=study, needs=())
    keys = study.generations.order_by("pk").values_list("key", flat=True)
    assert data.texts.key.tolist() == list(keys)
    assert data.texts.system.tolist() == [0, 1, 2, 3] * 2
    assert data.texts.prompt.tolist() == [0] * 4 + [1] * 4
    assert set(data.texts.prefix.tolist()) == {0}


def test_without_runs_there_are_the_lengths(study):
    data = aligning.load(study=study, needs={"scores"})
    assert [output.metric for output in data.outputs] == ["length"] * 3
    assert data.scores.shape == (8, 3)
    assert [o.id for o in aligning.outputs(study=study)] == [o.id for o in data.outputs]


def test_equal_data_have_an_equal_digest(study):
    first = aligning.load(study=study).digest()
    assert first == aligning.load(study=study).digest()
    study.generations.create(key="new", prompt=study.prompts.first(), text="One more.")
    assert first != aligning.load(study=study).digest()
