"""Pairs of models for CDM, by their loss on human texts."""

import numpy as np
import pytest

from scoring.metrics import Example, get
from scoring.metrics._cdm import choosing
from scoring.metrics._cdm.choosing import Measured

SMALL, NANO = "bundled:causal-small", "bundled:causal-nano"
TEXTS = [
    Example("The film was long, and the actors were good."),
    Example("A man walked along the harbour in the rain."),
    Example(" "),
]


def made(model, *nats):
    return Measured(model, np.array(nats, float), np.full(len(nats), 10.0))


@pytest.fixture
def one_family(monkeypatch):
    monkeypatch.setattr(choosing, "_alike", lambda one, other: True)


def test_the_pair_with_the_largest_gap_comes_first(one_family):
    found = choosing.pairs([made("b", 30), made("a", 20), made("c", 50)])
    assert [(one.expert, one.amateur) for one in found] == [
        ("a", "c"),
        ("b", "c"),
        ("a", "b"),
    ]
    assert (found[0].expert_loss, found[0].amateur_loss) == (2.0, 5.0)
    assert found[0].gap == 3.0


def test_losses_are_compared_on_texts_that_both_can_read(one_family):
    """The text of 1000 nats alone would make the first the worse model."""
    (found,) = choosing.pairs([made("a", 20, 1000), made("b", 30, np.nan)])
    assert (found.expert, found.texts) == ("a", 1)


def test_models_that_are_alike_or_share_no_text_make_no_pair(one_family):
    assert choosing.pairs([made("a", 20), made("b", 20)]) == []
    assert choosing.pairs([made("a", 20, np.nan), made("b", np.nan, 30)]) == []


def test_the_losses_are_those_of_cdm_itself():
    """m sums to the difference of what the two lose."""
    measured = [choosing.measure(model, TEXTS) for model in (SMALL, NANO)]
    (found,) = choosing.pairs(measured)
    scores = get("cdm")(expert=found.expert, amateur=found.amateur).load()(TEXTS)
    lost = [one.nats for one in measured]
    sums = np.abs(lost[1] - lost[0])
    np.testing.assert_allclose(np.abs(scores.values["sum"]), sums, atol=1e-4)
    assert np.isnan(sums[2]) and found.texts == 2


def test_models_of_two_families_make_no_pair():
    measured = [choosing.measure(m, TEXTS) for m in (SMALL, "bundled:infill-nano")]
    assert choosing.pairs(measured) == []
