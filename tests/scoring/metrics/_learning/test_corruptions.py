import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.perturbations import _inflection
from annotation.perturbations._inflection import tokenized
from scoring.metrics._learning import corruptions
from scoring.metrics._learning.corruptions import corrupt, methods, rng_of

TEXT = (
    "The ferry was late, and the crowd on the pier was cold. Then the captain came"
    " down and poured coffee for everyone. Nobody stayed angry for long.  It's hard to"
    " frown over a warm cup.\n\nBy the time we landed, strangers didn't stop sharing"
    " “their” maps (of the U.S. coast)."
)
WORDS = tokenized(TEXT).words
BOTH = methods("shufflection", p_shuffle=0.8, p_inflect=0.6)

some = settings(max_examples=60)


@some
@given(st.text())
def test_tokens_and_gaps_are_the_text_again(text):
    tokens = tokenized(text)
    assert tokens.text == text
    assert not any(any(map(str.isspace, word)) for word in tokens.words)
    assert all(gap.isspace() for gap in tokens.gaps if gap)
    assert len(_inflection.tags(tokens.words)) == len(tokens.words)


@pytest.mark.parametrize(
    "text, words",
    [
        ("I can't go.", "I ca n't go ."),
        ("He’s 1,000.5 years old...", "He ’s 1,000.5 years old ..."),
        ("(a well-known U.S. o'clock)", "( a well-known U.S. o'clock )"),
        ("End.The next", "End . The next"),
        ("cafe\u0301s été 日本", "cafe\u0301s été 日本"),
    ],
)
def test_tokens_are_those_of_the_treebank(text, words):
    assert " ".join(tokenized(text).words) == words


def test_a_slash_or_a_line_break_does_not_confuse_the_tagger():
    words = ("Cats", "and/or", "/", "&slash;", ".", "They", "ran", "|", "!")
    found = _inflection.tags(words)
    assert len(found) == len(words)
    assert found[5:7] == ["PRP", "VBD"]


def test_other_forms_are_of_any_part_of_speech_and_never_the_word_itself():
    assert _inflection.other_forms("books", "NNS") == ("book", "booked", "booking")
    assert _inflection.other_forms("Books", "NNS")[0] == "Book"
    assert _inflection.other_forms("WAS", "VBD")[0] == "AM"
    assert _inflection.other_forms("blorfix", "NN") == ()


@some
@given(st.text(), st.integers(0, 2**32))
def test_what_changed_is_counted_against_the_state_before(text, seed):
    text = f"{TEXT[: seed % 90]} {text}"
    found = corrupt(text, BOTH, rng_of(seed, 0))
    rng = rng_of(seed, 0)  # step by step, with the same chance
    before, changed = tokenized(text), []
    for (name, p), rate in zip(BOTH, found.rates, strict=True):
        assert rng.uniform(0, p) == rate <= p
        do = {"inflect": corruptions.inflect, "shuffle": corruptions.shuffle_locally}
        after = do[name](before, rate, rng)
        changed.append(sum(map(str.__ne__, before.words, after.words)))
        before = after
    assert found.changed == tuple(changed)
    assert found.text == before.text
    n = found.n_tokens
    assert n == len(before.words)
    assert math.isnan(found.score) if n == 0 else 0 <= found.score <= 1
    if n:
        assert found.score == pytest.approx(1 - sum(changed) / (2 * n))


@pytest.mark.parametrize("name", corruptions.METHODS)
def test_a_rate_of_zero_changes_nothing(name):
    found = corrupt(TEXT, methods(name, p_shuffle=0, p_inflect=0), rng_of(0, 0))
    assert (found.text, found.score, set(found.rates)) == (TEXT, 1.0, {0.0})


@some
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(0, 4))
def test_shuffling_permutes_tokens_within_windows(seed, shortest, more):
    before, rng = tokenized(TEXT), rng_of(seed, 0)
    after = corruptions.shuffle_locally(before, 1.0, rng, shortest, shortest + more)
    assert sorted(after.words) == sorted(before.words)
    reach = shortest + more
    for i, word in enumerate(after.words):
        assert word in before.words[max(0, i - reach + 1) : i + reach]
    rng, start = rng_of(seed, 0), 0  # the windows that were drawn
    while start < len(before.words):
        end = start + int(rng.integers(shortest, reach + 1))
        rng.random()
        rng.shuffle(np.arange(len(before.words[start:end])))
        assert sorted(after.words[start:end]) == sorted(before.words[start:end])
        start = end


