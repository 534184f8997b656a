from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring import analyses
from scoring.analyses.systems.numbers import Options
from scoring.analyses.systems.page import sections as analyses_shown
from scoring.stats.data import Aspect, Data, System
from scoring.stats.signature import parse
from tests.scoring import made
from tests.scoring.analyses.shown import everything


def run(data: Data, **chosen) -> dict:
    return analyses.run("systems", data, Options(**chosen))


def people_first(data: Data) -> Data:
    """The same texts, of which the first system's are by people."""
    return replace(data, systems=[System("ann", "human"), *data.systems[1:]])


def with_system_output(data: Data, values: list[float]) -> Data:
    """One more metric, which gives each system one number."""
    one = made.output("mauve", metric="mauve")
    seeds = np.array(values)[:, np.newaxis, np.newaxis]
    return replace(data, system_outputs=[one], system_seeds=seeds)


DATA = made.data(prompts=20, systems=4, seed=3)


def test_means_are_those_of_rated_texts():
    found = run(DATA)
    human = DATA.human_scores()
    for k, system in enumerate(found["systems"]):
        rows = DATA.texts.system == system["place"]
        for a, aspect in enumerate(found["aspects"]):
            mean = aspect["rows"][k]["mean"]
            assert mean["value"] == pytest.approx(np.nanmean(human[rows, a]))
            assert mean["low"] < mean["value"] < mean["high"]


def test_the_best_comes_first_and_is_told_apart_from_the_worst():
    aspect = run(made.data(prompts=60, systems=4, seed=3))["aspects"][0]
    means = [aspect["rows"][k]["mean"]["value"] for k in aspect["order"]]
    assert means == sorted(means, reverse=True)
    first, last = aspect["order"][0], aspect["order"][-1]
    assert aspect["rows"][first]["range"][1] < aspect["rows"][last]["range"][0]
    assert aspect["family"] == 6 and len(aspect["differences"]) == 6


def test_where_lower_is_better_means_are_as_given_and_the_lowest_is_first():
    aspects = [Aspect("errors", "Errors", higher_is_better=False), *DATA.aspects[1:]]
    found, usual = run(replace(DATA, aspects=aspects)), run(DATA)
    turned, plain = found["aspects"][0], usual["aspects"][0]
    for one, other in zip(turned["rows"], plain["rows"], strict=True):
        for key in ("value", "low", "high"):
            assert one["mean"][key] == pytest.approx(other["mean"][key])
    assert turned["order"] == plain["order"][::-1]
    made_of = turned["differences"][0]["difference"]
    assert (
        made_of["value"] < 0 and made_of["low"] <= made_of["value"] <= made_of["high"]
    )


def test_texts_by_people_can_be_left_out():
    data = people_first(DATA)
    assert [one["kind"] for one in run(data)["systems"]][0] == "human"
    names = [one["system"] for one in run(data, without_people=True)["systems"]]
    assert names == ["s1", "s2", "s3"]


def test_texts_of_unknown_systems_are_counted_and_left_out():
    system = DATA.texts.system.copy()
    system[:5] = -1
    found = run(replace(DATA, texts=replace(DATA.texts, system=system)))
    assert found["n_unknown"] == 5
    assert sum(one["n_texts"] for one in found["systems"]) == len(system) - 5


def test_ranks_by_a_metric_follow_its_direction():
    down = replace(DATA.outputs[0], higher_is_better=False)
    none = replace(DATA.outputs[1], higher_is_better=None)
    found = run(replace(DATA, outputs=[down, none, DATA.outputs[2]]))
    rows = {row["id"]: row for row in found["metrics"]}
    means = [mean["value"] for mean in rows[down.id]["means"]]
    assert rows[down.id]["ranks"] == stats.rankdata(means).tolist()
    assert rows[none.id]["ranks"] == [None] * 4


def test_correlations_of_systems_are_those_of_their_means():
    found = run(DATA)["targets"][1]
    human, scores = DATA.human_scores()[:, 1], DATA.metric_scores()[:, 0]
    known = np.isfinite(human)
    x, y = (
        [column[known & (DATA.texts.system == s)].mean() for s in range(4)]
        for column in (scores, human)
    )
    row = next(row for row in found["rows"] if row["id"] == DATA.outputs[0].id)
    expected = stats.pearsonr(x, y)
    assert row["pearson"]["value"] == pytest.approx(expected.statistic)
    ends = expected.confidence_interval()
    assert (row["pearson"]["low"], row["pearson"]["high"]) == pytest.approx(ends)
    assert row["soft"]["value"] > 0.5 and row["soft"]["n"] == 6


