import doctest
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import agreement
from scoring.stats.agreement import LEVELS, alpha, equal_share
from tests.support import shared

SCALE = np.arange(1, 6)


def counted(ratings):
    """Raters x units with None for gaps -> counts, values."""
    ratings = np.array(ratings, dtype=float)
    values = np.unique(ratings[~np.isnan(ratings)])
    return (ratings.T[:, :, np.newaxis] == values).sum(axis=1), values


def golden():
    path = shared.path("golden/other/krippendorff_golden.json")
    return json.loads(path.read_text())["results"]


@pytest.fixture(params=["with the package", "without it"])
def way(request, monkeypatch):
    """A bundle computes without the package."""
    if request.param == "without it":
        monkeypatch.setattr(agreement, "krippendorff", None)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("level", LEVELS)
def test_it_equals_the_golden_numbers(level):
    for name, case in golden().items():
        found = alpha(*counted(case["data"]), level)
        if isinstance(case[level], float):
            assert found.value == pytest.approx(case[level], abs=1e-12), name
        else:
            assert found.value is None and found.reason, name


@pytest.mark.parametrize("level", LEVELS)
def test_the_form_for_many_values_gives_the_same(level, monkeypatch):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(3, np.full(101, 1 / 101), size=60)
    small = alpha(counts, np.arange(101), level)
    monkeypatch.setattr(agreement, "MAX_CELLS", 0)
    assert alpha(counts, np.arange(101), level).value == pytest.approx(
        small.value, abs=1e-12
    )


def test_a_slider_of_101_points_never_makes_the_big_arrays(monkeypatch):
    monkeypatch.setattr(agreement.krippendorff, "alpha", None)
    counts = np.random.default_rng(1).multinomial(3, np.full(101, 1 / 101), size=5000)
    assert alpha(counts, np.arange(101), "interval").value == pytest.approx(0, abs=0.05)


# Krippendorff (2011), the example of four observers and twelve units, and its alphas.
OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
FOUND = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("level", LEVELS)
def test_it_equals_the_example_that_krippendorff_published(level):
    rows = [[None if x == "." else int(x) for x in row.split()] for row in OBSERVERS]
    assert alpha(*counted(rows), level).value == pytest.approx(FOUND[level], abs=5e-4)


SCALES = ([1, 2, 3, 4, 5], [0, 25, 50, 75, 100], [0.1, 0.2, 0.3, 4, 9], [5, 3, 4, 1, 2])


@settings(max_examples=300)
@given(
    counts=st.lists(
        st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=1, max_size=12
    ),
    scale=st.sampled_from(SCALES),
    level=st.sampled_from(LEVELS),
)
def test_it_is_the_same_without_the_package(counts, scale, level):
    data = np.array(counts), np.array(scale), level
    with_it = alpha(*data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement, "krippendorff", None)
        without = alpha(*data)
    assert without[1:] == with_it[1:]
    if with_it.value is None:
        assert without.value is None
    else:
        assert without.value == pytest.approx(with_it.value, rel=1e-12, abs=1e-12)


def test_perfect_agreement_is_one():
    assert alpha(np.array([[3, 0], [0, 3]]), np.array([1, 5]), "ordinal").value == 1


def test_it_may_be_negative():
    assert alpha(*counted([[1, 2, 3, 4], [4, 3, 2, 1]]), "interval").value < 0


def test_no_text_with_two_ratings_is_none_with_the_reason():
    found = alpha(*counted([[1, None], [None, 2]]), "ordinal")
    assert found == (None, "no text has two ratings", 0, 0)


def test_no_ratings_at_all_is_none_with_the_reason():
    found = alpha(np.empty((0, 5)), SCALE, "ordinal")
    assert found == (None, "no text has two ratings", 0, 0)


def test_ratings_that_are_all_the_same_are_none_with_the_reason():
    found = alpha(*counted([[2, 2], [2, 2]]), "nominal")
    assert found == (None, "all ratings are the same", 2, 4)


def test_single_ratings_do_not_count():
    pairs = [[1, 2, 3, 4], [1, 2, 3, 3]]
    alone = [[*pairs[0], 5], [*pairs[1], None]]
    assert alpha(*counted(alone), "ordinal") == alpha(*counted(pairs), "ordinal")


def test_unused_points_of_the_scale_change_nothing():
    counts, values = counted([[1, 2, 5, 5], [1, 5, 5, 2]])
    padded = np.zeros((len(counts), 5), int)
    padded[:, [0, 1, 4]] = counts
    for level in LEVELS:
        found = alpha(padded, SCALE, level).value
        assert found == pytest.approx(alpha(counts, values, level).value, abs=1e-14)


def test_the_order_of_the_columns_changes_nothing():
    counts, values = counted([[1, 2, 5, 5], [1, 5, 5, 2]])
    found = alpha(counts[:, ::-1], values[::-1], "ordinal").value
    assert found == pytest.approx(alpha(counts, values, "ordinal").value, abs=1e-14)


def test_an_unknown_level_names_the_levels():
    with pytest.raises(ValueError, match="nominal, ordinal, interval, ratio"):
        alpha(np.array([[2]]), np.array([1]), "likert")


def test_shapes_that_do_not_match_are_named():
    with pytest.raises(ValueError, match=r"\(1, 2\)"):
        alpha(np.array([[1, 1]]), np.array([1]), "ordinal")


def test_equal_share_counts_equal_pairs_of_ratings():
    # Three raters: 1 of 3 pairs is equal; two raters: their one pair is equal.
    counts = np.array([[2, 1], [0, 2], [1, 0]])
    assert equal_share(counts) == pytest.approx((3 * 1 / 3 + 2 * 1) / 5)
    assert equal_share(np.array([[1, 0]])) is None
    assert equal_share(np.array([[20, 0]], np.uint8)) == 1  # 20 x 19 is no byte


@pytest.mark.usefixtures("way")
def test_it_equals_the_published_values_of_newsroom():
    data = json.loads(shared.path("data/newsroom/ratings.json").read_text())
    published = json.loads(
        shared.path("data/newsroom/published_alpha.json").read_text()
    )
    for aspect, values in next(iter(published.values())).items():
        rated = [
            item["annotations"][aspect]["individual_human_scores"]
            for item in data["instances"]
        ]
        found = alpha(*counted(np.array(rated).T), "ordinal").value
        assert found == pytest.approx(values["krippendorff_alpha"], abs=1e-12)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("level", "expected"), [("ordinal", 0.767107), ("interval", 0.770606)]
)
def test_it_equals_the_known_values_of_mans(level, expected):
    path = shared.path("data/openmeva_mans/mans_roc.json")
    stories = json.loads(path.read_text()).values()
    scores = [text["score"] for story in stories for text in story["gen"].values()]
    found = alpha(*counted(np.array(scores).T), level)
    assert found.value == pytest.approx(expected, abs=1e-6)
    assert (found.n_units, found.n_ratings) == (1000, 5000)


def test_the_examples_in_the_text_hold():
    assert doctest.testmod(agreement).failed == 0
