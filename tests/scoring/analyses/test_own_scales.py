"""Questions with scales and levels of their own, in the analyses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring import analyses
from scoring.stats import agreement, folder
from scoring.stats.data import Data, Unsaid
from scoring.stats.within_aspects import alpha_within
from tests.scoring import made

PLAIN = made.data(prompts=8, systems=3, raters=4, discarded=0)


def with_slider() -> Data:
    """The same ratings; those of fluency times 20, from 0 to 100, are interval."""
    ratings, fluency = PLAIN.ratings, PLAIN.ratings.aspect == 1
    value = np.where(fluency, 20 * ratings.value, ratings.value)
    first, second = PLAIN.aspects
    second = replace(second, level="interval", scale=(0, 100))
    return replace(
        PLAIN, aspects=[first, second], ratings=replace(ratings, value=value)
    )


MIXED = with_slider()


def run(data, name="agreement", **chosen):
    return analyses.run(name, data, analyses.options(name, chosen))


def named(rows, key):
    (row,) = [row for row in rows if row["key"] == key]
    return row


def test_each_aspect_has_alpha_at_its_own_level():
    found = run(MIXED)
    assert found["level"] == "own"
    for place, level in enumerate(["ordinal", "interval"]):
        expected = agreement.alpha(*PLAIN.counts(place), level).value
        row = found["rows"][place]
        assert row["alpha"]["value"] == pytest.approx(expected)
        assert f"level:{level}" in row["alpha"]["signature"]


def test_a_level_that_is_asked_for_counts_for_all():
    found = run(MIXED, level="nominal")
    expected = agreement.alpha(*PLAIN.counts(1), "nominal").value
    assert found["level"] == "nominal"
    assert found["rows"][1]["alpha"]["value"] == pytest.approx(expected)


def test_ratings_on_different_scales_are_not_pooled():
    row = named(run(MIXED)["rows"], "all aspects")
    assert (row["alpha"]["value"], row["gwet"]["value"]) == (None, None)
    assert "different scales" in row["alpha"]["reason"]


def with_a_sum() -> Data:
    """Of fluency as the sum of what people marked: from 0, without an upper end."""
    first, second = MIXED.aspects
    return replace(MIXED, aspects=[first, replace(second, scale=(0, None))])


def test_a_sum_has_as_points_what_was_given_alone():
    data = with_a_sum()
    given = data.ratings.value[data.ratings.aspect == 1]
    assert data.counts(1)[1].tolist() == sorted({*given.tolist()})
    assert data.scale_of(1) == (0, given.max())
    spread = run(data)["distribution"]["rows"][1]
    assert spread["scale"] == "from 0"


def test_a_sum_is_never_pooled_even_with_another_sum():
    data = with_a_sum()
    sums = [replace(aspect, scale=(0, None)) for aspect in data.aspects]
    row = named(run(replace(data, aspects=sums))["rows"], "all aspects")
    assert "different scales" in row["alpha"]["reason"]


def test_a_sum_comes_back_from_a_folder(tmp_path):
    folder.write(with_a_sum(), tmp_path)
    assert folder.read(tmp_path).aspects[1].scale == (0, None)


def test_within_aspects_a_slider_weighs_no_more_than_points():
    """At interval level the same ratings on 1-5 and times 20 have one alpha."""
    stretched = run(MIXED, level="interval")["rows"]
    as_points = alpha_within(
        [PLAIN.counts(0)[0], PLAIN.counts(1)[0]],
        [np.arange(1, 6), np.arange(1, 6)],
        ["interval", "interval"],
        rng=np.random.default_rng(0),
    )
    sizes = np.array([4.0, 5.0])  # 1-5 has the width 4; 0-100 is 5 steps of 20
    do, de = [], []
    for place in (0, 1):
        counts, values = PLAIN.counts(place)
        o, e = disagreement(counts, values)
        do.append(o / sizes[place] ** 2)
        de.append(e / sizes[place] ** 2)
    found = named(stretched, "within aspects")["alpha"]["value"]
    assert found == pytest.approx(1 - sum(do) / sum(de))
    assert as_points.value == pytest.approx(found, abs=0.02)


def disagreement(counts, values):
    """Observed and expected, by Krippendorff's sums over pairs."""
    counts = counts[counts.sum(axis=1) >= 2]
    d = (values[:, None] - values[None]) ** 2
    m = counts.sum(axis=1)
    pairs = np.einsum("uc,uk,ck->u", counts, counts, d)
    n = counts.sum(axis=0)
    return (pairs / (m - 1)).sum(), n @ d @ n / (n.sum() - 1)


def test_workers_are_compared_on_one_aspect_where_scales_differ():
    assert run(MIXED)["workers"]["aspect"] == "Coherence"


def test_the_distribution_is_by_fifths_of_each_scale():
    found = run(MIXED)["distribution"]
    assert found["names"][0] == "lowest fifth"
    assert [row["scale"] for row in found["rows"]] == ["1–5", "0–100"]
    shares = [one["value"] for one in found["rows"][0]["shares"]]
    plain = [one["value"] for one in run(PLAIN)["distribution"]["rows"][0]["shares"]]
    assert shares == pytest.approx(plain)


def test_correlations_do_not_depend_on_the_scale():
    def numbers(data):
        rows = run(data, "overview")["correlations"]
        return [
            row[name] for row in rows for name in ("pearson", "spearman", "kendall")
        ]

    assert numbers(MIXED) == pytest.approx(numbers(PLAIN))


def test_cannot_say_is_counted_beside_the_ratings():
    two = np.zeros(2, np.int64)
    said = Unsaid(
        two,
        two + 1,
        np.array(["a", "b"]),
        two == 0,
        np.arange(2),
        np.array([False, True]),
    )
    data = replace(MIXED, unsaid=said)
    rows = run(data)["distribution"]["rows"]
    assert [row["n_unsaid"] for row in rows] == [0, 1]  # who was informed is left out


def test_data_without_own_scales_keep_their_digest():
    assert replace(PLAIN, aspects=list(PLAIN.aspects)).digest() == PLAIN.digest()
    assert MIXED.digest() != PLAIN.digest()


def test_scales_and_cannot_say_are_read_as_they_were_written(tmp_path):
    one = np.zeros(1, np.int64)
    said = Unsaid(one, one, np.array(["a"]), one == 0, one, one != 0)
    data = replace(MIXED, unsaid=said)
    folder.write(data, tmp_path)
    read = folder.read(tmp_path)
    assert read.aspects == data.aspects
    assert read.digest() == data.digest()


def test_a_folder_without_cannot_say_has_no_file_for_it(tmp_path):
    folder.write(PLAIN, tmp_path)
    assert not (tmp_path / "unsaid.csv").exists()
    assert folder.read(tmp_path).digest() == PLAIN.digest()