def test_metrics_of_whole_systems_are_correlated_and_ranked_too():
    data = with_system_output(DATA, [0.1, 0.2, 0.3, 0.5])
    found = run(data)
    row = found["targets"][0]["rows"][-1]
    means = [one["mean"]["value"] for one in found["aspects"][0]["rows"]]
    r = stats.pearsonr([0.1, 0.2, 0.3, 0.5], means).statistic
    assert row["pearson"]["value"] == pytest.approx(r)
    assert row["soft"]["value"] is None and row["soft"]["reason"]
    assert found["metrics"][-1]["ranks"] == [4, 3, 2, 1]
    assert run(data, systems=("s1", "s3", "s2"))["metrics"][-1]["ranks"] == [3, 2, 1]


SEEDED = made.data(prompts=20, systems=4, seeds=3, votes=300, seed=3)


def of_system(found: dict, key: str, target: int = 0) -> dict:
    rows = found["targets"][target]["rows"]
    return next(row for row in rows if row["of_system"] and row["key"] == key)


def test_a_metric_of_systems_counts_with_the_mean_over_its_seeds():
    found = run(SEEDED)
    seeds = SEEDED.system_seeds[:, 0]
    kl = next(one for one in found["metrics"] if one["key"] == "kl")
    for mean, values in zip(kl["means"], seeds, strict=True):
        assert mean["value"] == pytest.approx(values.mean())
        assert mean["std"] == pytest.approx(values.std(ddof=1))
        assert mean["seeds"] == 3 and mean["low"] is None
    people = [one["mean"]["value"] for one in found["aspects"][0]["rows"]]
    r = stats.pearsonr(-seeds.mean(axis=1), people).statistic
    assert of_system(found, "kl")["pearson"]["value"] == pytest.approx(r)


@pytest.mark.parametrize(
    ("name", "scipys"),
    [
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ],
)
def test_each_seed_has_its_coefficient_and_these_their_spread(name, scipys):
    found = run(SEEDED)
    people = [one["mean"]["value"] for one in found["aspects"][0]["rows"]]
    values = [scipys(-x, people).statistic for x in SEEDED.system_seeds[:, 0].T]
    cell = of_system(found, "kl")["seeds"][name]
    assert cell["value"] == pytest.approx(np.mean(values))
    assert cell["std"] == pytest.approx(np.std(values, ddof=1))
    assert cell["seeds"] == 3 and parse(cell["signature"])["average"] == "seeds"


def test_votes_have_a_coefficient_for_each_seed_as_well():
    cell = of_system(run(SEEDED), "kl", target=-1)["seeds"]["spearman"]
    assert cell["value"] is not None and cell["seeds"] == 3


def test_a_metric_without_chance_has_one_coefficient_and_no_spread():
    row = of_system(run(SEEDED), "zipf_closeness")
    assert row["seeds"]["kendall"]["value"] == row["kendall"]["value"]
    assert (row["seeds"]["kendall"]["std"], row["seeds"]["kendall"]["seeds"]) == (
        None,
        1,
    )


def test_a_seed_that_misses_a_system_is_left_out():
    seeds = SEEDED.system_seeds.copy()
    seeds[2, 0, 1] = np.nan
    cell = of_system(run(replace(SEEDED, system_seeds=seeds)), "kl")["seeds"]["pearson"]
    people = SEEDED.human_scores()[:, 0]
    means = [np.nanmean(people[SEEDED.texts.system == s]) for s in range(4)]
    values = [stats.pearsonr(-seeds[:, 0, k], means).statistic for k in (0, 2)]
    assert cell["value"] == pytest.approx(np.mean(values)) and cell["seeds"] == 2


def of_constant(seeds: list[list[float]], unit: str) -> dict:
    """A metric whose numbers of three systems by seed are these."""
    data = made.data(prompts=8, systems=3, seed=3)
    one = replace(made.output("auc", metric="strings"), unit=unit)
    values = np.array(seeds)[:, np.newaxis]
    return run(replace(data, system_outputs=[one], system_seeds=values))


def test_what_is_the_same_for_all_systems_is_neither_ranked_nor_correlated():
    """An area of 1e-7 is what the ends of its curve leave open."""
    seeds = [[0.0, 9.9e-8], [0.0, 0.0], [5e-8, 0.0]]
    found = of_constant(seeds, "1 - area, [0, 1]")
    [ranked] = [one for one in found["metrics"] if one["key"] == "auc"]
    assert ranked["ranks"] == [None] * 3
    assert ranked["unranked"] == "all systems have the same value"
    row = of_system(found, "auc")
    for cell in (row["spearman"], row["seeds"]["spearman"]):
        assert (cell["value"], cell["reason"]) == (None, ranked["unranked"])


