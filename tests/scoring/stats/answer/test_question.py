"""The rules about a question, on made-up ratings."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.answer import ceiling
from scoring.stats.answer.evidence import Measure
from scoring.stats.answer.question import Question, examine

SYSTEMS, RATERS = 4, 3


def ask(
    prompts: int = 40,
    *,
    noise: float = 0.8,
    of_text: float = 1.0,
    of_system: float = 0.3,
    raters: int = RATERS,
    seed: int = 1,
) -> Question:
    rng = np.random.default_rng(seed)
    system = np.tile(np.arange(SYSTEMS), prompts)
    quality = of_system * (system - 1.5) + of_text * rng.normal(size=len(system))
    table = quality[:, None] + noise * rng.normal(size=(len(system), raters))
    return of(np.clip(np.rint(table + 3), 1, 5), system)


def of(table: np.ndarray, system: np.ndarray) -> Question:
    n, raters = table.shape
    prompt = np.arange(n) // SYSTEMS
    panel = ceiling.panel(
        np.repeat(np.arange(n), raters),
        np.tile(np.arange(raters), n),
        table.ravel(),
        rng=np.random.default_rng(0),
    )
    human = table.mean(axis=1)
    noise = np.random.default_rng(5).normal(size=n)
    measure = Measure("pearson", prompt)
    guesses = {"length": noise}
    return examine(measure, panel.picks, human, guesses, system, n_rest=panel.n_rest)


def test_a_usual_study_is_open_and_a_rater_beats_every_guess():
    found = ask()
    assert (found.state, found.unclear, found.within_systems) == ("open", False, False)
    assert found.rater_beats
    assert found.n_prompts == 40


def test_equal_ratings_of_all_texts_say_nothing():
    found = of(np.full((80, RATERS), 4.0), np.tile(np.arange(SYSTEMS), 20))
    assert found.state == "none" and found.rated


def test_only_prompts_that_tell_good_from_bad_count():
    system = np.tile(np.arange(SYSTEMS), 20)
    table = np.full((80, RATERS), 3.0)
    table[:36] = np.random.default_rng(2).integers(1, 6, size=(36, RATERS))
    found = of(table, system)
    assert (found.state, found.n_prompts) == ("few", 9)


def test_people_who_agree_by_chance_hardly_agree():
    found = ask(60, of_text=0.0, of_system=0.0)
    assert found.state == "hardly"
    assert found.raters is None  # agreement may be 0: more raters mend nothing


def test_with_few_prompts_good_agreement_is_not_called_poor():
    states = [ask(10, seed=seed).state for seed in range(40)]
    assert states.count("hardly") <= 2


def test_where_systems_decide_texts_are_compared_within_them():
    found = ask(60, noise=1.0, of_text=0.2, of_system=1.0)
    assert found.within_systems
    assert found.system > found.system_rater > found.rater
    assert found.measure.groups is not None


def test_one_rating_a_text_leaves_agreement_unclear():
    found = ask(raters=1)
    assert (found.state, found.unclear, found.picks) == ("open", True, ())
    assert found.rater_beats is None


@pytest.mark.parametrize(("noise", "needed"), [(1.25, True), (0.8, False)])
def test_raters_are_advised_only_where_they_hardly_agree(noise, needed):
    found = ask(1500, noise=noise, of_text=0.55, of_system=0.0)
    assert (found.state == "hardly") == needed
    if needed:
        low, high = found.raters
        assert RATERS <= low <= high <= 15
