from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import stats

from scoring import analyses
from scoring.stats import agreement, raters
from tests.scoring import made

DATA = made.data(prompts=8, systems=3, raters=4, discarded=0.15)


def run(data=DATA, **chosen):
    return analyses.run("agreement", data, analyses.options("agreement", chosen))


def rows_of(data, kept):
    cut = {f.name: getattr(data.ratings, f.name)[kept] for f in fields(data.ratings)}
    return replace(data, ratings=type(data.ratings)(**cut))


def by_hand(data, aspect, level="ordinal"):
    counts, values = data.counts(aspect)
    return agreement.alpha(counts, values, level)


def named(rows, key):
    (row,) = [row for row in rows if row["key"] == key]
    return row


class TestAlpha:
    @pytest.mark.parametrize("level", ["ordinal", "interval", "nominal"])
    def test_each_aspect_has_the_alpha_of_its_ratings(self, level):
        found = run(level=level)["rows"]
        for place, row in enumerate(found[:2]):
            alpha = by_hand(DATA, place, level)
            assert row["alpha"]["value"] == pytest.approx(alpha.value)
            assert (row["n_units"], row["n_ratings"]) == alpha[2:]

    def test_of_all_aspects_a_unit_is_a_text_and_an_aspect(self):
        (coherence, values), (fluency, _) = DATA.counts(0), DATA.counts(1)
        both = np.concatenate([coherence, fluency])
        expected = agreement.alpha(both, values, "ordinal")
        found = named(run()["rows"], "all aspects")
        assert found["pooled"]
        assert found["alpha"]["value"] == pytest.approx(expected.value)
        assert found["n_units"] == expected.n_units

    def test_one_aspect_needs_no_row_for_all(self):
        found = run(made.data(aspects=("coherence",)))["rows"]
        assert [row["pooled"] for row in found] == [False]

    def test_prompts_are_drawn_whole_unless_texts_are_asked_for(self):
        wide, narrow = run()["rows"][0], run(resample="samples")["rows"][0]
        assert "unit:prompts" in wide["alpha"]["signature"]
        assert "unit:samples" in narrow["alpha"]["signature"]
        assert wide["alpha"]["value"] == narrow["alpha"]["value"]
        assert wide["alpha"]["low"] != narrow["alpha"]["low"]

    def test_a_rater_who_rates_a_text_twice_counts_once(self):
        twice = rows_of(DATA, np.r_[0, np.arange(len(DATA.ratings))])
        assert run(twice)["rows"] == run()["rows"]

    def test_equal_ratings_have_no_alpha_but_all_pairs_are_equal(self):
        same = replace(DATA.ratings, value=np.full_like(DATA.ratings.value, 3))
        row = run(replace(DATA, ratings=same))["rows"][0]
        assert row["alpha"]["reason"] == "all ratings are the same"
        assert (row["equal"]["value"], row["gwet"]["value"]) == (1, 1)

    def test_one_number_has_one_interval_on_the_whole_page(self):
        for with_discarded, side in ((False, "without"), (True, "with")):
            found = run(with_discarded=with_discarded)
            shown = {row["key"]: row["alpha"] for row in found["rows"]}
            assert shown.pop("within aspects")
            assert [*shown.values()] == [row[side] for row in found["quality"]["rows"]]


class TestQuality:
    def test_alpha_with_discarded_is_that_of_all_ratings(self):
        rated = DATA.ratings
        everything = replace(rated, valid=np.ones(len(rated), bool))
        row = run()["quality"]["rows"][0]
        alpha = by_hand(replace(DATA, ratings=everything), 0).value
        without = by_hand(DATA, 0).value
        assert row["with"]["value"] == pytest.approx(alpha)
        assert row["without"]["value"] == pytest.approx(without)
        assert row["change"]["value"] == pytest.approx(without - alpha)

    def test_it_counts_what_was_discarded(self):
        found = run()["quality"]
        out = ~DATA.ratings.valid
        assert found["n_discarded"] == out.sum()
        assert found["n_pages"] == len(np.unique(DATA.ratings.page[out]))
        assert sum(row["n_discarded"] for row in found["rows"][:2]) == out.sum()

    def test_there_is_nothing_to_compare_where_all_was_kept(self):
        assert run(made.data(discarded=0))["quality"]["rows"] == []

    def test_a_side_without_a_number_is_named(self):
        rated = DATA.ratings
        nothing = replace(rated, valid=np.zeros(len(rated), bool))
        row = run(replace(DATA, ratings=nothing))["quality"]["rows"][0]
        expected = "without discarded: no text has two ratings"
        assert row["change"]["reason"] == expected
        assert row["with"]["value"] is not None

    def test_the_two_sides_have_signatures_of_their_own(self):
        row = run()["quality"]["rows"][0]
        assert "qc:none" in row["with"]["signature"]
        assert "qc:v1" in row["without"]["signature"]


def careless():
    """Worker w3 answers at random, and always on time."""
    rated = DATA.ratings
    random = np.random.default_rng(4).integers(1, 6, len(rated))
    value = np.where(rated.rater == "w3", random, rated.value)
    return replace(DATA, ratings=replace(rated, value=value))


