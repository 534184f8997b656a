"""Two texts side by side, against ranks counted by scipy."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from scipy.stats import rankdata

from annotation import human_scores, kept
from annotation.kept import keeping
from annotation.models import Summary
from scoring.metrics import Output
from scoring.models import Chunk, MetricRun
from scoring.results import ranked, two_texts
from tests.support.scored import COHERENCE, LOSS, ZIPF, rate, score

RATINGS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 3]]
SCORES = [0.9, 0.8, 0.4, 0.4, 0.1, 0.7, 0.4, None]


@pytest.fixture
def study(make_study):
    study = make_study(aspects=("coherence", "consistency"))
    rate(study, "coherence", RATINGS)
    return study


def texts(study, *places):
    found = list(study.generations.select_related("prompt"))
    return [found[place] for place in places]


def people(study, i=0, j=3):
    a, b = texts(study, i, j)
    among = two_texts.standings(study=study).value or ()
    return two_texts.people(study=study, a=a, b=b, among=among)


def measured(study, i=0, j=3):
    a, b = texts(study, i, j)
    return two_texts.measured(study=study, a=a, b=b, people=people(study, i, j))


class TestPeople:
    def test_means_come_with_their_n_and_rank(self, study):
        row, _ = people(study, 1, 7)
        assert (row.a.value, row.a.n_ratings, row.a.rank) == (4.5, 2, 2.0)
        assert (row.b.value, row.b.rank, row.of) == (3.0, 4.5, 8)
        assert row.prefers == "a"

    @pytest.mark.parametrize("higher_is_better", [True, False])
    def test_ranks_are_those_of_scipy(self, study, higher_is_better):
        study.aspects.update(higher_is_better=higher_is_better)
        means = np.array([np.mean(one) for one in RATINGS])
        expected = rankdata(-means if higher_is_better else means)
        found = [people(study, i, (i + 1) % 8)[0].a.rank for i in range(8)]
        assert found == expected.tolist()

    def test_an_aspect_nobody_rated_has_a_reason(self, study):
        _, row = people(study)
        assert (row.a.value, row.a.reason, row.prefers) == (None, "no valid rating", "")

    def test_an_excluded_text_has_another(self, study):
        study.generations.filter(pk=texts(study, 0)[0].pk).update(
            excluded_at=timezone.now()
        )
        row, _ = people(study)
        assert (row.a.value, row.a.reason) == (None, "the text is excluded")
        assert row.of == 7

    def test_equal_means_are_no_preference(self, study):
        assert people(study, 2, 7)[0].prefers == "both"

    def test_where_ranks_are_not_worked_out_yet_the_rest_is_there(self, study):
        a, b = texts(study, 1, 7)
        row, _ = two_texts.people(study=study, a=a, b=b)
        assert (row.a.value, row.a.rank, row.of, row.prefers) == (4.5, None, 0, "a")

    def test_only_their_own_ratings_are_read(self, study):
        a, b = texts(study, 1, 7)
        with CaptureQueriesContext(connection) as asked:
            two_texts.people(study=study, a=a, b=b)
        (rated,) = [one["sql"] for one in asked if "SUM(" in one["sql"]]
        assert f'"generation_id" IN ({a.pk}, {b.pk})' in rated


class TestMeasured:
    @pytest.mark.parametrize("output", [COHERENCE, LOSS])
    def test_ranks_are_those_of_scipy(self, study, output):
        score(study, output, SCORES)
        values = np.array(SCORES[:7], dtype=float)
        expected = rankdata(values if output is LOSS else -values)
        for i in range(7):
            (row,) = measured(study, i, (i + 1) % 7)
            assert (row.a.rank, row.of) == (expected[i], 7)

    def test_a_text_beside_itself_is_counted_once(self, study):
        score(study, COHERENCE, SCORES)
        with CaptureQueriesContext(connection) as asked:
            (row,) = measured(study, 2, 2)
        assert row.a == row.b == measured(study, 2, 1)[0].a
        (counted,) = [one["sql"] for one in asked if "above_a" in one["sql"]]
        assert "above_b" not in counted

    def test_ranks_of_outputs_that_point_in_different_ways(self, study):
        signature = score(study, COHERENCE, SCORES)
        score(study, LOSS, SCORES, metric=signature.metric, signature=signature.text)
        signature.outputs = [asdict(COHERENCE), asdict(LOSS)]
        signature.save()
        values = np.array(SCORES[:7], dtype=float)
        for i in range(7):
            found = {row.output.key: row.a.rank for row in measured(study, i)}
            assert found[COHERENCE.key] == rankdata(-values)[i]
            assert found[LOSS.key] == rankdata(values)[i]

    def test_the_better_rank_is_preferred_whatever_the_direction(self, study):
        score(study, COHERENCE, SCORES)
        score(study, LOSS, SCORES, metric="lm", signature="lm|v:1")
        assert [row.prefers for row in measured(study)] == ["a", "b"]
        assert [row.prefers for row in measured(study, 2, 3)] == ["both", "both"]

    def test_the_aspect_it_is_meant_for_decides_about_people(self, study):
        rate(study, "consistency", [[1], [1], [1], [5]])
        score(study, COHERENCE, SCORES)
        (row,) = measured(study)
        assert (row.agrees, row.differs) == (["Coherence"], [])

    def test_what_is_meant_for_nothing_is_held_against_every_aspect(self, study):
        rate(study, "consistency", [[1], [1], [1], [5]])
        score(study, LOSS, SCORES)
        (row,) = measured(study)
        assert (row.agrees, row.differs) == (["Consistency"], ["Coherence"])

    def test_closeness_has_no_ranks(self, study):
        score(study, ZIPF, SCORES)
        (row,) = measured(study)
        assert (row.a.value, row.a.rank, row.prefers) == (0.9, None, "")
        assert row.undecided == row.unranked == two_texts.NO_DIRECTION

    def test_a_missing_score_has_its_reason(self, study):
        score(study, COHERENCE, SCORES)
        (row,) = measured(study, 0, 7)
        assert (row.b.value, row.b.reason) == (None, "too short")
        assert row.undecided == "one of the texts has no score"

    def test_a_text_that_came_later_is_not_scored(self, study):
        score(study, COHERENCE, SCORES[:3])
        (row,) = measured(study)
        assert row.b.reason == two_texts.NOT_SCORED

    def test_no_rating_or_equal_ones_decide_nothing(self, study):
        score(study, COHERENCE, SCORES)
        (row,) = measured(study, 2, 1)
        assert row.undecided == ""
        score(
            study,
            Output("x", "X", "", True, "consistency"),
            SCORES,
            metric="x",
            signature="x|v:1",
        )
        row = measured(study)[1]
        assert row.undecided == "people prefer neither text"

    def test_other_studies_do_not_count(self, study, make_study):
        score(study, COHERENCE, SCORES)
        signature = score(make_study(name="other"), COHERENCE, [5.0] * 8)
        signature.outputs = signature.outputs[:1]
        signature.save()
        (row,) = measured(study)
        assert (row.a.rank, row.of) == (1.0, 7)

    @pytest.mark.parametrize("outputs", [1, 12])
    def test_the_number_of_queries_does_not_grow_with_the_outputs(
        self, study, django_assert_num_queries, outputs
    ):
        for n in range(outputs):
            score(study, LOSS, SCORES, metric=f"m{n}", signature=f"m{n}|v:1")
        a, b = texts(study, 0, 3)
        judged = two_texts.people(study=study, a=a, b=b)
        with django_assert_num_queries(5):  # three of them ask for the study's size
            found = two_texts.measured(study=study, a=a, b=b, people=judged)
        assert len(found) == outputs

    def test_more_outputs_than_are_counted_at_once(self, study, monkeypatch):
        monkeypatch.setattr(two_texts, "COUNTED_AT_ONCE", 2)
        for n in range(5):
            score(study, LOSS, SCORES, metric=f"m{n}", signature=f"m{n}|v:1")
        assert [row.a.rank for row in measured(study)] == [7.0] * 5

    def test_nothing_scored_is_nothing_measured(self, study):
        assert measured(study) == []


class TestLarge:
    """The same ranks, from scores that a worker sorted."""

    @pytest.fixture(autouse=True)
    def _large(self, monkeypatch):
        monkeypatch.setattr(keeping, "MOST_TEXTS", 1)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)

    @pytest.fixture
    def asked(self, study):
        """Scored, a large study, and sorted by a worker."""
        for output in (COHERENCE, LOSS):
            score(study, output, SCORES, metric=output.key, signature=output.key)
        measured(study)
        self.work()
        return study

    def work(self):
        for pk in Summary.objects.filter(state="queued").values_list("pk", flat=True):
            kept.SUMMARY_WORK.perform(pk=pk, owner="here/1/a")

    def test_ranks_are_those_that_are_counted(self, asked, monkeypatch):
        found = [measured(asked, i, (i + 1) % 8) for i in range(8)]
        monkeypatch.setattr(keeping, "MOST_TEXTS", 1000)
        counted = [measured(asked, i, (i + 1) % 8) for i in range(8)]
        assert [list(map(asdict, rows)) for rows in found] == [
            list(map(asdict, rows)) for rows in counted
        ]

    def test_no_score_is_counted_where_a_worker_has_sorted_them(
        self, asked, monkeypatch
    ):
        monkeypatch.setattr(two_texts, "_counting", None)
        assert [row.of for row in measured(asked)] == [7, 7]

    def test_with_newer_scores_they_are_counted_until_these_are_sorted(self, asked):
        score(asked, ZIPF, SCORES, metric="new", signature="new|v:1")
        run = MetricRun.objects.create(study=asked, metric="new")
        now = timezone.now()
        Chunk.objects.create(run=run, index=99, state="done", finished_at=now)
        assert not ranked.known(study=asked)
        assert [row.of for row in measured(asked)] == [7, 7, 7]
        Summary.objects.update(computed_at=now - timedelta(hours=2))
        measured(asked)
        self.work()
        assert len(ranked.known(study=asked)) == 3

    def test_newer_ratings_do_not_make_them_old(self, asked):
        before = ranked.stamp(asked)
        rate(asked, "consistency", RATINGS)
        assert ranked.stamp(asked) == before


def test_ratings_are_read_through_the_one_door(study):
    human = human_scores.means(study=study)
    assert people(study)[0].a.value == human.values[0, 0]