def test_every_length_of_a_window_is_as_likely():
    """A pair stays as it is half the time, so the share that moves tells the length."""
    words = tokenized(" ".join(map(str, range(6000))))
    for shortest, longest in ((2, 2), (5, 5), (2, 5)):
        after = corruptions.shuffle_locally(words, 1.0, rng_of(1, 0), shortest, longest)
        lengths = np.arange(shortest, longest + 1)
        moved = np.mean([a != b for a, b in zip(words.words, after.words, strict=True)])
        # One token of each window is expected to stay.
        assert moved == pytest.approx(1 - 1 / lengths.mean(), abs=0.02)


def test_a_window_that_is_not_drawn_passes_as_it_is():
    words = tokenized(" ".join(map(str, range(6000))))
    after = corruptions.shuffle_locally(words, 0.3, rng_of(2, 0), 5, 5)
    windows = np.reshape(after.words, (-1, 5)) != np.reshape(words.words, (-1, 5))
    assert windows.any(axis=1).mean() == pytest.approx(0.3 * 119 / 120, abs=0.03)


def test_shuffling_glues_no_words_together_and_parts_no_full_stop():
    for seed in range(50):
        tokens = tokenized("It was cold. We left, but (oh) he didn't.\nNever.")
        after = corruptions.shuffle_locally(tokens, 1.0, rng_of(seed, 0))
        found = re.findall(r"[\w']+", after.text.replace("n't", " n't"))
        assert found == [word for word in after.words if any(map(str.isalpha, word))]
        assert " ." not in after.text and " ," not in after.text


def test_inflection_changes_words_with_the_tags_of_the_paper_only():
    before = tokenized(TEXT)
    after = corruptions.inflect(before, 1.0, rng_of(0, 0))
    changed = {a for a, b in zip(before.words, after.words, strict=True) if a != b}
    assert {"ferry", "was", "late", "poured", "strangers"} <= changed
    assert not changed & {"The", "and", "on", "for", "It", "'s", "n't", ".", "“"}
    assert after.gaps == before.gaps


def test_inflection_draws_each_word_with_the_probability():
    before = tokenized("dogs cats houses trees " * 500)
    after = corruptions.inflect(before, 0.3, rng_of(0, 0))
    changed = np.mean([a != b for a, b in zip(before.words, after.words, strict=True)])
    assert changed == pytest.approx(0.3, abs=0.04)


def test_both_methods_count():
    found = [corrupt(TEXT, BOTH, rng_of(0, i)) for i in range(20)]
    assert (np.sum([one.changed for one in found], axis=0) > 20).all()
    assert [name for name, _ in BOTH] == ["inflect", "shuffle"]


def test_rates_are_drawn_for_each_text_and_each_method():
    rates = np.array([corrupt("a", BOTH, rng_of(0, i)).rates for i in range(400)])
    assert rates.mean(axis=0) == pytest.approx([0.3, 0.4], abs=0.03)
    assert rates.max(axis=0) == pytest.approx([0.6, 0.8], abs=0.02)
    assert abs(np.corrcoef(rates.T)[0, 1]) < 0.15


def test_an_example_comes_again_from_its_seed_and_number_alone():
    assert corrupt(TEXT, BOTH, rng_of(3, 7)) == corrupt(TEXT, BOTH, rng_of(3, 7))
    drawn = {rng_of(*key).random() for key in ((3, 7), (3, 8), (4, 7), (3, 7, 0))}
    assert len(drawn) == 4


def test_a_text_without_tokens_has_no_score():
    for text in ("", " \n"):
        found = corrupt(text, BOTH, rng_of(0, 0))
        assert (found.text, found.changed, found.n_tokens) == (text, (0, 0), 0)
        assert math.isnan(found.score)


def test_a_single_word_can_only_be_inflected():
    shuffled = corrupt("books", [("shuffle", 1.0)], rng_of(0, 0))
    assert (shuffled.text, shuffled.score) == ("books", 1.0)
    found = {corrupt("books", [("inflect", 1.0)], rng_of(0, i))[0] for i in range(50)}
    assert found == {"books", "book", "booked", "booking"}


@pytest.mark.parametrize(
    "wrong", [[], [("reverse", 0.5)], [("shuffle", 1.5)], [("inflect", math.nan)]]
)
def test_it_says_which_methods_there_are(wrong):
    with pytest.raises(ValueError, match="expected"):
        corrupt(TEXT, wrong, rng_of(0, 0))


def test_it_refuses_unknown_sets_of_methods_and_impossible_windows():
    with pytest.raises(ValueError, match="shufflection"):
        methods("reverse", p_shuffle=1, p_inflect=1)
    with pytest.raises(ValueError, match="longest"):
        corrupt(TEXT, [("shuffle", 1.0)], rng_of(0, 0), shortest=4, longest=3)
