import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from scipy import stats

from annotation.models import ImportedMean
from scoring.metrics import Output
from scoring.results import analysing, overview, points, tables
from scoring.scores.outputs import label as label_of
from tests.scoring import analysed
from tests.support.scored import (
    COHERENCE,
    LOSS,
    ZIPF,
    give_means,
    rate,
    score,
    score_systems,
    table_of_systems,
)

RATINGS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 4]]
MEANS = np.mean(RATINGS, axis=1)
SCORES = [0.9, 0.8, 0.4, 0.2, 0.1, 0.7, 0.3, 0.6]


@pytest.fixture
def study(make_study):
    """Eight texts, of which people judged the coherence."""
    study = make_study()
    rate(study, "coherence", RATINGS)
    return study


def run(*arguments):
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


class TestAgreement:
    def test_it_has_three_levels_for_each_aspect_in_order(self, study):
        rows = overview.now(study=study)["agreement"]
        assert [(row["aspect"], row["level"]) for row in rows] == [
            (aspect, level)
            for aspect in ("coherence", "consistency", "relevance")
            for level in ("ordinal", "interval", "nominal")
        ]

    def test_it_counts_texts_and_ratings(self, study):
        row = overview.now(study=study)["agreement"][0]
        assert (row["n_texts"], row["n_ratings"], row["equal_share"]) == (8, 16, 0.625)
        assert 0 < row["alpha"] < 1

    def test_an_aspect_without_ratings_has_none_with_the_reason(self, study):
        row = overview.now(study=study)["agreement"][3]
        assert (row["alpha"], row["reason"]) == (None, "no text has two ratings")

    def test_means_without_their_ratings_are_named(self, make_study):
        study = make_study()
        give_means(study, "coherence", MEANS)
        row = overview.now(study=study)["agreement"][0]
        assert (row["alpha"], row["reason"]) == (None, "only means were uploaded")

    def test_the_command_prints_the_same_numbers(self, study):
        printed = json.loads(run("agreement", "ferry", "--json"))
        rows = overview.now(study=study)["agreement"]
        assert printed == [overview.record(row, overview.AGREEMENT) for row in rows]
        assert list(printed[0]) == overview.AGREEMENT
        assert printed[3]["alpha"] is None

    def test_without_json_the_command_prints_aligned_columns(self, study):
        lines = run("agreement", "ferry").splitlines()
        assert lines[0].split()[:4] == ["aspect", "level", "own", "alpha"]
        assert "no text has two ratings" in lines[4]

    @pytest.mark.parametrize("command", ["agreement", "correlations"])
    def test_an_unknown_study_is_one_sentence(self, db, command):
        with pytest.raises(CommandError, match="There is no study named 'nix'"):
            run(command, "nix", "--json")


