from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from scoring.stats.components.designs import (
    Design,
    half_width,
    of_raters,
    per_prompt,
    reliability,
)
from scoring.stats.components.estimating import estimate
from tests.scoring.stats.components.simulated import simulated

KNOWN = {"system x prompt": 0.1, "text": 0.2, "rater": 0.5, "residual": 0.6}


def test_each_part_is_divided_by_what_it_is_averaged_over():
    design = Design(prompts=10, texts=2, raters=3)
    assert per_prompt(KNOWN, design) == pytest.approx(2 * (0.1 + 0.2 / 2 + 0.6 / 6))


def test_texts_that_are_not_told_from_their_prompts_are_not_averaged_away():
    """One text of each prompt and system: another one may differ as much, or not."""
    known = {"text": 0.2, "residual": 0.6}
    design = Design(prompts=10, texts=2, raters=3)
    assert per_prompt(known, design) == pytest.approx(2 * (0.2 + 0.6 / 6))
    told = {**known, "system x prompt": 0.0}
    assert per_prompt(told, design) == pytest.approx(2 * (0.1 + 0.6 / 6))


def test_severity_counts_where_raters_do_not_see_all_systems():
    design = Design(prompts=10, raters=2, pool=10, together=False)
    more = 2 * 0.5 * (1 / 2 - 1 / 10)
    expected = per_prompt(KNOWN, Design(prompts=10, raters=2)) + more
    assert per_prompt(KNOWN, design) == pytest.approx(expected)


# Variances of single effects, for crowds and for few people.
EFFECTS = {
    "system x prompt": 0.1,
    "text": 0.2,
    "rater": 0.5,
    "rater x system": 0.3,
    "rater x prompt": 0.4,
    "residual": 0.6,
}


def crowd(
    rng: np.random.Generator, design: Design, n_prompts: int, n_people: int
) -> np.ndarray:
    """Differences of two systems' means of single prompts, drawn effect by effect."""
    sd = {name: of**0.5 for name, of in EFFECTS.items()}
    severity = rng.normal(0, sd["rater"], n_people)
    favour = rng.normal(0, sd["rater x system"], (n_people, 2))
    found = np.empty(n_prompts)
    for prompt in range(n_prompts):
        mood = rng.normal(0, sd["rater x prompt"], n_people)
        each = np.array([rng.choice(n_people, design.raters, False) for _ in "ab"])
        if rng.random() < design.together:
            each[1] = each[0]
        means = [
            rng.normal(0, (EFFECTS["system x prompt"] + EFFECTS["text"]) ** 0.5)
            + (severity[who] + favour[who, system] + mood[who]).mean()
            + rng.normal(0, sd["residual"], design.raters).mean()
            for system, who in enumerate(each)
        ]
        found[prompt] = means[0] - means[1]
    return found


@pytest.mark.parametrize("together", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("people", [None, 3])
def test_the_variance_over_prompts_is_that_of_simulated_raters(people, together):
    """Of a crowd, each text has raters of its own but where it shares a page."""
    rng = np.random.default_rng(3)
    design = Design(40, raters=2, pool=people, together=together)
    found = [
        # Of so many that hardly any two texts have the same one.
        crowd(rng, design, 40, people or 4000).var(ddof=1)
        for _ in range(150)
    ]
    assert np.mean(found) == pytest.approx(per_prompt(EFFECTS, design), rel=0.06)


def test_what_the_same_raters_keep_shows_in_no_interval_over_prompts():
    design = Design(prompts=10, raters=3, pool=3)
    assert per_prompt({"rater x system": 1.0}, design) == 0
    assert of_raters({"rater x system": 1.0}, design) == pytest.approx(2 / 3)


def test_the_width_is_that_of_the_interval_of_the_site():
    widths, said = [], []
    rng = np.random.default_rng(4)
    for seed in range(30):
        rated = simulated(seed=seed, prompts=40, systems=3)
        found = estimate(rated, rng=rng, draws=0).components
        said.append(half_width(found.of, Design(40, texts=2, raters=3, pool=9)))
        means = rated.value.reshape(40, 2, 3, 3).mean(axis=(1, 3))
        drawn = rng.multinomial(40, np.full(40, 1 / 40), size=400) @ means / 40
        for a, b in combinations(range(3), 2):
            low, high = np.quantile(drawn[:, a] - drawn[:, b], [0.025, 0.975])
            widths.append((high - low) / 2)
    assert np.mean(said) == pytest.approx(np.mean(widths), rel=0.03)


def test_twice_a_negative_estimate_never_makes_a_negative_variance():
    assert per_prompt({"text": -1.0, "residual": 0.1}, Design(10, raters=5)) == 0


def test_widths_of_resamples_come_at_once():
    variances = {"residual": np.array([0.5, 1.0])}
    found = half_width(variances, Design(20, raters=1))
    single = half_width({"residual": 1.0}, Design(20, raters=1))
    assert found[1] == pytest.approx(single)


def test_one_prompt_has_no_interval():
    assert np.isnan(half_width({"residual": 1.0}, Design(1, raters=3)))
    each = half_width({"residual": np.ones(2)}, Design(1, raters=3))
    assert np.isnan(each).tolist() == [True, True]


def test_more_prompts_make_a_ranking_more_reliable():
    known = {"system": 0.2, "prompt": 0.3, **KNOWN}
    few = reliability(known, Design(10, raters=2, pool=8))
    many = reliability(known, Design(100, raters=2, pool=8))
    assert few.g < many.g < 1
    assert many.phi < many.g


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"prompts": 0, "raters": 1}, "at least 1 of prompts, got 0"),
        ({"prompts": 5, "raters": 3, "pool": 2}, "at least 3 raters in all, got 2"),
        ({"prompts": 5, "raters": 3, "together": 2}, r"a share in \[0, 1\], got 2"),
    ],
)
def test_a_design_that_cannot_be_is_refused(numbers, words):
    with pytest.raises(ValueError, match=words):
        Design(**numbers)
