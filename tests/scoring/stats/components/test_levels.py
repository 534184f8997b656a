from __future__ import annotations

import numpy as np

from scoring.stats.components.levels import EFFECTS, RESIDUAL, UNNAMED, levels, numbered
from tests.scoring.stats.components.simulated import simulated


def test_several_texts_and_named_raters_tell_all_effects_apart():
    found = levels(simulated())
    assert ([*found.of, RESIDUAL], found.left_out) == ([*EFFECTS], {})


def test_with_one_text_each_the_text_stands_for_system_and_prompt_too():
    found = levels(simulated(texts=1))
    assert "text" in found.of
    assert found.left_out == {"system x prompt": "the same as text here"}


def test_raters_without_names_are_left_out():
    found = levels(simulated(raters=None))
    assert found.left_out["rater"] == found.left_out["rater x system"] == UNNAMED


def test_texts_rated_once_are_left_out():
    found = levels(simulated(each=1))
    assert "cannot be told apart from the residual" in found.left_out["text"]


def test_raters_of_one_prompt_each_are_plain_raters():
    rated = simulated(texts=1)
    rated = rated._replace(rater=numbered(rated.rater, rated.prompt))
    found = levels(rated)
    assert "rater" in found.of
    assert found.left_out["rater x prompt"] == "the same as rater here"


def test_combinations_are_numbered_without_gaps():
    found = numbered(np.array(["b", "a", "b", "b"]), np.array([1, 1, 2, 1]))
    assert found.tolist() == [1, 0, 2, 1]