class TestCorrelations:
    def row(self, study, aspect="coherence"):
        rows = overview.now(study=study)["correlations"]
        return next(row for row in rows if row["human_aspect"] == aspect)

    def test_it_equals_scipy_on_the_means(self, study):
        score(study, COHERENCE, SCORES)
        row = self.row(study)
        assert row["n"] == 8
        assert row["pearson"] == pytest.approx(stats.pearsonr(SCORES, MEANS).statistic)
        assert row["spearman"] == pytest.approx(
            stats.spearmanr(SCORES, MEANS).statistic
        )
        assert row["kendall"] == pytest.approx(
            stats.kendalltau(SCORES, MEANS).statistic
        )

    def test_a_metric_where_lower_is_better_is_turned_round(self, study):
        score(study, LOSS, [-value for value in SCORES])
        expected = stats.pearsonr(SCORES, MEANS).statistic
        assert self.row(study)["pearson"] == pytest.approx(expected)

    def test_an_aspect_where_lower_is_better_is_turned_round(self, study):
        study.aspects.filter(key="coherence").update(higher_is_better=False)
        score(study, COHERENCE, SCORES)
        assert self.row(study)["pearson"] < 0

    def test_closeness_is_taken_as_it_is_and_says_so(self, study):
        score(study, ZIPF, SCORES)
        row = self.row(study)
        assert row["pearson"] > 0
        assert not row["oriented"]

    def test_undefined_scores_are_left_out(self, study):
        score(study, COHERENCE, [None, *SCORES[1:]])
        row = self.row(study)
        assert row["n"] == 7
        assert row["pearson"] == pytest.approx(
            stats.pearsonr(SCORES[1:], MEANS[1:]).statistic
        )

    def test_scores_and_ratings_are_matched_by_text_and_not_by_place(self, make_study):
        study = make_study(prompts=3)
        rate(study, "coherence", [[], [], *RATINGS[:6]])
        score(study, COHERENCE, [9, 9, *SCORES[:5]])
        row = self.row(study)
        assert row["n"] == 5
        assert row["pearson"] == pytest.approx(
            stats.pearsonr(SCORES[:5], MEANS[:5]).statistic
        )

    def test_means_from_a_file_count_as_well(self, make_study):
        study = make_study()
        give_means(study, "coherence", MEANS)
        score(study, COHERENCE, SCORES)
        assert self.row(study)["pearson"] == pytest.approx(
            stats.pearsonr(SCORES, MEANS).statistic
        )

    def test_the_matching_pair_comes_first(self, study):
        relevance = Output("rel", "Relevance", "", True, measures="relevance")
        score(study, relevance, SCORES)
        score(study, COHERENCE, SCORES)
        rows = overview.now(study=study)["correlations"]
        pairs = [(row["metric_aspect"], row["human_aspect"]) for row in rows]
        assert set(pairs[:2]) == {("rel", "relevance"), ("coherence", "coherence")}
        assert [row["matching"] for row in rows[:6]] == [True] * 2 + [False] * 4
        assert all(row["baseline"] for row in rows[6:])

    def test_too_few_texts_give_none_with_the_reason(self, study):
        score(study, COHERENCE, SCORES[:2])
        row = self.row(study)
        assert (row["n"], row["pearson"], row["kendall"]) == (2, None, None)
        assert row["reason"] == "fewer than 3 pairs of scores"

    def test_constant_scores_are_named(self, study):
        score(study, COHERENCE, [1.0] * 8)
        assert self.row(study)["reason"] == "metric scores: all the same"

    def test_each_signature_has_its_rows_and_says_what_is_different(self, study):
        score(study, LOSS, SCORES, signature="judge|model:a|v:1")
        score(study, LOSS, SCORES, signature="judge|model:b|v:1")
        rows = overview.now(study=study)["correlations"]
        assert {row["variant"] for row in rows[:6]} == {"model:a", "model:b"}

    def test_scores_of_another_study_do_not_count(self, study, make_study):
        other = make_study(name="other")
        score(other, COHERENCE, SCORES)
        rows = overview.now(study=study)["correlations"]
        assert all(row["baseline"] for row in rows)

    def test_the_number_of_queries_does_not_depend_on_texts_or_metrics(
        self, study, django_assert_max_num_queries
    ):
        with django_assert_max_num_queries(24):
            overview.now(study=study)
        for number in range(5):
            score(study, LOSS, SCORES, signature=f"judge|model:{number}")
        with django_assert_max_num_queries(24):
            assert len(overview.now(study=study)["correlations"]) == (5 + 3) * 3

    def test_the_command_prints_the_same_numbers(self, study):
        score(study, COHERENCE, SCORES)
        printed = json.loads(run("correlations", "ferry", "--json"))
        rows = overview.now(study=study)["correlations"]
        assert printed == [overview.record(row, overview.CORRELATION) for row in rows]
        assert (
            list(printed[0])
            == (
                "metric signature metric_aspect human_aspect n n_rated grouping"
                " compared pearson spearman kendall reason"
            ).split()
        )
        assert printed[1]["pearson"] is None
        assert all((row["pearson"] is None) == bool(row["reason"]) for row in printed)

    def test_without_json_the_command_prints_three_decimals(self, study):
        score(study, COHERENCE, SCORES)
        lines = run("correlations", "ferry").splitlines()
        assert f"{stats.pearsonr(SCORES, MEANS).statistic:.3f}" in lines[1]
        assert "judge: judge|v:1" in lines


class TestOnePlaceForAll:
    def test_means_that_differ_by_rounding_only_are_a_tie_on_every_page(
        self, make_study
    ):
        """1.35 of three ratings and 1.35 of five: tau-b is .961 where they are none."""
        study = make_study(prompts=3, systems=("a", "b"), aspects=("coherence",))
        give_means(study, "coherence", [1.35, 1.35, 2.0, 3.0, 4.0, 5.0])
        for mean, n in zip(ImportedMean.objects.order_by("pk"), (3, 5), strict=False):
            mean.n = n
            mean.save()
        score(study, COHERENCE, [1, 1, 2, 3, 4, 5])
        (row,) = overview.now(study=study)["correlations"][:1]
        assert row["kendall"] == 1.0
        found = analysing.result_of(study=study, name="correlations", options={})
        (column,) = [c for c in found["columns"] if c["coefficient"] == "kendall"]
        assert column["aspects"][0]["cells"][0]["value"] == 1.0

    def test_it_says_what_the_page_of_correlations_says(self, study):
        score(study, COHERENCE, [None, *SCORES[1:]])
        rows = overview.now(study=study)["correlations"]
        wanted = {(r["metric_aspect"], r["human_aspect"]): r for r in rows}
        found = analysing.result_of(study=study, name="correlations", options={})
        for column in found["columns"]:
            for aspect, of_aspect in zip(
                found["aspects"], column["aspects"], strict=True
            ):
                for output, cell in zip(
                    found["outputs"], of_aspect["cells"], strict=True
                ):
                    row = wanted[output["key"], aspect["key"]]
                    same = pytest.approx(row[column["coefficient"]], abs=1e-12)
                    assert cell["value"] == same

    def test_a_page_takes_what_is_kept(self, study):
        row = overview.find(study=study, now=analysed.NOON)
        assert overview.of(row) is None
        analysed.work(study)
        row.refresh_from_db()
        kept = overview.of(row)
        assert kept["agreement"] == overview.now(study=study)["agreement"]