class TestWorkers:
    def test_who_drags_alpha_down_most_comes_first(self):
        rows = run(careless())["workers"]["rows"]
        changes = [row["change"]["value"] for row in rows]
        assert rows[0]["worker"] == "w3"
        assert changes == sorted(changes, reverse=True)
        assert changes[0] > 0

    def test_a_worker_is_compared_on_the_aspect_that_was_asked_for(self):
        found = run(aspect="fluency", coefficient="spearman")["workers"]
        use = DATA.ratings.valid & (DATA.ratings.aspect == 1)
        rated = rows_of(DATA, use).ratings
        others = raters.others_mean(rated.text, rated.rater, rated.value)
        assert found["aspect"] == "Fluency"
        for row in found["rows"]:
            mine = (rated.rater == row["worker"]) & ~np.isnan(others)
            rho = stats.spearmanr(rated.value[mine], others[mine]).statistic
            assert row["correlation"]["value"] == pytest.approx(rho)
            assert row["n"] == (rated.rater == row["worker"]).sum()

    def test_pages_are_counted_with_the_discarded_ones(self):
        for row in run()["workers"]["rows"]:
            mine = DATA.ratings.rater == row["worker"]
            pages = np.unique(DATA.ratings.page[mine])
            out = np.unique(DATA.ratings.page[mine & ~DATA.ratings.valid])
            assert row["pages"]["value"] == len(pages) == 24
            assert row["discarded"]["value"] == len(out)
            assert row["seconds"]["value"] == 30

    def test_a_worker_of_whom_nothing_counts_comes_last(self):
        rated = DATA.ratings
        out = replace(rated, valid=rated.valid & (rated.rater != "w1"))
        *_, last = run(replace(DATA, ratings=out))["workers"]["rows"]
        assert (last["worker"], last["n"], last["discarded"]["value"]) == ("w1", 0, 24)
        assert last["change"]["reason"] == "no rating that counts"

    def test_raters_of_a_file_have_no_pages(self):
        rated = DATA.ratings
        file = replace(rated, page=np.full_like(rated.page, -1))
        (row, *_) = run(replace(DATA, ratings=file))["workers"]["rows"]
        assert row["seconds"]["reason"] == "ratings from a file: no pages"

    def test_unknown_raters_are_each_another_and_have_no_row(self):
        rated = DATA.ratings
        unknown = np.where(rated.rater == "w2", "", rated.rater)
        found = run(replace(DATA, ratings=replace(rated, rater=unknown)))
        names = {row["worker"] for row in found["workers"]["rows"]}
        assert names == {"w0", "w1", "w3"}
        assert found["workers"]["n_unknown"] == (unknown[rated.valid] == "").sum()
        assert found["rows"] == run()["rows"]

    def test_where_nobody_is_known_nobody_is_compared(self):
        rated = replace(DATA.ratings, rater=np.full(len(DATA.ratings), ""))
        found = run(replace(DATA, ratings=rated))
        assert found["workers"]["rows"] == []
        assert found["rows"] == run()["rows"]
        assert found["ceiling"]["rows"][0]["method"] == raters.ONE_AT_RANDOM


class TestCeiling:
    def test_a_panel_is_taken_one_rater_after_the_other(self):
        row = run()["ceiling"]["rows"][0]
        use = DATA.ratings.valid & (DATA.ratings.aspect == 0)
        rated = rows_of(DATA, use).ratings
        expected = raters.ceiling(
            rated.text, rated.rater, rated.value, rng=np.random.default_rng(1)
        )
        assert row["method"] == raters.EACH_RATER
        assert row["pearson"]["value"] == pytest.approx(expected.one.value)
        assert row["attainable"]["value"] == pytest.approx(expected.attainable.value)

    def test_reliability_grows_with_ratings_up_to_what_was_asked_for(self):
        found = run()
        row, points = found["ceiling"]["rows"][0], found["curve"][0]["rows"]
        by_size = {point["k"]: point["predicted"]["value"] for point in points}
        assert by_size[1] == pytest.approx(row["single"]["value"])
        assert list(by_size.values()) == sorted(by_size.values())
        for goal in row["needed"]:
            if goal["value"] in by_size:
                assert by_size[goal["value"]] >= goal["target"]

    def test_halves_are_measured_as_far_as_there_are_ratings(self):
        points = run()["curve"][0]["rows"]
        measured = [p["k"] for p in points if p["measured"]["value"] is not None]
        assert measured == [1, 2]
        assert points[2]["measured"]["reason"] == "no text has 6 ratings"


class TestDistribution:
    def test_shares_are_of_the_ratings_that_count(self):
        found = run()["distribution"]
        use = DATA.ratings.valid & (DATA.ratings.aspect == 0)
        value = DATA.ratings.value[use]
        row = found["rows"][0]
        assert found["names"] == ["1", "2", "3", "4", "5"]
        assert [share["n"] for share in row["shares"]] == [
            (value == point).sum() for point in range(1, 6)
        ]
        assert row["mean"]["value"] == pytest.approx(value.mean())
        assert row["sd"]["value"] == pytest.approx(value.std(ddof=1))

    def test_a_slider_is_shown_in_parts(self):
        rated = DATA.ratings
        wide = replace(rated, value=rated.value * 20)
        found = run(replace(DATA, scale=(0, 100), ratings=wide))["distribution"]
        assert found["names"][0] == "0–10"
        assert found["names"][-1] == "91–100"
        shares = [share["value"] for share in found["rows"][0]["shares"]]
        assert len(shares) == 10
        assert sum(shares) == pytest.approx(1)


def test_a_study_without_ratings_says_so_everywhere():
    found = run(made.data(raters=0))
    assert found["rows"][0]["alpha"]["reason"] == "no text has two ratings"
    assert found["distribution"]["rows"][0]["mean"]["reason"] == "no rating"
    assert found["workers"]["rows"] == found["quality"]["rows"] == []


def test_parts_of_the_page_do_not_depend_on_each_other():
    one, other = run(aspect="fluency"), run()
    assert one["workers"] != other["workers"]
    for key in ("rows", "quality", "ceiling", "curve", "distribution"):
        assert one[key] == other[key]
