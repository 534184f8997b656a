"""Predicted widths, where each text draws raters of its own from a public set."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import sample_size
from scoring.stats.components.designs import Design
from tests.support import shared

FOLDERS = {
    sample_size.topical_chat: "data/usr_topicalchat",
    sample_size.summeval: "data/alttest/summeval",
}


@pytest.mark.parametrize("read", FOLDERS, ids=lambda read: read.__name__)
def test_the_width_for_a_crowd_is_within_a_tenth_of_the_subsampled_one(
    read, monkeypatch
):
    shared.path(FOLDERS[read])
    monkeypatch.setattr(sample_size, "DRAWS", 12)
    monkeypatch.setattr(sample_size, "RESAMPLES", 300)
    rng = np.random.default_rng(2)
    for one in read(shared.path("data")):
        for line in sample_size.crowd(one, rng):
            assert line.predicted == pytest.approx(line.square, rel=0.1), line


def test_raters_of_their_own_make_intervals_wider_than_shared_ones():
    """Else the test above would not tell the two designs apart."""
    shared.path(FOLDERS[sample_size.topical_chat])
    rng = np.random.default_rng(2)
    *_, one = sample_size.topical_chat(shared.path("data"))
    own, same = (
        sample_size.predicted(one, Design(60, 1, pool=3, together=together), rng)
        for together in (0, 1)
    )
    assert own > 1.05 * same
