"""Probes are fitted and tried on different prompts, and go on where they were."""

import json

import numpy as np
import pytest

from scoring.metrics import MetricError, Rated, TrainingData, get
from scoring.metrics._cdm import probe_task, probes
from scoring.metrics._cdm.probe_task import Fitting, Held
from scoring.metrics.cdm import CDM

PROMPTS, EACH = 12, 5
RNG = np.random.default_rng(0)
X = RNG.normal(size=(PROMPTS * EACH, 3))
RATINGS = (0.5 + X @ [0.2, -0.1, 0.05] + RNG.normal(0, 0.05, len(X))).tolist()
RATED = [
    Rated(f"text {k} of harbours", "", RATINGS[k], f"prompt {k // EACH}")
    for k in range(len(X))
]
OPTIONS = {"folds": 4, "features": "polynomial"}


def fitting(folder, rated=RATED, crossed=True, x=X, **options):
    """With features that were measured before: no model is loaded."""
    np.save(folder / probe_task.MEASURED, x)
    chosen = get("cdm_probe").training(**{**OPTIONS, **options})
    data = TrainingData(rated=rated, cross_fitted=crossed)
    return Fitting(data, chosen, folder, {"options": {"expert": "/secret/gpt2"}})


def finished(folder, **given):
    assert fitting(folder, **given).run(print, seconds=None, device="cpu")
    made = folder / "model"
    return tuple(json.loads((made / f"{n}.json").read_text()) for n in NAMES)


NAMES = ("head", "training")


def test_texts_of_one_prompt_are_never_on_both_sides(tmp_path, monkeypatch):
    learned, fit_to = [], probes.fit_to

    def spy(x, ratings, texts, **given):
        learned.append(set(texts))
        return fit_to(x, ratings, texts, **given)

    monkeypatch.setattr(probes, "fit_to", spy)
    head, _ = finished(tmp_path)
    assert len(learned) == len(head["probes"]) == 4
    for fold, texts in enumerate(learned):
        held = {o.text for o in RATED if head["fold_of"][o.document] == fold}
        assert held and not held & texts
        assert held | texts == {one.text for one in RATED}


def test_the_figures_are_of_predictions_for_prompts_that_were_held_out(tmp_path):
    head, card = finished(tmp_path)
    folds = np.array([head["fold_of"][one.document] for one in RATED])
    predicted = np.empty(len(X))
    for fold in range(4):
        here = folds == fold
        # Ridge regression of standardised features, by itself.
        mean, scale = X[~here].mean(0), X[~here].std(0)
        z, y = (X[~here] - mean) / scale, np.array(RATINGS)[~here]
        w = np.linalg.solve(z.T @ z + np.eye(3), z.T @ (y - y.mean()))
        predicted[here] = y.mean() + (X[here] - mean) / scale @ w
    figures = card["figures"]
    assert figures["pearson"] == pytest.approx(np.corrcoef(predicted, RATINGS)[0, 1])
    assert figures["pearson_low"] < figures["pearson"] < figures["pearson_high"] < 1
    assert (figures["n"], figures["prompts"], figures["folds"]) == (60, 12, 4)
    assert card["options"] == {"expert": "gpt2"}


def test_ratings_of_another_study_give_one_probe_of_all_texts(tmp_path):
    head, card = finished(tmp_path, crossed=False)
    (probe,) = map(probes.from_json, head["probes"])
    assert all(probe.has_seen(one.text) for one in RATED)
    assert head["fold_of"] == {} and card["figures"]["folds"] == 4


def test_a_text_that_a_fold_quotes_is_not_learned_for_it(tmp_path):
    quoted = " ".join(f"word{n}" for n in range(20))
    rated = [RATED[0]._replace(text=quoted), *RATED[1:-1]]
    rated.append(RATED[-1]._replace(text=f"He said: {quoted}"))
    head, _ = finished(tmp_path, rated=rated)
    folds = [head["fold_of"][rated[k].document] for k in (0, -1)]
    assert folds[0] != folds[1]
    for fold, other in zip(folds, (-1, 0), strict=True):
        probe = probes.from_json(head["probes"][fold])
        assert not probe.has_seen(rated[other].text)


def test_texts_without_momentum_are_left_out(tmp_path):
    x = X.copy()
    x[3] = np.nan
    _, card = finished(tmp_path, x=x)
    assert card["figures"]["n"] == 59 and np.isfinite(card["figures"]["pearson"])


def test_too_few_prompts_are_told(tmp_path):
    with pytest.raises(MetricError, match="at least 13 prompts"):
        fitting(tmp_path, folds=13)


def test_a_slice_ends_in_time_and_the_next_goes_on(tmp_path, monkeypatch):
    asked = []

    class Scorer:
        def __call__(self, examples):
            asked.append(len(examples))
            m = np.full((len(examples), 4), np.nan)
            m[:, :3] = [[len(one.text), k, 1] for k, one in enumerate(examples)]
            return type("Scores", (), {"parts": {"m": m}})

    monkeypatch.setattr(CDM, "load", lambda self, device: Scorer())
    given = fitting(tmp_path, x=np.empty((0, 3)))
    assert not given.run(print, seconds=0, device="cpu")
    assert asked == [probe_task.AT_ONCE]
    assert given.run(print, seconds=None, device="cpu")
    assert sum(asked) == len(RATED) and (tmp_path / "model").is_dir()


def test_an_interval_takes_texts_of_one_prompt_together():
    """The same texts as prompts of one text know less about one another."""
    rng = np.random.default_rng(1)
    of_prompt = rng.normal(size=30).repeat(4)
    ratings, predicted = of_prompt + rng.normal(0, 0.1, (2, 120))
    together = Held(ratings, predicted, np.arange(30).repeat(4), np.ones(120))
    alone = together._replace(prompts=np.arange(120))
    widths = [
        np.ptp(probe_task.interval(one, np.random.default_rng(0)))
        for one in (together, alone)
    ]
    assert widths[0] > widths[1]


def test_constant_ratings_have_no_correlation():
    flat = Held(np.ones(9), np.arange(9.0), np.arange(9), np.arange(9))
    found = probe_task.figures(flat)
    assert found["pearson"] is None and found["mse"] > 0
