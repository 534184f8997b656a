"""Texts drawn again or relabelled by chance, prompt by prompt."""

import numpy as np
import pytest

from scoring.metrics import SystemTexts
from scoring.metrics._distributions import resampling


def rng():
    return np.random.default_rng(0)


def test_prompts_have_one_number_on_all_sides():
    one, other = resampling.codes(["b", "", "a"], ["a", "c"])
    assert one.tolist() == [1, -1, 0] and other.tolist() == [0, 2]


def test_texts_of_one_prompt_are_drawn_together():
    prompts = np.array([0, 0, 1, -1, -1])
    counts = resampling.drawn(prompts, rng(), draws=50)
    assert counts.shape == (50, 5)
    assert (counts[:, 0] == counts[:, 1]).all()
    assert (counts[:, 3] != counts[:, 4]).any()
    # Four prompts, of which the first has two texts.
    assert (counts[:, 1:].sum(axis=1) == 4).all()


def test_of_one_prompt_nothing_can_be_drawn():
    assert resampling.drawn(np.array([2, 2]), rng()) is None


def test_only_prompts_of_both_sides_are_apart():
    prompts = np.array([0, 1, -1, 1, 2])
    side = np.array([False, False, False, True, True])
    assert resampling.strata(prompts, side).tolist() == [-1, 1, -1, 1, -1]


def test_labels_stay_within_their_group():
    groups = np.array([3, 1, 3, 1, 1])
    labels = np.array([0, 1, 1, 0, 0])
    found = resampling.relabelled(labels, groups, rng(), draws=200)
    assert (found[:, groups == 3].sum(axis=1) == 1).all()
    assert (found[:, groups == 1].sum(axis=1) == 1).all()
    assert found.mean(axis=0) == pytest.approx([0.5, 1 / 3, 0.5, 1 / 3, 1 / 3], abs=0.1)


def test_the_smallest_p_is_one_of_all_orders():
    labels = np.array([0, 0, 1, 0, 1, 1])
    assert resampling.smallest_p(labels, np.zeros(6)) == pytest.approx(1 / 20)
    groups = np.array([0, 0, 0, 1, 1, 1])
    assert resampling.smallest_p(labels, groups) == pytest.approx(1 / 9)


def test_what_belongs_to_a_text_moves_with_it():
    given = SystemTexts(
        ("b", "a"),
        ("y", "x"),
        (-1.0, -2.0),
        prompts=("p", "q"),
        samples=(1, 2),
        corpus_prompts=("", "q"),
    )
    found = resampling.in_order(given)
    assert (found.texts, found.prompts, found.samples) == (
        ("a", "b"),
        ("q", "p"),
        (2, 1),
    )
    assert found.log_probabilities == (-2.0, -1.0)
    assert (found.corpus, found.corpus_prompts) == (("x", "y"), ("q", ""))


def test_without_an_infinite_draw_there_is_a_deviation():
    assert resampling.deviation(np.array([1.0, 3.0])) == pytest.approx(2**0.5)
    assert resampling.deviation(np.array([1.0, np.inf])) is None
