"""The metrics without a model: cases worked by hand."""

import math

import numpy as np
import pytest

from scoring.metrics import Example, OptionError, get
from scoring.metrics._engine.words import ngrams, numbered_ngrams, words


def score(name, *texts, **options):
    return get(name)(**options).load("cpu")([Example(text=text) for text in texts])


def row(scores, index=0):
    return {key: values[index] for key, values in scores.values.items()}


class TestWords:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", []),
            ("It's a well-known Song.", ["it's", "a", "well-known", "song"]),
            ("“Don’t”, he said -- twice!", ["don’t", "he", "said", "twice"]),
            ("3.5 naïve", ["3", "5", "naïve"]),
        ],
    )
    def test_they_are_lower_cased_and_without_punctuation(self, text, expected):
        assert words(text) == expected


class TestNumberedNgrams:
    def test_equal_ngrams_have_equal_numbers_without_gaps(self):
        rng = np.random.default_rng(0)
        texts = [rng.choice(list("abc"), rng.integers(0, 8)).tolist() for _ in range(9)]
        for n, (numbers, owners) in enumerate(numbered_ngrams(texts, 4), start=1):
            grams = [gram for text in texts for gram in ngrams(text, n)]
            assert len(set(zip(grams, numbers, strict=True))) == len(set(grams))
            assert sorted(set(numbers)) == list(range(len(set(grams))))
            sizes = [len(ngrams(text, n)) for text in texts]
            assert np.bincount(owners, minlength=9).tolist() == sizes

    @pytest.mark.parametrize("texts", [[], [[]], [["a"], []]])
    def test_short_texts_have_none(self, texts):
        *_, (numbers, owners) = numbered_ngrams(texts, 3)
        assert len(numbers) == len(owners) == 0


class TestLength:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", (0, 0, 0)),
            ("Two words. Three more words.", (5, 28, 2)),
            ("Dr. Watson  came.", (3, 17, 1)),
        ],
    )
    def test_it_counts(self, text, expected):
        found = row(score("length", text))
        assert tuple(found.values()) == expected

    def test_its_splitter_is_in_the_signature(self):
        assert "|splitter:punkt-" in get("length")().load().signature


class TestDistinct:
    def test_it_is_the_share_of_different_ngrams(self):
        found = row(score("distinct", "No no no, never"))
        expected = {"distinct_1": 2 / 4, "distinct_2": 2 / 3, "distinct_3": 1.0}
        assert found == expected | {"distinct_4": 1.0}

    def test_a_text_that_is_too_short_is_nan_with_a_reason(self):
        scores = score("distinct", "one two", "")
        assert scores.reasons["distinct_3"] == ["fewer than 3 words"] * 2
        assert scores.values["distinct_1"][0] == 1.0
        assert math.isnan(scores.values["distinct_1"][1])


class TestRepetition:
    def test_it_is_the_share_of_what_was_there_before(self):
        found = row(score("repetition", "on and on and on"))
        assert found == pytest.approx(
            {"seq_rep_2": 2 / 4, "seq_rep_3": 1 / 3, "seq_rep_4": 0, "rep": 3 / 5}
        )

    def test_the_window_limits_how_far_back_a_word_repeats(self):
        text = "one two three one"
        assert row(score("repetition", text, window=2))["rep"] == 0
        assert row(score("repetition", text, window=3))["rep"] == 1 / 4

    def test_a_window_of_nothing_is_refused(self):
        with pytest.raises(OptionError, match="window=0: expected 1 or more"):
            get("repetition")(window=0).load()

    def test_an_empty_text_is_nan_with_a_reason(self):
        scores = score("repetition", "...")
        assert scores.reasons["rep"] == ["no words"]
        assert np.isnan(scores.values["rep"]).all()


@pytest.mark.parametrize("name", ["length", "distinct", "repetition"])
def test_progress_tells_of_every_text(name):
    told = []
    get(name)().load()([Example(text="a b")] * 3, told.append)
    assert told == [3]