class TestScatter:
    def points(self, study, output="coherence", aspect="coherence", result=None):
        signature = score(study, COHERENCE, [None, *SCORES[1:]])
        row = points.row(
            study=study,
            result=result or overview.now(study=study),
            signature=signature.pk,
            output=output,
            aspect=aspect,
        )
        return row and points.scatter(study=study, row=row)

    def test_it_has_the_texts_that_have_both_scores(self, study):
        found = self.points(study)
        assert found.keys == [g.key for g in study.generations.all()][1:]
        assert found.systems == ["b", "c", "d", "a", "b", "c", "d"]
        assert found.scores.tolist() == SCORES[1:]
        assert found.means.tolist() == MEANS[1:].tolist()
        assert found.n_ratings.tolist() == [2] * 7
        assert found.row["n"] == 7

    def test_until_the_overview_is_computed_it_has_no_coefficient(self, study):
        found = self.points(study, result={"correlations": []})
        assert (found.row["pearson"], found.row["reason"]) == (None, points.WAITING)
        assert len(found.keys) == 7

    def test_an_unknown_output_is_none(self, study):
        assert self.points(study, output="nix") is None

    def test_an_unknown_aspect_is_none(self, study):
        assert self.points(study, aspect="nix") is None


@pytest.mark.parametrize(
    ("metric", "title", "label"),
    [
        ("distinct", "Distinct-1", "Distinct-1"),
        ("bleu", "Bleu", "Bleu"),
        ("length", "Words", "Length: words"),
        ("ctrleval", "Coherence", "CTRLEval: coherence"),
        ("divergence", "Jensen-Shannon", "Divergence (clusters): Jensen-Shannon"),
        ("divergence", "AUC", "Divergence (clusters): AUC"),
        ("corpus_distinct", "Distinct-1", "Distinct-1"),
        ("cdm", "CDM, sum", "CDM (sum)"),
        ("cdm", "CDM, probe (supervised)", "CDM (probe, supervised)"),
        ("d", "Distinct-1", "d: Distinct-1"),
    ],
)
def test_a_label_names_the_metric_once(metric, title, label):
    assert label_of(metric, title) == label


class TestSystems:
    def test_it_has_means_and_system_scores(self, study):
        diversity = Output("distinct", "Distinct-2", "share", None)
        score_systems(study, diversity, {"a": 0.5, "b": None}, metric="distinct")
        table = table_of_systems(study=study)
        assert table.columns[0] == "Coherence"
        assert table.columns[-1] == "Distinct-2"
        assert table.rows[0].system == "a"
        assert table.rows[0].n_texts == 2
        assert table.rows[0].cells[0]["value"] == pytest.approx((5 + 2) / 2)
        assert table.rows[0].cells[1] == {"value": None, "reason": "no rated text"}
        assert [
            (row.cells[-1]["value"], row.cells[-1]["reason"]) for row in table.rows
        ] == [
            (0.5, ""),
            (None, "too few texts"),
            (None, "not scored"),
            (None, "not scored"),
        ]

    def test_a_system_counts_once_with_the_mean_over_its_seeds(self, study):
        score_systems(study, LOSS, {"a": [1, 2, 6], "b": [4, None, 5]}, metric="kl")
        table = table_of_systems(study=study)
        assert len(table.columns) == 3 + 1
        cells = [
            (row.cells[-1]["value"], row.cells[-1]["reason"]) for row in table.rows
        ]
        assert cells[:2] == [(3.0, ""), (4.5, "")]


def test_columns_that_are_empty_for_all_systems_are_named_and_left_out():
    number = {"value": 1.0, "reason": ""}
    none = {"value": None, "reason": "no human text"}
    kept, empty = overview._with_numbers(
        {"MAUVE": {"a": number, "b": none}, "closeness": {"a": none, "b": none}}
    )
    assert list(kept) == ["MAUVE"]
    assert empty == [("closeness", "no human text")]


def test_texts_without_output_are_counted_by_system(study):
    usual = overview.systems(study=study, result=overview.now(study=study))
    assert "n_no_output" not in tables.systems(usual).header
    empty = study.generations.filter(system__name="b")
    empty.update(text="", excluded_at=timezone.now())
    found = overview.systems(study=study, result=overview.now(study=study))
    table = tables.systems(found)
    at = table.header.index("n_no_output")
    assert [row[at] for row in table.rows] == [0, 2, 0, 0]
    assert [row[1] for row in table.rows] == [2, 0, 2, 2]
