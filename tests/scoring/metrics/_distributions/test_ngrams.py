import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from scoring.metrics._distributions import ngrams
from scoring.metrics._distributions.ngrams import FALLBACK, Vocabulary, learn

GOLDEN = Path(__file__).parents[3] / "golden" / "kneser_ney.json"
TINY = ["a b a c", "a b", "", "c", "b a b a b a c c", "a b a c"]


def made_up(count, seed=1, words=60):
    """Texts of words that follow from each other; the same on every machine."""
    state, texts = seed, []

    def below(most):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return (state >> 12) % most

    for _ in range(count):
        text = [below(words)]
        while len(text) < 5 + below(25):
            rare = words + below(1 + below(3000))
            common = (text[-1] * 7 + below(1 + below(1 + below(1 + below(20))))) % words
            text.append(common if below(20) else rare)
        texts.append(" ".join(f"w{word}" for word in text))
    return texts


# What the numbers in the golden file were made of: corpus, texts, lmplz's options.
CASES = {
    "discounts": (made_up(1000), made_up(20, 2), ""),
    "fallback": (made_up(4), made_up(20, 3), "--discount_fallback"),
    "padded": (made_up(1000), made_up(20, 2), "--vocab_pad 5000"),
    "short": (TINY, ["", "a", "a b a c", "b d", "c c c c c c"], "--discount_fallback"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_kenlm_gives(name):
    corpus, texts, options = CASES[name]
    vocabulary = Vocabulary(corpus)
    size = 5001 if "pad" in options else len(vocabulary)
    found = learn(vocabulary.rows(corpus), size)(vocabulary.rows(texts)) / np.log(10)
    golden = json.loads(GOLDEN.read_text())["log10"][name]
    np.testing.assert_allclose(found, golden, rtol=0, atol=1e-5)


@pytest.mark.parametrize("texts", [TINY, made_up(300)])
def test_it_is_the_recursion_of_the_paper(texts):
    vocabulary = Vocabulary(texts)
    rows = vocabulary.rows(texts)
    asked = vocabulary.rows(["a b a c b", "d a b", "w15 w46 w23 w43 w2 w14", ""])
    found = learn(rows, len(vocabulary), order=4)(asked)
    slow = Slow(rows, len(vocabulary), order=4)
    np.testing.assert_allclose(found, [slow.log(row) for row in asked], rtol=1e-12)


@pytest.mark.parametrize("texts", [TINY, made_up(50), [], [""]])
def test_what_may_follow_sums_to_one(texts):
    vocabulary = Vocabulary([*TINY, *made_up(3)])
    size = len(vocabulary)
    model = learn(vocabulary.rows(texts), size)
    for context in ("", "a b", "a b a c", "w7", "never b a", "b a b a b a"):
        start = vocabulary.rows([context])[0][:-1]
        next_words = [word for word in range(size) if word != ngrams.START]
        follow = [model.of_each(np.array([*start, word]))[-1] for word in next_words]
        assert sum(follow) == pytest.approx(1, abs=1e-12)


def test_a_model_of_nothing_is_uniform():
    vocabulary = Vocabulary(["a b"])  # and the end, and an unknown word
    found = learn([], len(vocabulary))(vocabulary.rows(["a b", ""]))
    np.testing.assert_allclose(found, [3 * np.log(1 / 4), np.log(1 / 4)])
    assert learn([], len(vocabulary))([]).shape == (0,)


def test_discounts_out_of_range_fall_back():
    usual = ngrams._discounts(np.repeat([1, 2, 3, 4], [40, 12, 6, 3]))
    # Y = 40 / 64; 1 - 2 Y 12/40, 2 - 3 Y 6/12, 3 - 4 Y 3/6
    np.testing.assert_allclose(usual, [0, 0.625, 1.0625, 1.75])
    for counts in ([40, 0, 6, 3], [2, 1, 1, 30], [4, 1, 1, 0], [0, 0, 0, 0]):
        odd = ngrams._discounts(np.repeat([1, 2, 3, 4], counts))
        np.testing.assert_array_equal(odd, FALLBACK)


def test_words_keep_their_case_and_marks():
    vocabulary = Vocabulary(["So,\tso\n so </s>"])
    assert len(vocabulary) == 3 + 3
    row = vocabulary.rows(["so So, never </s>"])[0]
    assert row[0] == ngrams.START and row[-1] == ngrams.END
    assert row[3] == ngrams.UNKNOWN and row[4] not in range(3)


class Slow:
    """The same, word by word in dictionaries, from the equations."""

    def __init__(self, rows, size, order):
        self.size, self.order = size, order
        raw = Counter(
            tuple(row[k - n + 1 : k + 1])
            for row in map(list, rows)
            for n in range(1, order + 1)
            for k in range(max(1, n - 1), len(row))
        )
        before = defaultdict(set)
        for gram in raw:
            before[gram[1:]].add(gram[0])
        self.a = {
            gram: count
            if len(gram) == order or gram[0] == ngrams.START
            else len(before[gram])
            for gram, count in raw.items()
        }
        self.discounts = {n: self.discounts_of(n) for n in range(1, order + 1)}
        self.follow = defaultdict(list)
        for gram, count in self.a.items():
            self.follow[gram[:-1]].append(count)

    def discounts_of(self, n):
        have = Counter(count for gram, count in self.a.items() if len(gram) == n)
        if not all(have[k] for k in (1, 2, 3)):
            return FALLBACK
        y = have[1] / (have[1] + 2 * have[2])
        found = [k - (k + 1) * y * have[k + 1] / have[k] for k in (1, 2, 3)]
        fits = all(0 < d <= k for k, d in enumerate(found, start=1))
        return (0, *found) if fits else FALLBACK

    def p(self, word, context):
        follow = self.follow[context]
        below = self.p(word, context[1:]) if context else 1 / (self.size - 1)
        if not follow:
            return below
        discounts = self.discounts[len(context) + 1]
        a = self.a.get((*context, word), 0)
        freed = sum(discounts[min(count, 3)] for count in follow)
        return (a - discounts[min(a, 3)] + freed * below) / sum(follow)

    def log(self, row):
        row = list(row)
        return sum(
            np.log(self.p(row[k], tuple(row[max(0, k - self.order + 1) : k])))
            for k in range(1, len(row))
        )