def test_what_is_small_but_not_rounding_counts():
    found = of_constant([[1e-8], [3e-8], [2e-8]], "nats")
    assert of_system(found, "auc")["pearson"]["value"] is not None


def test_what_says_nothing_of_quality_is_left_out():
    found = run(with_system_output(DATA, [1.0, 2.0, 3.0, 4.0]))
    assert of_system(found, "mauve")["pearson"]["value"] is not None
    data = with_system_output(DATA, [1.0, 2.0, 3.0, 4.0])
    outputs = [replace(data.system_outputs[0], quality=False)]
    found = run(replace(data, system_outputs=outputs))
    assert "mauve" not in {one["key"] for one in found["metrics"]}
    assert "mauve" not in {row["key"] for row in found["targets"][0]["rows"]}


def beyond_chance() -> dict:
    data = with_system_output(DATA, [0.3, 0.2, 0.25, 0.9])
    beside = np.full((4, 1, 3), np.nan)
    beside[:3, 0] = [[0.05, 0.1, 0.001], [0.04, 0.1, 0.02], [0.04, 0.1, 0.01]]
    pairs = np.full((4, 4, 1), np.nan)
    for (a, b), p in {(0, 1): 0.01, (0, 2): 0.03, (1, 2): 0.6}.items():
        pairs[a, b] = pairs[b, a] = p
    found = run(replace(data, system_beside=beside, system_pairs=pairs))
    return next(one for one in found["metrics"] if one["key"] == "mauve")


def test_beside_a_value_stands_what_chance_alone_gives():
    first, *_, last = beyond_chance()["means"]
    assert (first["chance"], first["p"], first["spread"]) == (0.1, 0.001, 0.05)
    assert first["excess"] == pytest.approx(0.2)
    assert not {"chance", "excess", "p", "spread"} & last.keys()


def test_two_systems_are_told_apart_after_holm():
    pairs = {(one["first"], one["second"]): one for one in beyond_chance()["pairs"]}
    assert len(pairs) == 6
    assert pairs[0, 1]["difference"]["value"] == pytest.approx(0.1)
    adjusted = [pairs[at]["adjusted"]["value"] for at in ((0, 1), (0, 2), (1, 2))]
    assert adjusted == pytest.approx([0.03, 0.06, 0.6])
    assert pairs[0, 3]["p"]["reason"] == pairs[0, 3]["difference"]["reason"]
    assert parse(pairs[0, 1]["adjusted"]["signature"])["family"] == "3"


def test_beyond_chance_has_tables():
    data = with_system_output(DATA, [0.3, 0.2, 0.25, 0.9])
    beside = np.full((4, 1, 3), 0.04)
    pairs = np.full((4, 4, 1), 0.5)
    found = run(replace(data, system_beside=beside, system_pairs=pairs))
    everything("systems", found)
    sections = {one.key: one for one in analyses_shown(found)}
    [table] = sections["beyond-chance"].tables.values()
    [pairs_of] = sections["beyond-chance-pairs"].tables.values()
    assert (len(table.rows), len(pairs_of.rows)) == (4, 6)
    assert table.header[2:] == ["Value", "By chance", "Excess", "p"]
    usual = analyses_shown(run(DATA))
    assert "beyond-chance" not in {one.key for one in usual}


def test_what_has_no_direction_leads_to_its_closeness():
    found = run(SEEDED)
    row = of_system(found, "zipf")
    assert row["pearson"]["value"] is None and not row["directed"]
    assert row["pearson"]["reason"].endswith("see zipf: zipf_closeness")
    ranked = {one["key"]: one for one in found["metrics"]}
    assert ranked["zipf"]["ranks"] == [None] * 4
    assert ranked["zipf"]["closeness"] == "zipf: zipf_closeness"
    assert ranked["kl"]["closeness"] == ""


def test_votes_are_one_more_ranking_to_agree_with():
    data = with_system_output(
        made.data(prompts=20, systems=4, votes=300, seed=3), [0.1, 0.2, 0.3, 0.4]
    )
    target = run(data)["targets"][-1]
    assert (target["kind"], target["n_systems"]) == ("votes", 4)
    assert target["rows"][-1]["spearman"]["value"] == 1
    assert "votes" not in {t["kind"] for t in run(DATA)["targets"]}


def test_numbers_say_how_they_were_made():
    found = run(DATA, prompts="1-10")
    said = parse(found["aspects"][0]["differences"][0]["adjusted"]["signature"])
    assert said["correction"] == "holm" and said["family"] == "6"
    assert (said["prompts"], said["test"], said["qc"]) == ("1-10", "cr2-t", "v1")
    said = parse(found["targets"][0]["rows"][0]["kendall"]["signature"])
    assert (said["statistic"], said["interval"]) == ("kendall-b", "fisher")


