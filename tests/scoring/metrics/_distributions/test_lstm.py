"""The LSTM estimator of strings: a distribution, that learns, the same for a seed."""

import numpy as np
import pytest

from scoring.metrics._distributions import lstm, ngrams

TEXTS = ["the ferry left at seven", "the ferry came at two", "a gull sat on deck"] * 8


@pytest.fixture(scope="module")
def vocabulary():
    return ngrams.Vocabulary(TEXTS)


@pytest.fixture(scope="module")
def model(vocabulary):
    return lstm.learn(vocabulary.rows(TEXTS), len(vocabulary))


def test_what_may_follow_has_probability_1_together(model, vocabulary):
    words = [n for n in range(len(vocabulary)) if n not in (ngrams.START, ngrams.END)]
    before = vocabulary.rows(["the ferry nobody knows"])[0][:-1]
    rows = [np.r_[before, n, ngrams.END] for n in words] + [np.r_[before, ngrams.END]]
    following = len(before) - 1
    found = np.array([model.words([row])[following] for row in rows])
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-5)


def test_it_learns_the_order_of_words(model, vocabulary):
    own, turned = model(
        vocabulary.rows(["the ferry left at seven", "seven at left ferry the"])
    )
    assert own > turned + 5
    words = 6  # with the end
    assert own > words * np.log(1 / (len(vocabulary) - 1)) + 3


def test_a_text_has_the_same_probability_in_any_batch(model, vocabulary):
    rows = vocabulary.rows([*dict.fromkeys(TEXTS), "deck", "the " * 40])
    alone = np.concatenate([model([row]) for row in rows])
    np.testing.assert_allclose(model(rows), alone, atol=1e-4)
    np.testing.assert_allclose(model(rows[::-1]), alone[::-1], atol=1e-4)


def test_each_word_has_its_own_in_the_order_of_the_texts(model, vocabulary):
    rows = vocabulary.rows(["the ferry", "", "a gull sat on deck"])
    words = model.words(rows)
    assert len(words) == 3 + 1 + 6
    of_texts = np.add.reduceat(words, ngrams.starts(rows))
    np.testing.assert_allclose(of_texts, model(rows), atol=1e-9)
    np.testing.assert_allclose(words[:3], model.words(rows[:1]), atol=1e-4)


def test_unknown_words_and_empty_texts_have_a_finite_one(model, vocabulary):
    assert np.isfinite(model(vocabulary.rows(["xyz", ""]))).all()
    assert model([]).shape == (0,)


def test_a_seed_gives_the_same_model_and_leaves_chance_alone(vocabulary):
    import torch

    rows = vocabulary.rows(TEXTS[:6])
    before = torch.random.get_rng_state()
    one, same, other = (
        lstm.learn(rows, len(vocabulary), seed=seed)(rows) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert torch.equal(before, torch.random.get_rng_state())


def test_held_out_texts_stop_it(vocabulary):
    epochs = []
    rows = vocabulary.rows(TEXTS)
    rng = np.random.default_rng(0)
    noise = [np.r_[1, rng.integers(3, len(vocabulary), 8), 2] for _ in rows]
    lstm.learn(noise, len(vocabulary), progress=epochs.append)
    assert lstm.PATIENCE < len(epochs) < lstm.MOST_EPOCHS


def test_nothing_to_learn_from_is_refused(vocabulary):
    with pytest.raises(ValueError, match="no text"):
        lstm.learn([], len(vocabulary))
