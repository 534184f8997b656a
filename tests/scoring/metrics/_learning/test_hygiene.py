"""What would be scored is never learned from; who was held out stays so."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scoring.metrics import MetricError
from scoring.metrics._learning import hygiene
from scoring.metrics._learning.training import Rated, Training, TrainingData, digest

RUN = "one two three four five six seven eight nine ten eleven twelve thirteen"
RUN_HASH, SUN_HASH = 3932712161727444140, 6971109572091258479


def story(seed: int, n: int = 60) -> str:
    words = np.random.default_rng(seed).integers(0, 10_000, n)
    return " ".join(f"w{word}" for word in words)


class TestRunsOfWords:
    def test_are_one_for_each_place_where_thirteen_begin(self):
        assert [len(hygiene.grams(story(0, n))) for n in (13, 14, 60)] == [1, 2, 48]

    def test_of_a_short_text_are_one_and_of_no_words_none(self):
        assert len(hygiene.grams("A sun.")) == 1
        assert len(hygiene.grams("")) == len(hygiene.grams(" ?! ")) == 0

    def test_do_not_see_case_and_marks_but_the_order(self):
        assert hygiene.grams(RUN) == hygiene.grams(
            f" {RUN.upper()}!".replace(" ", ", ")
        )
        assert hygiene.grams(RUN) != hygiene.grams(" ".join(RUN.split()[::-1]))

    def test_are_the_same_on_every_machine(self):
        assert hygiene.grams(RUN).tolist() == [RUN_HASH]
        assert hygiene.grams("the sun").tolist() == [SUN_HASH]

    def test_are_the_same_whichever_texts_are_hashed_together(self, monkeypatch):
        texts = [story(k, 3 * k) for k in range(20)]
        together = list(hygiene._slabs(texts))
        monkeypatch.setattr(hygiene, "SLAB", 1)
        alone = list(hygiene._slabs(texts))
        for k in range(2):
            np.testing.assert_array_equal(
                np.concatenate([one[k] for one in together]),
                np.concatenate([one[k] for one in alone]),
            )


class TestTouching:
    def test_finds_thirteen_words_in_a_row_anywhere(self):
        known = hygiene.all_grams([story(1), f"{story(2)} {RUN} {story(3)}"])
        assert hygiene.touches(f"They said {RUN}.", known)

    def test_finds_no_twelve(self):
        known = hygiene.all_grams([f"{story(2)} {RUN} {story(3)}"])
        assert not hygiene.touches(RUN.rpartition(" ")[0] + " and more", known)

    def test_finds_a_short_text_as_a_whole_only(self):
        known = hygiene.all_grams(["It was good.", RUN])
        assert hygiene.touches("it was GOOD!", known)
        assert not hygiene.touches(f"It was good. {story(4)}", known)
        assert not hygiene.touches("It was good, good.", known)
        assert not hygiene.touches("two three four", known)

    def test_nothing_touches_nothing(self):
        nothing = hygiene.all_grams([])
        assert not hygiene.touches(RUN, nothing)
        assert not hygiene.touches("", hygiene.all_grams(["", RUN]))
        assert hygiene.touching([], nothing).shape == (0,)

    def test_tells_which_of_many(self, monkeypatch):
        monkeypatch.setattr(hygiene, "SLAB", 3)
        texts = [story(k) for k in range(10)]
        known = hygiene.all_grams([texts[4], texts[9]])
        assert np.flatnonzero(hygiene.touching(texts, known)).tolist() == [4, 9]

    def test_has_no_chance_hits_in_a_thousand_texts(self):
        known = hygiene.all_grams(story(k) for k in range(1000))
        others = [story(k) for k in range(1000, 2000)]
        assert not hygiene.touching(others, known).any()


class TestWhatACheckpointKeeps:
    def test_is_a_tenth_and_finds_every_copy(self):
        texts = [story(k, 20 + k) for k in range(200)]
        kept = hygiene.seen(texts)
        assert len(kept) < sum(len(hygiene.grams(text)) for text in texts) / 10
        assert hygiene.touching(texts, kept).all()
        assert hygiene.touching([f"So: {text}, yes." for text in texts], kept).all()

    def test_finds_nearly_all_quotations_of_a_hundred_words(self):
        kept = hygiene.seen(story(k, 300) for k in range(100))
        quoted = [" ".join(story(k, 300).split()[50:150]) for k in range(100)]
        assert hygiene.touching(quoted, kept).mean() > 0.9

    def test_is_nothing_of_nothing(self):
        assert len(hygiene.seen([])) == len(hygiene.seen(["", "!"])) == 0


class TestHeldOut:
    def test_is_a_share_of_the_documents(self):
        texts = [story(k) for k in range(2000)]
        share = np.mean([hygiene.is_held_out(text, 0.2) for text in texts])
        assert share == pytest.approx(0.2, abs=0.03)

    def test_copies_stay_together_and_a_larger_share_holds_the_smaller(self):
        for k in range(50):
            place = hygiene.place(story(k))
            assert 0 <= place < 1
            assert place == hygiene.place(f" {story(k).upper()}!")


class TestAuc:
    def test_is_the_share_of_pairs_in_the_right_order(self):
        assert hygiene.auc([1, 2, 3, 4], [False, True, False, True]) == 0.75
        assert hygiene.auc([1, 1], [False, True]) == 0.5
        assert hygiene.auc([1, 2], [True, True]) is None

    def test_length_tells_the_same_from_either_side(self):
        assert hygiene.separable([1, 2, 9], [True, True, False]) == 1.0
        assert hygiene.separable([9, 8, 1], [True, True, False]) == 1.0
        assert hygiene.separable([9], [True]) is None


class TestCleaning:
    def data(self, **more) -> TrainingData:
        texts = [story(k) for k in range(40)]
        texts[5] = "  "
        evaluated = [f"Listen: {texts[3]}", f"{texts[7][:200]} and so on"]
        return TrainingData(**{"texts": texts, "evaluated": evaluated, **more})

    def test_leaves_out_what_is_to_be_scored_and_says_how_much(self, tmp_path):
        data = self.data()
        clean, facts = hygiene.cleaned(data, Training(texts=100), tmp_path)
        assert clean.texts == [
            t for k, t in enumerate(data.texts) if k not in (3, 5, 7)
        ]
        assert (facts["given"], facts["empty"], facts["overlapping"]) == (40, 1, 2)
        assert facts["evaluated"] == 2

    def test_draws_texts_by_the_seed_and_keeps_their_labels(self, tmp_path):
        data = self.data(labels=[str(k) for k in range(40)])
        found = []
        for seed in (0, 0, 1):
            folder = tmp_path / str(len(found))
            folder.mkdir()
            options = Training(texts=20, seed=seed)
            clean, facts = hygiene.cleaned(data, options, folder)
            assert [data.texts[int(k)] for k in clean.labels] == clean.texts
            assert facts["drawn"] == 20 and len(facts["classes"]) == len(clean.texts)
            found.append(clean.texts)
        assert found[0] == found[1] != found[2]

    def test_is_done_once_whatever_is_to_be_scored_later(self, tmp_path):
        options = Training(texts=100)
        first, _ = hygiene.cleaned(self.data(), options, tmp_path)
        later, _ = hygiene.cleaned(self.data(evaluated=[story(9)]), options, tmp_path)
        assert first.texts == later.texts and digest(first) == digest(later)

    def test_refuses_the_folder_of_other_data(self, tmp_path):
        hygiene.cleaned(self.data(), Training(), tmp_path)
        other = TrainingData(texts=[story(k) for k in range(30)])
        with pytest.raises(MetricError, match="on 40 texts and 0 rated ones, got 30"):
            hygiene.cleaned(other, Training(), tmp_path)

    def test_leaves_out_rated_texts_by_text_and_reference(self, tmp_path):
        rated = [Rated(story(k), story(k + 100), 0.5, str(k)) for k in range(12)]
        data = TrainingData(rated=rated, evaluated=[story(2), story(103)])
        clean, facts = hygiene.cleaned(data, Training(), tmp_path)
        assert clean.rated == [one for k, one in enumerate(rated) if k not in (2, 3)]
        assert facts["overlapping_rated"] == 2

    def test_says_that_too_little_is_left_and_why(self, tmp_path):
        texts = [story(k) for k in range(10)]
        data = TrainingData(texts=texts, evaluated=texts[:5])
        with pytest.raises(MetricError, match=r"got 5; 5 were left out because they"):
            hygiene.cleaned(data, Training(), tmp_path)
        assert not (tmp_path / hygiene.FOUND).exists()

    def test_asks_for_a_label_of_each_text(self, tmp_path):
        with pytest.raises(MetricError, match="a label for each of 40 texts, got 1"):
            hygiene.cleaned(self.data(labels=["a"]), Training(), tmp_path)

    def test_what_it_found_is_plain_json(self, tmp_path):
        hygiene.cleaned(self.data(), Training(), tmp_path)
        kept = json.loads((tmp_path / hygiene.FOUND).read_text())
        assert len(kept["texts"]) == 37


def test_the_digest_is_of_all_that_is_learned_from_and_of_nothing_else():
    data = TrainingData(texts=["a", "b"], labels=["x", "y"], evaluated=["c"])
    same = TrainingData(texts=("a", "b"), labels=("x", "y"), evaluated=["d"], seed=3)
    assert digest(data) == digest(same)
    assert digest(data) != digest(TrainingData(texts=["a", "b"], labels=["x", "z"]))
    assert digest(TrainingData(texts=["ab"])) != digest(TrainingData(texts=["a", "b"]))
