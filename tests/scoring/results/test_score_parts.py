"""What a score is made of, and why that is not always known."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.evaluators.previews import Piece
from scoring.metrics import OptionError
from scoring.metrics._ctrleval.aspects import Evaluated, aggregate
from scoring.models import MetricRun
from scoring.results import score_parts, study_arrays
from scoring.scores import evaluator_files
from scoring.stats.data import BY_REFERENCE
from tests.support import explained as given
from tests.support.explained import VALUE, Judge, S, W


@pytest.fixture(autouse=True)
def judge(settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    given.offer(monkeypatch)


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def run(study):
    return given.judge(study)


def explain(run, text=None):
    text = text or run.study.generations.all()[1]
    (found,) = score_parts.explain(generation=text, signature=run.signature).outputs
    return found


def columns(found, *names):
    return [[getattr(row, name) for name in names] for row in found.rows]


class TestExplain:
    def test_each_evaluator_has_what_it_asked_and_what_it_gave(self, run):
        found = explain(run)
        assert columns(found, "order", "target", "score", "raw") == [
            [1, "<b>good</b>", 0.2, 1.0],
            [2, "rest", 0.8, 2.0],
            [3, "positive", 0.5, 1.0],
        ]
        assert (found.value, found.notice, found.unweighted) == (VALUE, "", "")

    def test_weights_add_up_to_one_and_shares_too(self, run):
        found = explain(run)
        assert [row.weight for row in found.rows] == [0.25, 0.5, 0.25]
        shares = [0.05 / VALUE, 0.4 / VALUE, 0.125 / VALUE]
        assert [row.share for row in found.rows] == pytest.approx(shares)
        assert sum(shares) == pytest.approx(1)

    def test_the_source_is_cut_at_the_gap_and_around_the_text(self, run):
        text = run.study.generations.all()[1]
        first, second, third = (row.source for row in explain(run, text).rows)
        assert first == [
            Piece(text.full_text, "whole"),
            Piece(" It was "),
            Piece("[…]", "gap"),
            Piece("."),
        ]
        assert second == [Piece(f"{text.prompt.prefix} "), Piece("[…]", "gap")]
        assert third[0].kind == "gap"

    def test_the_value_under_other_weightings_is_told(self, run):
        assert explain(run).otherwise == [
            ("mean", pytest.approx(0.5)),
            ("max", 0.8),
            ("min", 0.2),
        ]

    def test_a_run_that_shares_the_scores_leads_to_the_parts_of_the_first(self, run):
        again = MetricRun.objects.create(
            study=run.study, metric="judge", signature=run.signature
        )
        again.chunks.create(index=0, state="done", generations=[])
        assert explain(run).rows[0].score == 0.2

    def test_the_number_of_queries_is_small(self, run, django_assert_max_num_queries):
        text = run.study.generations.select_related("prompt__label").first()
        # Two of them look for corrections of the text, in files and on pages.
        with django_assert_max_num_queries(6):
            explain(run, text)


class TestTrouble:
    def test_a_file_that_is_gone_leaves_what_was_asked(self, run):
        evaluator_files.path(run.chunks.get()).unlink()
        found = explain(run)
        assert "not on this server" in found.notice
        assert columns(found, "target", "score", "weight")[1] == ["rest", None, None]
        assert found.value == VALUE

    def test_a_run_that_is_gone_is_named_as_the_reason(self, run):
        text, signature = run.study.generations.first(), run.signature
        run.delete()
        (found,) = score_parts.explain(generation=text, signature=signature).outputs
        assert "is no longer in this study" in found.notice
        assert (found.rows, found.value) == ([], VALUE)

    def test_a_newer_version_of_the_metric_is_named(self, run, monkeypatch):
        monkeypatch.setattr(Judge, "version", 2)
        found = explain(run)
        assert "has changed since" in found.notice
        assert found.rows[1].score == 0.8

    def test_another_number_of_evaluators_is_never_put_beside_the_old(
        self, run, monkeypatch
    ):
        monkeypatch.setattr(Judge, "asks", 2)
        found = explain(run)
        assert "has changed since" in found.notice
        assert columns(found, "source", "score")[0] == [None, 0.2]

    def test_a_metric_that_is_not_here_shows_what_it_gave(self, run):
        run.metric = "gone"
        run.save()
        found = explain(run)
        assert "computed elsewhere" in found.notice
        assert columns(found, "target", "score")[1] == [None, 0.8]

    def test_options_that_the_metric_no_longer_has_count_as_that(self, study):
        found = explain(given.judge(study, colour="red"))
        assert "computed elsewhere" in found.notice

    def test_options_that_it_cannot_explain_with_count_as_that_too(
        self, run, monkeypatch
    ):
        def refuse(self, example):
            raise OptionError("tables: too long for today's metric")

        monkeypatch.setattr(Judge, "explain", refuse)
        assert "computed elsewhere" in explain(run).notice

    def test_an_evaluator_without_a_number_keeps_its_place(self, study):
        run = given.judge(study, s=np.array([0.2, np.nan, 0.5]))
        found = explain(run)
        assert [row.score for row in found.rows] == [0.2, None, 0.5]
        assert found.unweighted == score_parts.DOES_NOT_ADD_UP

    def test_numbers_that_do_not_add_up_get_no_weights(self, study):
        found = explain(given.judge(study, value=0.6))
        assert found.unweighted == score_parts.DOES_NOT_ADD_UP
        assert columns(found, "score", "weight", "share")[1] == [0.8, None, None]
        assert found.otherwise == []

    def test_weights_that_were_never_taken_have_their_reason(self, study):
        found = explain(given.judge(study, w=np.full(3, np.nan)))
        assert "no table of word frequencies" in found.unweighted
        assert columns(found, "score", "raw", "weight")[1] == [0.8, None, None]

    def test_a_plain_mean_needs_no_weights(self, study):
        run = given.judge(study, w=np.full(3, np.nan), value=0.5, weighting="mean")
        assert [row.weight for row in explain(run).rows] == [pytest.approx(1 / 3)] * 3

    def test_a_text_without_a_score_keeps_its_reason(self, study, monkeypatch):
        monkeypatch.setattr(Judge, "explain", lambda self, example: {})
        run = given.judge(study, s=S * np.nan, value=None, reason="no prefix")
        found = explain(run)
        assert (found.value, found.reason, found.rows) == (None, "no prefix", [])
        assert found.notice == ""

    def test_a_metric_without_evaluators_misses_nothing(self, run, monkeypatch):
        monkeypatch.setattr(Judge, "explain", lambda self, example: {})
        evaluator_files.path(run.chunks.get()).unlink()
        found = explain(run)
        assert (found.rows, found.notice) == ([], "")


class TestWeights:
    @pytest.mark.parametrize("weighting", ["nisf", "mean", "max", "min"])
    @pytest.mark.parametrize("w", [W, np.zeros(3)])
    def test_they_give_what_the_metric_itself_computes(self, weighting, w):
        expected = aggregate(Evaluated(S, w), weighting)
        assert score_parts.weights(S, w, weighting) @ S == pytest.approx(expected)


class TestBy:
    @pytest.mark.parametrize(
        ("sort", "order"),
        [
            ("order", [1, 2, 3]),
            ("-order", [3, 2, 1]),
            ("score", [2, 3, 1]),
            ("-score", [1, 3, 2]),
            ("share", [2, 3, 1]),
            ("nonsense", [1, 2, 3]),
        ],
    )
    def test_the_largest_comes_first(self, run, sort, order):
        rows = score_parts.by(explain(run).rows, sort)
        assert [row.order for row in rows] == order

    def test_what_is_not_known_comes_last_either_way(self, study):
        rows = explain(given.judge(study, value=0.6)).rows
        for sort in ("weight", "-weight"):
            assert [row.order for row in score_parts.by(rows, sort)] == [1, 2, 3]


class TestReferences:
    @pytest.fixture(autouse=True)
    def of_references(self, monkeypatch):
        monkeypatch.setattr(Judge, "parts_are", "references")

    def test_the_page_knows_that_rows_are_references(self, run):
        assert explain(run).by_reference

    def test_one_that_could_not_be_compared_has_no_score_and_counts_nothing(
        self, study
    ):
        run = given.judge(
            study, s=np.array([0.2, 0.4, np.nan]), w=np.array([0, 1.0, 0]), value=0.4
        )
        found = explain(run)
        assert columns(found, "score", "weight") == [[0.2, 0], [0.4, 1], [None, 0]]
        assert found.notice == found.unweighted == ""

    def test_statistics_do_not_take_them_for_evaluators(self, run):
        data = study_arrays.load(study=run.study, needs={"scores", "evaluators"})
        assert [one.output for one in data.evaluators] == [
            data.outputs[0].id + BY_REFERENCE
        ]
