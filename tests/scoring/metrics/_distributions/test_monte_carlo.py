"""Monte Carlo estimates, against distributions whose divergences are known.

Each word is drawn by itself and followed by the end with a fixed probability. So KL of
whole texts is their mean number of words times that of a word.
"""

import numpy as np
import pytest

from scoring.metrics import SystemTexts, get

WORDS = np.array(["wind", "sea", "gull"])
P, Q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
ENDS = 0.02  # few texts are so short that others repeat them
LENGTH, N = 1 / ENDS, 500
OF_LENGTH = np.log(ENDS) + (LENGTH - 1) * np.log(1 - ENDS)
KL = LENGTH * (P * np.log(P / Q)).sum()
CROSS_ENTROPY = -LENGTH * (P * np.log(Q)).sum() - OF_LENGTH
PER_TEXT = LENGTH + 1  # words and the end


def drawn(rng, own, under):
    """Texts of words drawn from `own`, and the log of each under `under`."""
    texts, logs = [], []
    for n in rng.geometric(ENDS, N):
        words = rng.choice(3, n, p=own)
        texts.append(" ".join(WORDS[words]))
        of_length = np.log(ENDS) + (n - 1) * np.log(1 - ENDS)
        logs.append(np.log(under[words]).sum() + of_length)
    return tuple(texts), tuple(logs)


def scored(rng, own, seeds):
    """People draw from P, the system from `own`, whose logs are known."""
    (human, of_human), (texts, known) = drawn(rng, P, own), drawn(rng, own, own)
    scorer = get("string_divergence")(estimator="monte_carlo", seeds=seeds).load()
    given = SystemTexts(texts, human, known, corpus_log_probabilities=of_human)
    return scorer(given, rng)


@pytest.fixture(scope="module")
def found():
    return scored(np.random.default_rng(0), Q, seeds=2)


def near(found, key, expected):
    """Within three standard errors, and what an estimate of p may lose."""
    error = 3 * found.spread[key] + 0.02 * abs(expected)
    assert found.values[key] == pytest.approx(
        np.full(len(found.values[key]), expected), abs=error
    )


@pytest.mark.parametrize(
    "key, expected",
    [
        ("cross_entropy", CROSS_ENTROPY),
        ("perplexity", np.exp(CROSS_ENTROPY / PER_TEXT)),
        ("forward_kl", KL),
        ("exponentiated_kl", np.exp(KL / PER_TEXT)),
        ("backward_kl", LENGTH * (Q * np.log(Q / P)).sum()),
    ],
)
def test_estimates_come_near_the_truth(found, key, expected):
    near(found, key, expected)


def test_a_system_that_writes_as_people_do_has_no_divergence():
    found = scored(np.random.default_rng(1), P, seeds=1)
    for key in ("forward_kl", "backward_kl"):
        assert abs(found.values[key][0]) < 0.02 * CROSS_ENTROPY
    assert found.values["exponentiated_kl"] == pytest.approx([1], abs=0.02)


def test_there_is_no_js_and_no_area(found):
    missing = {key for key, values in found.values.items() if np.isnan(values).all()}
    assert missing == found.reasons.keys()
    assert missing == {
        f"{key}{per}" for key in ("jensen_shannon", "auc") for per in ("", "_per_word")
    }