@settings(max_examples=12, deadline=None)
@given(
    prompts=st.integers(0, 7),
    systems=st.integers(0, 4),
    raters=st.integers(0, 2),
    votes=st.sampled_from([0, 1, 30]),
    kind=st.sampled_from(["", "equal", "no scores", "no system", "constant"]),
    discarded=st.sampled_from([0.0, 1.0]),
    without_people=st.booleans(),
)
def test_whatever_the_study_is_there_is_a_page(
    prompts, systems, raters, votes, kind, discarded, without_people
):
    data = made.data(
        prompts=prompts,
        systems=systems,
        raters=raters,
        votes=votes,
        discarded=discarded,
        negatives=False,
    )
    if systems:
        data = people_first(with_system_output(data, [np.nan, 1.0, 1.0, 2.0][:systems]))
    if kind == "equal":
        value = np.full_like(data.ratings.value, 3)
        data = replace(data, ratings=replace(data.ratings, value=value))
    if kind == "no scores":
        data = replace(data, outputs=[], scores=np.empty((0, 0)))
    if kind == "constant":
        data = replace(data, scores=np.ones_like(data.scores))
    if kind == "no system":
        data = made.without_systems(replace(data, votes=made.data(votes=0).votes))
        data = replace(data, system_outputs=[], system_seeds=np.empty((0, 0, 0)))
    everything("systems", run(data, without_people=without_people))


class TestNoOutput:
    """The second system fails on two prompts, where a metric gives 0, another none."""

    FAILED = np.flatnonzero(DATA.texts.system == 1)[:2]

    def data(self) -> Data:
        empty = np.isin(np.arange(len(DATA.texts)), self.FAILED)
        scores = DATA.scores.copy()
        scores[empty, 0], scores[empty, 1] = 0, np.nan
        texts = replace(DATA.texts, excluded=empty)
        return replace(DATA, texts=texts, scores=scores, no_output=empty)

    def test_its_texts_are_counted(self):
        systems = run(self.data())["systems"]
        counts = [(one["n_texts"], one["n_no_output"]) for one in systems]
        assert counts == [(20, 0), (18, 2), (20, 0), (20, 0)]

    def test_scores_of_empty_texts_count_in_its_means(self):
        metrics = {one["key"]: one for one in run(self.data())["metrics"]}
        rows = np.setdiff1d(np.flatnonzero(DATA.texts.system == 1), self.FAILED)
        means = metrics["q0"]["means"]
        assert means[1]["value"] == pytest.approx(DATA.scores[rows, 0].sum() / 20)
        assert (means[1]["n"], metrics["q0"]["n_without"]) == (20, 0)
        means = metrics["q1"]["means"]
        assert means[1]["value"] == pytest.approx(DATA.scores[rows, 1].mean())
        assert (means[1]["n"], metrics["q1"]["n_without"]) == (18, 2)

    def test_people_did_not_rate_them_even_where_ratings_are_there(self):
        found, left_out = run(self.data()), run(DATA.only(~self.data().no_output))
        for one, other in zip(found["aspects"], left_out["aspects"], strict=True):
            for a, b in zip(one["rows"], other["rows"], strict=True):
                assert a["mean"]["value"] == b["mean"]["value"]
        assert found["targets"] == left_out["targets"]

    def test_a_system_that_always_fails_has_no_human_mean_and_its_metric_scores(self):
        empty = DATA.texts.system == 1
        scores = np.where(empty[:, np.newaxis], 0, DATA.scores)
        texts = replace(DATA.texts, excluded=empty)
        found = run(replace(DATA, texts=texts, scores=scores, no_output=empty))
        assert found["systems"][1]["n_texts"] == 0
        assert found["aspects"][0]["rows"][1]["mean"]["value"] is None
        assert found["metrics"][0]["means"][1]["value"] == 0

    def test_the_page_says_what_counts(self):
        people, *_ = shown = analyses_shown(run(self.data()))
        table = people.tables["people"]
        at = table.header.index("No output")
        assert sorted(row[at] for row in table.rows) == [0, 0, 0, 2]
        (said,) = [one.after for one in shown if one.key == "metrics"]
        assert "2 texts are empty" in said and "so that a system gains: " in said

    def test_without_any_the_page_does_not_mention_it(self):
        people, *_ = shown = analyses_shown(run(DATA))
        assert "No output" not in people.tables["people"].header
        assert not any("are empty" in str(one.after) for one in shown)
