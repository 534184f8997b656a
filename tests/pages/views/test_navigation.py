"""Seven tabs, and at most two rows of links below them, listed in Python."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Report, System
from scoring import analyses
from scoring.models import MetricRun
from scoring.results import navigation as of_results
from tests.annotation.seating import lay_out, sit
from tests.support.scored import COHERENCE, rate, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

AT = "/studies/ferry/"
ROW = re.compile(r'<nav class="strip.*?</nav>', re.DOTALL)
LINK = re.compile(r'<a href="([^"]*)"(?: aria-current="(\w+)")?>([^<]*)')
TABS = ["Overview", "Setup", "Texts", "Workers", "Metrics", "Results", "Export"]


def rows(client, path: str = "") -> list[list[tuple[str, str, str]]]:
    """Address, aria-current and title of each link, row by row."""
    page = client.get(f"{AT}{path}").content.decode()
    return [
        [(url, current, title.strip()) for url, current, title in LINK.findall(row)]
        for row in ROW.findall(page)
    ]


def titles(row) -> list[str]:
    return [title for _, _, title in row]


def current(row) -> list[str]:
    return [title for _, now, title in row if now]


def test_the_overview_has_the_seven_tabs_and_nothing_below(client, make_study):
    make_study()
    (tabs,) = rows(client)
    assert titles(tabs) == TABS
    assert current(tabs) == ["Overview"]


@pytest.mark.parametrize(
    ("path", "tab", "page"),
    [
        ("setup/", "Setup", "Checklist"),
        ("settings/", "Setup", "Questions and pay"),
        ("practice/", "Setup", "Practice"),
        ("quality/", "Setup", "Quality control"),
        ("results/plan/", "Setup", "Analysis plan"),
        ("invites/", "Setup", "Invites"),
        ("simulate/", "Setup", "Simulate"),
        ("texts/", "Texts", "Texts"),
        ("review/", "Texts", "Review"),
        ("surveys/", "Texts", "Surveys"),
        ("surveys/1/", "Texts", "Surveys"),
        ("import/", "Texts", "Add data"),
        ("workers/", "Workers", "Workers"),
        ("monitor/", "Workers", "Monitor"),
        ("reports/", "Workers", "Reports"),
        ("payments/", "Workers", "Payments"),
        ("log/", "Workers", "Log"),
        ("metrics/", "Metrics", "Runs"),
        ("metrics/evaluators/", "Metrics", "Evaluators"),
        ("corpora/", "Metrics", "Corpora"),
        ("probing/", "Metrics", "Probing"),
        ("training/", "Metrics", "Training"),
        ("results/", "Results", "Answer"),
        ("export/", "Export", "Tables"),
    ],
)
def test_each_page_says_where_it_stands(client, make_study, path, tab, page):
    lay_out(make_study())
    tabs, pages = rows(client, path)
    assert (current(tabs), current(pages)) == ([tab], [page])


def test_a_form_with_errors_stands_where_its_page_stands(client, make_study):
    make_study()
    page = client.post(f"{AT}invites/make/", {"names": ""})
    assert page.status_code == 400
    assert 'aria-current="true">Invites' in page.content.decode()


def test_reports_that_wait_are_counted(client, make_study):
    study = make_study()
    lay_out(study)
    seat = sit(study, "w1")
    assert 'class="count"' not in client.get(f"{AT}workers/").content.decode()
    Report.objects.create(
        seat=seat,
        item=seat.survey.items.first(),
        reason="It offends.",
        reported_at=timezone.now(),
    )
    page = client.get(f"{AT}workers/").content.decode()
    assert '<span class="count">1</span>' in page


class TestResults:
    def groups(self, client, path="results/") -> list[str]:
        return titles(rows(client, path)[1])

    def test_a_study_without_ratings_is_offered_no_analysis_of_them(
        self, client, make_study
    ):
        make_study()
        assert self.groups(client) == ["Answer", "Systems", "Advanced"]

    def test_ratings_bring_people_and_metrics(self, client, make_study):
        study = make_study()
        rate(study, "coherence", [[1, 2]] * 8)
        groups = ["Answer", "People", "Metrics", "Systems", "Advanced"]
        assert self.groups(client) == groups
        _, found, pages = rows(client, "results/drift/")
        assert (current(found), current(pages)) == (["Systems"], ["Drift"])

    def test_a_group_with_one_page_has_no_row_of_its_own(self, client, make_study):
        make_study()
        assert len(rows(client, "results/")) == 2

    def test_what_is_empty_is_not_offered_but_its_address_answers(
        self, client, make_study
    ):
        study = make_study()
        rate(study, "coherence", [[1, 2]] * 8)
        listed = titles(rows(client, "results/systems/")[2])
        assert listed == ["Drift", "Systems", "Saved ratings"]
        for name in ("preferences", "synthetic", "evaluators", "diagnosis"):
            page = client.get(f"{AT}results/{name}/")
            assert page.status_code == 200
            assert "Nothing to show for this study yet. Needs" in page.content.decode()

    def test_it_is_offered_once_there_is_something(self, client, make_study):
        study = make_study()
        rate(study, "coherence", [[1, 2]] * 8)
        study.systems.filter(name="a").update(kind=System.Kind.HUMAN)
        assert "Real vs synthetic" in titles(rows(client, "results/systems/")[2])

    def test_more_analyses_say_what_they_need_and_lead_there(self, client, make_study):
        make_study()
        page = client.get(f"{AT}results/more/").content.decode()
        assert "Needs votes" in page
        assert f'href="{AT}import/">Add votes' in page
        assert f'href="{AT}setup/">Set up the study' in page

    def test_a_study_named_like_a_page_marks_its_own_page_only(
        self, client, make_study
    ):
        study = make_study(name="systems")
        rate(study, "coherence", [[1, 2]] * 8)
        page = client.get("/studies/systems/results/drift/").content.decode()
        assert page.count('aria-current="page">Systems') == 0

    def test_a_scored_study_can_explain_its_scores(self, client, make_study):
        study = make_study()
        signature = score(study, COHERENCE, [0.5] * 8)
        MetricRun.objects.create(study=study, metric="judge", signature=signature)
        advanced = titles(rows(client, "results/explain/")[2])
        assert advanced[:2] == ["Compare two texts", "Explain a score"]
        page = client.get(f"{AT}results/explain/").content.decode()
        assert reverse("explain", args=["ferry", signature.pk]) in page

    def test_each_analysis_belongs_to_a_group(self):
        groups = {name: analyses.get(name).GROUP for name in analyses.names()}
        for name in ("answer", "overview"):  # Results is their page
            assert groups.pop(name) == ""
        assert set(groups.values()) <= {of_results.ANSWER, *of_results.GROUPS}
