"""Random parts of the texts."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.saving import draws


def test_a_share_of_each_stratum_is_drawn():
    stratum = np.repeat([0, 1], [100, 50])
    made = draws.draw(stratum, 0.2, np.random.default_rng(0))
    assert np.bincount(stratum[made.drawn]).tolist() == [20, 10]
    assert made.chance == pytest.approx(0.2)


def test_a_small_stratum_gives_two_texts_and_says_so():
    made = draws.draw(np.zeros(5, int), 0.1, np.random.default_rng(0))
    assert made.drawn.sum() == 2
    assert made.chance == pytest.approx(0.4)


def test_a_stratum_of_one_text_is_drawn_whole():
    assert draws.draw(np.zeros(1, int), 0.1, np.random.default_rng(0)).drawn.all()


def test_each_text_is_drawn_as_often_as_its_chance_says():
    rng = np.random.default_rng(1)
    stratum = np.repeat([0, 1], [4, 20])
    drawn = [draws.draw(stratum, 0.25, rng) for _ in range(4000)]
    often = np.mean([one.drawn for one in drawn], axis=0)
    assert often == pytest.approx(drawn[0].chance, abs=0.04)


def test_a_share_of_nothing_is_refused():
    with pytest.raises(ValueError, match="expected a share above 0"):
        draws.draw(np.zeros(3, int), 0, np.random.default_rng(0))
