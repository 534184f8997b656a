"""A study's arrays: parts of it, and names for exactly these numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.stats.data import NONE, Filters, Means, numbers
from tests.scoring.made import data, output


def test_a_mean_is_a_sum_over_a_count():
    made = data(discarded=0)
    found, n = made.human_means()
    rated = made.ratings
    mine = rated.value[(rated.text == 4) & (rated.aspect == 1)]
    assert (found[4, 1], n[4, 1]) == (mine.sum() / len(mine), len(mine))


def test_an_imported_mean_weighs_as_many_ratings_as_are_behind_it():
    made = data(raters=2, discarded=0)
    before, _ = made.human_means()
    at = np.array([0, 1]), np.array([0, 0])
    made = replace(made, means=Means(*at, np.array([5.0, 5.0]), np.array([2, 0])))
    after, n = made.human_means()
    assert after[0, 0] == (before[0, 0] * 2 + 5 * 2) / 4
    assert (after[1, 0], n[1, 0]) == (before[1, 0], 2)  # nothing: its n is not known


def test_equal_imported_means_are_equal_whatever_is_behind_them():
    made = data(raters=0, discarded=0)
    at = np.arange(4), np.zeros(4, np.intp)
    given, n = np.array([0.1, 3.3, 3.3, 0.1]), np.array([1, 3, 7, 3])
    found, _ = replace(made, means=Means(*at, given, n)).human_means()
    assert found[0, 0] == found[3, 0]
    assert found[1, 0] == found[2, 0]


def test_where_lower_is_better_scores_are_turned_round():
    made = data()
    turned = replace(made, outputs=[output(higher_is_better=False), *made.outputs[1:]])
    np.testing.assert_array_equal(turned.metric_scores()[:, 0], -made.scores[:, 0])
    aspects = [replace(made.aspects[0], higher_is_better=False), made.aspects[1]]
    lower = replace(made, aspects=aspects)
    np.testing.assert_array_equal(
        lower.human_scores()[:, 0], -made.human_scores()[:, 0]
    )
    np.testing.assert_array_equal(lower.human_scores()[:, 1], made.human_scores()[:, 1])


class TestOnly:
    def test_ratings_follow_their_texts(self):
        made = data()
        kept = made.texts.system == 1
        found = made.only(kept)
        assert found.texts.key.tolist() == made.texts.key[kept].tolist()
        np.testing.assert_array_equal(
            found.human_means()[0], made.human_means()[0][kept]
        )
        np.testing.assert_array_equal(found.scores, made.scores[kept])

    def test_negatives_forget_an_original_that_is_gone(self):
        made = data()
        found = made.only(made.texts.prompt > 0)
        assert found.negatives.source[0] == NONE
        keys = found.texts.key[found.negatives.source[1:]]
        assert keys.tolist() == made.texts.key[made.negatives.source[1:]].tolist()

    def test_nothing_may_be_left(self):
        assert len(data().only(np.zeros(18, bool)).ratings) == 0


class TestFilters:
    def test_without_a_choice_all_valid_ratings_count(self):
        made = data(discarded=0.5)
        found = Filters().apply(made)
        assert len(found.texts) == len(made.texts)
        assert len(found.ratings) == made.ratings.valid.sum()

    def test_discarded_ratings_may_count(self):
        made = data(discarded=0.5)
        assert len(Filters(with_discarded=True).apply(made).ratings) == len(
            made.ratings
        )

    @pytest.mark.parametrize(
        ("chosen", "n"),
        [
            ({"systems": ("s1",)}, 6),
            ({"labels": ("positive",)}, 9),
            ({"prompts": "1, 3-4"}, 9),
            ({"systems": ("s0", "s2"), "prompts": "6"}, 2),
            ({"systems": ("nobody",)}, 0),
        ],
    )
    def test_texts_are_chosen(self, chosen, n):
        assert len(Filters(**chosen).apply(data()).texts) == n

    def test_excluded_texts_are_out_unless_asked_for(self):
        made = data()
        excluded = np.arange(18) == 3
        made = replace(made, texts=replace(made.texts, excluded=excluded))
        assert len(Filters().apply(made).texts) == 17
        assert len(Filters(with_excluded=True).apply(made).texts) == 18

    def test_who_had_read_the_debriefing_is_out_unless_asked_for(self):
        made = data(discarded=0)
        ratings, hidden = made.ratings, made.negative_ratings
        made = replace(
            made,
            ratings=replace(ratings, informed=ratings.page == ratings.page[0]),
            negative_ratings=replace(hidden, informed=hidden.page == hidden.page[0]),
        )
        for found in (Filters().apply(made), Filters().of_texts(made)):
            assert ratings.page[0] not in found.ratings.page
            assert hidden.page[0] not in found.negative_ratings.page
            assert len(found.ratings) == np.sum(ratings.page != ratings.page[0])
        counted = Filters(with_informed=True).apply(made)
        assert len(counted.ratings) == len(ratings)
        assert len(counted.negative_ratings) == len(hidden)


def test_numbers_and_ranges_are_read():
    assert numbers("1-3, 7,").tolist() == [1, 2, 3, 7]


@pytest.mark.parametrize("text", ["a", "3-1", "1..4", "-2", "12345678"])
def test_anything_else_is_refused_in_words(text):
    with pytest.raises(ValueError, match="expected numbers and ranges such as 1-20"):
        numbers(text)


def test_one_rating_more_or_less_is_another_digest():
    made = data()
    ratings = replace(made.ratings, value=made.ratings.value.copy())
    assert made.digest() == data().digest()
    ratings.value[0] += 1
    assert replace(made, ratings=ratings).digest() != made.digest()


def test_data_without_a_surface_keep_the_name_that_they_had() -> None:
    """Bundles and results from before there was one name their data by it."""
    assert data(prompts=0).digest() == "9a5f922499d8"


def test_a_surface_is_part_of_the_name() -> None:
    made = data()
    assert made.digest() != replace(made, surface=made.surface + 1).digest()


def test_a_surface_is_cut_with_its_texts() -> None:
    made = data()
    kept = made.texts.prompt < 2
    assert (made.only(kept).surface == made.surface[kept]).all()


def test_empty_texts_stay_only_where_their_scores_are_asked_for():
    made = data()
    empty = np.arange(len(made.texts)) == 4
    excluded = replace(made.texts, excluded=np.arange(len(made.texts)) < 5)
    made = replace(made, no_output=empty, texts=excluded)
    counts = Filters().apply(made)
    assert len(counts.texts) == len(made.texts) - 5 and not counts.no_output.any()
    found = Filters().apply(made, with_no_output=True)
    assert len(found.texts) == len(made.texts) - 4
    assert found.texts.key[found.no_output].tolist() == [made.texts.key[4]]
