"""A plan: drafted, locked before the first rating, and never changed after."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from annotation import studies, surveys
from annotation.models import Event, Policy
from scoring import analyses
from scoring.drawing.tables import Cell, Link, Table
from scoring.models import MetricRun, Plan
from scoring.results import plan as planning
from scoring.results import planned
from scoring.results.plan import PlanError
from tests.support.scored import COHERENCE, give_means, rate, score

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
JUDGE = {"metric": "judge", "output": "coherence", "options": {}}


@pytest.fixture
def study(make_study):
    return make_study()


def draft(study, **what) -> Plan:
    usual = {
        "aspect": study.aspects.get(key="coherence"),
        "coefficient": "pearson",
        "grouping": "none",
        "metrics": [JUDGE],
        "note": "",
    }
    return planning.save(study=study, **{**usual, **what})


def lock(study) -> Plan:
    return planning.lock(study=study, user=study.owner, now=NOON)


class TestLocking:
    def test_a_draft_may_be_changed(self, study) -> None:
        draft(study)
        draft(study, coefficient="kendall")
        assert Plan.objects.get().coefficient == "kendall"

    def test_a_locked_plan_can_neither_be_saved_nor_locked_again(self, study) -> None:
        draft(study)
        lock(study)
        for refused in (lambda: draft(study, note="later"), lambda: lock(study)):
            with pytest.raises(
                PlanError, match="locked on 20 November 2026 and cannot"
            ):
                refused()
        assert Plan.objects.get().note == ""

    def test_it_says_who_locked_it_and_the_log_what(self, study) -> None:
        draft(study)
        assert lock(study).locked_by == study.owner
        event = Event.objects.get(verb="locked-plan")
        assert (event.user, event.about, event.at) == (study.owner, "coherence", NOON)
        assert "Pearson r" in event.detail
        assert event.detail.endswith("judge:coherence")

    def test_the_quality_control_of_that_moment_is_locked_with_it(self, study) -> None:
        draft(study)
        Policy.objects.create(study=study, version=2)
        assert lock(study).policy.version == 2

    def test_without_a_metric_there_is_nothing_to_lock(self, study) -> None:
        with pytest.raises(PlanError, match="at least one metric"):
            lock(study)
        draft(study, metrics=[])
        with pytest.raises(PlanError, match="at least one metric"):
            lock(study)

    def test_after_the_study_was_opened_it_is_too_late(self, study) -> None:
        draft(study)
        surveys.open_study(study=study)
        for refused in (lambda: draft(study), lambda: lock(study)):
            with pytest.raises(PlanError, match="has been opened"):
                refused()

    @pytest.mark.parametrize("give", [rate, give_means])
    def test_after_the_first_rating_it_is_too_late(self, study, give) -> None:
        draft(study)
        give(study, "coherence", [[1]] if give is rate else [1.0])
        with pytest.raises(PlanError, match="already has ratings"):
            lock(study)

    def test_a_study_may_be_opened_with_and_without_one(self, make_study) -> None:
        with_plan, without = make_study(name="with"), make_study(name="without")
        draft(with_plan)
        lock(with_plan)
        for study in (with_plan, without):
            surveys.open_study(study=study)
            assert study.state == "open"

    def test_its_aspect_stays(self, study) -> None:
        plan = draft(study)
        assert "primary aspect of the plan" in studies.why_aspect_stays(plan.aspect)
        other = study.aspects.get(key="relevance")
        assert studies.why_aspect_stays(other) == ""


def status(study, analysis: str = "correlations", **chosen) -> planned.Status:
    options = analyses.options(analysis, chosen)
    return planned.status(study=study, analysis=analysis, options=options)


class TestStatus:
    @pytest.fixture
    def planned_study(self, study):
        draft(study)
        lock(study)
        return study

    def test_without_a_locked_plan_all_explores(self, study) -> None:
        draft(study)
        found = status(study)
        assert (found.planned, found.tables) == (False, ())
        assert found.words.startswith("Exploratory: you did not lock a plan")

    def test_with_its_options_the_main_table_was_planned(self, planned_study) -> None:
        found = status(planned_study)
        assert found.planned
        assert found.words == (
            "Planned: Coherence, Pearson r of one metric, as locked on 20 November"
            " 2026 by alice. Without scores: judge:coherence. Everything else here is"
            " exploratory."
        )

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ({"grouping": "item"}, "Compare texts"),
            ({"systems": ["a"], "seed": 1}, "Systems, Seed"),
            ({"coefficients": ["kendall"]}, "Coefficients shown"),
            ({"with_discarded": True}, "Include discarded pages"),
        ],
    )
    def test_with_others_it_was_not(self, planned_study, options, named) -> None:
        found = status(planned_study, **options)
        assert not found.planned
        assert f"({named})" in found.words

    def test_what_only_changes_the_look_does_not_matter(self, planned_study) -> None:
        shown = {"primary": "kendall", "coefficients": ["pearson", "kendall"]}
        assert status(planned_study, **shown).planned

    def test_the_page_leads_to_the_options_of_the_plan(self, study) -> None:
        draft(study, grouping="item")
        lock(study)
        assert status(study).planned
        assert status(study, grouping="item").planned
        other = status(study, grouping="none")
        assert (other.planned, other.query) == (False, "")

    def test_a_new_quality_control_makes_all_explore(self, planned_study) -> None:
        Policy.objects.create(study=planned_study, version=2)
        for name in ("correlations", "agreement"):
            found = status(planned_study, name)
            assert not found.planned
            assert "changed to version 2 after the plan was locked" in found.words

    def test_what_no_plan_speaks_of_explores(self, planned_study) -> None:
        found = status(planned_study, "drift")
        assert not found.planned
        assert "does not cover it" in found.words

    def test_agreement_was_planned_under_its_quality_control(
        self, planned_study
    ) -> None:
        found = status(planned_study, "agreement")
        assert found.words.startswith("Planned: quality control version 1, as locked")

    @pytest.mark.parametrize(
        ("options", "run", "expected"),
        [
            ({}, {"model": "x"}, True),
            ({"model": "x"}, {"model": "x", "dtype": "float32"}, True),
            ({"model": "x"}, {"model": "y"}, False),
            ({"model": "x"}, {}, False),
        ],
    )
    def test_options_that_a_plan_names_must_be_those_of_the_run(
        self, study, options, run, expected
    ) -> None:
        draft(study, metrics=[{**JUDGE, "options": options}])
        lock(study)
        signed = score(study, COHERENCE, [1.0])
        MetricRun.objects.create(
            study=study, metric="judge", options=run, signature=signed
        )
        found = status(study)
        assert found.metrics == ({(signed.pk, "coherence")} if expected else set())
        assert ("Without scores" in found.words) is not expected


class TestTables:
    TABLE = Table(
        ["Metric", "r"],
        [
            [Link("Judge", "scatter", (5, "coherence", "coherence")), Cell(0.5)],
            [Link("Judge", "scatter", (6, "coherence", "coherence")), Cell(0.5)],
            [Link("Length: words", badges=("baseline",)), Cell(0.1)],
            ["People", Cell(0.9)],
        ],
        "Correlations.",
        title="Correlation",
    )
    PLANNED = planned.Status(
        True,
        "",
        tables=("correlations",),
        what="Coherence, Pearson r",
        metrics=frozenset({(5, "coherence"), ("Length: words", "words")}),
        locked=True,
    )
    NONE = planned.Status(False, "")

    def test_each_row_of_a_file_says_it(self) -> None:
        found = planned.for_file(self.TABLE, "correlations", self.PLANNED)
        mark = "planned: Coherence, Pearson r"
        assert found.header[-1] == "plan"
        said = [row[-1] for row in found.rows]
        assert said == [mark, "exploratory", mark, "exploratory"]
        assert "Planned: Coherence, Pearson r. Other metrics are" in found.caption

    def test_before_a_planned_metric_has_scores_no_row_is_planned(self) -> None:
        none_yet = replace(self.PLANNED, metrics=frozenset())
        found = planned.for_file(self.TABLE, "correlations", none_yet)
        assert {row[-1] for row in found.rows} == {"exploratory"}
        assert planned.on_screen(self.TABLE, "correlations", none_yet).rows == (
            self.TABLE.rows
        )

    def test_where_no_metric_matters_every_row_is_planned(self) -> None:
        all_of_it = replace(self.PLANNED, metrics=None)
        found = planned.for_file(self.TABLE, "correlations", all_of_it)
        assert {row[-1] for row in found.rows} == {"planned: Coherence, Pearson r"}

    def test_latex_says_it_in_its_caption(self) -> None:
        found = planned.for_file(self.TABLE, "correlations", self.PLANNED, column=False)
        assert found.header == self.TABLE.header
        assert "Planned" in found.caption

    @pytest.mark.parametrize(("key", "status"), [("ranks", PLANNED), ("x", NONE)])
    def test_a_table_that_was_not_planned_says_so(self, key, status) -> None:
        found = planned.for_file(self.TABLE, key, status)
        assert {row[-1] for row in found.rows} == {"exploratory"}
        assert found.caption == "Correlations. Exploratory."

    def test_a_planned_row_has_a_badge_on_the_page(self) -> None:
        found = planned.on_screen(self.TABLE, "correlations", self.PLANNED)
        badges = [getattr(row[0], "badges", None) for row in found.rows]
        assert badges == [("planned",), (), ("baseline", "planned"), None]
        assert found.title == "Correlation, planned in part"

    def test_another_table_of_the_page_has_none(self) -> None:
        found = planned.on_screen(self.TABLE, "ranks", self.PLANNED)
        assert found.rows == self.TABLE.rows
        assert found.title == "Correlation, exploratory"

    def test_without_any_plan_the_page_says_it_once(self) -> None:
        assert planned.on_screen(self.TABLE, "x", self.NONE) == self.TABLE
