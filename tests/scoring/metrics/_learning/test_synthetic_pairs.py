"""Worse copies of texts, and what they have in common with them."""

import numpy as np
import pytest

from scoring.metrics import MetricError
from scoring.metrics._learning import synthetic_pairs as synthetic
from scoring.metrics._learning.corruptions import rng_of

TEXT = "The old ferry left the harbour at seven. Nobody on deck said a word to her."
OTHER = "Gulls cried over white houses while rain came in from every quarter there."


def rng(index=0):
    return rng_of(3, index)


class TestPassages:
    TEXT = "One came.  Two left. Three\nstayed here. Four slept. Five sang."

    def test_are_one_to_three_sentences_in_a_row(self):
        found = {synthetic.passage(self.TEXT, 99, rng(k)) for k in range(60)}
        whole = " ".join(self.TEXT.split())
        assert all(one and one in whole for one in found)
        assert {one.count(".") for one in found} == {1, 2, 3}

    def test_have_so_many_words_at_most(self):
        for k in range(9):
            assert len(synthetic.passage(TEXT, 3, rng(k)).split()) == 3

    def test_of_nothing_are_empty(self):
        assert synthetic.passage(" \n", 9, rng()) == ""


class TestPairs:
    def test_depend_on_the_chance_alone(self):
        first, again, other = (
            [synthetic.pair(TEXT, OTHER, rng_of(seed, k)) for k in range(20)]
            for seed in (1, 1, 2)
        )
        assert first == again != other

    def test_come_in_all_kinds_with_their_shares(self):
        kinds = [synthetic.pair(TEXT, OTHER, rng(k)).kind for k in range(400)]
        for kind, share in synthetic.SHARES.items():
            assert kinds.count(kind) / 400 == pytest.approx(share, abs=0.08)

    def test_have_words_on_both_sides_whatever_the_text(self):
        for text in ("Go", "Go on.", "到了。", TEXT):
            for k in range(50):
                found = synthetic.pair(text, "A b", rng(k))
                assert found.reference == text and found.candidate.strip()

    def test_the_same_text_loses_words_at_most(self):
        found = [synthetic.pair(TEXT, OTHER, rng(k)) for k in range(200)]
        same = [one.candidate for one in found if one.kind == "same"]
        assert TEXT in same
        assert all(set(one.split()) <= set(TEXT.split()) for one in same)


class TestFilling:
    def test_changes_half_of_the_words_at_most_and_keeps_their_number(self):
        for k in range(50):
            new = synthetic.filled(TEXT, OTHER, rng(k)).split()
            pairs = zip(TEXT.split(), new, strict=True)
            changed = [b for a, b in pairs if a != b]
            assert 1 <= len(changed) <= 8 and set(changed) <= set(OTHER.split())

    def test_by_a_model_puts_its_words_between_what_stays(self):
        def fill(before, after, n):
            asked.append((before, after, n))
            return "THESE"

        asked = []
        found = [synthetic.filled(TEXT, OTHER, rng(k), fill) for k in range(20)]
        filled = [one for one in found if "THESE" in one]
        assert len(filled) == len(asked) > 5
        for one, (before, after, n) in zip(filled, asked, strict=True):
            assert one == f"{before} THESE {after}".strip()
            assert len(f"{before} {after}".split()) == len(TEXT.split()) - n

    def test_takes_other_words_where_the_model_has_none(self):
        for k in range(20):
            found = synthetic.filled(TEXT, OTHER, rng(k), lambda *_: "")
            assert len(found.split()) == len(TEXT.split()) and found != TEXT


class TestFiller:
    def test_says_the_same_each_time(self, pegasus):
        fill = synthetic.Filler(pegasus)
        found = fill("the ferry left", "at seven", 3)
        assert isinstance(found, str) and "<" not in found
        assert fill("the ferry left", "at seven", 3) == found

    def test_leaves_a_text_alone_that_has_its_mark(self, pegasus):
        assert synthetic.Filler(pegasus)("a <mask_1>", "b", 2) == ""

    def test_wants_a_model_that_fills_gaps(self, gpt2):
        with pytest.raises(MetricError, match="cannot fill gaps"):
            synthetic.Filler(gpt2)


class TestDropping:
    def test_leaves_some_words_in_order(self):
        sizes = set()
        for k in range(80):
            left = synthetic.dropped("a b c d e", rng(k)).split()
            assert left == sorted(left)
            sizes.add(len(left))
        assert sizes == {1, 2, 3, 4}

    def test_leaves_a_single_word(self):
        assert synthetic.dropped("a", rng()) == "a"


class TestSignals:
    def test_are_one_for_the_same_and_none_for_nothing_in_common(self):
        found = synthetic.Signals()([(TEXT, TEXT), (TEXT, "Xylophones vibrate")])
        assert found == pytest.approx(np.array([[1.0] * 4, [0.0] * 4]), abs=1e-9)

    def test_are_those_of_the_metrics(self):
        signals = synthetic.Signals()
        assert signals.names == ("bleu", "rouge-1", "rouge-2", "rouge-l")
        (row,) = signals([("a b c d", "a b x d")])
        # Words 3 of 4, pairs 1 of 3, in order 3 of 4 on both sides.
        assert row[1:].tolist() == pytest.approx([3 / 4, 1 / 3, 3 / 4])

    def test_are_missing_where_they_are_not_defined(self):
        (row,) = synthetic.Signals()([("…!", "…!")])  # not a word on either side
        assert np.isfinite(row[0]) and np.isnan(row[1:]).all()
