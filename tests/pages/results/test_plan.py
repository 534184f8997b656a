"""The page of the plan, and what other pages say of it."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from annotation import surveys
from annotation.models import Policy
from scoring.analyses import pages
from scoring.models import Plan
from scoring.results import planned
from tests.scoring import analysed
from tests.support.scored import COHERENCE, rate, score

PAGE = "/studies/ferry/results/plan/"
WORDS = {"metrics-0-output": "length:words"}


@pytest.fixture
def study(make_study, as_alice, nobody_is_woken):
    return make_study()


def fill_in(client, study, **fields):
    form = {
        "aspect": study.aspects.get(key="coherence").pk,
        "coefficient": "spearman",
        "grouping": "none",
        "note": "More <b>is</b> better.",
        "metrics-TOTAL_FORMS": 3,
        "metrics-INITIAL_FORMS": 0,
        **WORDS,
    }
    return client.post(PAGE, {**form, **fields})


def seen(client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_draft_is_saved_shown_and_locked(client, study) -> None:
    assert "Lock the plan" not in seen(client)
    assert fill_in(client, study)["Location"] == PAGE
    page = seen(client)
    assert "Lock the plan" in page
    assert "Spearman ρ" in page
    assert "More &lt;b&gt;is&lt;/b&gt; better." in page
    client.post(f"{PAGE}lock/")
    page = seen(client)
    assert "by alice, before the first rating" in page
    assert "<form" not in page.partition("<main")[2]


def test_the_saved_metrics_are_in_the_form_again(client, study) -> None:
    options = '{"model": "bundled:infill-small"}'
    fill_in(
        client,
        study,
        **{"metrics-1-output": "ctrleval:coherence", "metrics-1-options": options},
    )
    assert Plan.objects.get().metrics == [
        {"metric": "length", "output": "words", "options": {}},
        {
            "metric": "ctrleval",
            "output": "coherence",
            "options": {"model": "bundled:infill-small"},
        },
    ]
    page = seen(client)
    assert 'name="metrics-4-output"' in page  # the two, and three for more
    assert 'name="metrics-5-output"' not in page
    assert '<option value="ctrleval:coherence" selected>' in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"metrics-0-options": "{model}"}, "This is not valid JSON"),
        ({"metrics-0-options": "[1]"}, "Name each option"),
        ({"metrics-0-output": "no:such"}, "Select a valid choice"),
        ({"coefficient": "mean"}, "Select a valid choice"),
        ({"metrics-TOTAL_FORMS": "x"}, "ManagementForm"),
    ],
)
def test_a_mistake_is_named_and_nothing_saved(client, study, fields, said) -> None:
    answer = fill_in(client, study, **fields)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Plan.objects.exists()


def test_a_locked_plan_is_not_saved_over(client, study) -> None:
    fill_in(client, study)
    client.post(f"{PAGE}lock/")
    answer = fill_in(client, study, coefficient="kendall")
    assert answer.status_code == 302
    assert Plan.objects.get().coefficient == "spearman"
    assert "and cannot change" in seen(client)


def test_after_the_opening_it_is_too_late(client, study) -> None:
    surveys.open_study(study=study)
    assert "has been opened" in seen(client)
    fill_in(client, study)
    assert not Plan.objects.exists()


def test_before_the_opening_a_missing_plan_is_mentioned(client, study) -> None:
    setup = "/studies/ferry/setup/"
    assert "every table will say that it is exploratory" in seen(client, setup)
    fill_in(client, study)
    client.post(f"{PAGE}lock/")
    assert "tables mark what it names as planned" in seen(client, setup)


def test_a_stranger_sees_none(client, study, bob) -> None:
    fill_in(client, study)
    client.force_login(bob)
    assert client.get(PAGE).status_code == 404
    assert client.post(f"{PAGE}lock/").status_code == 404
    assert Plan.objects.get().locked_at is None


class TestOtherPages:
    @pytest.fixture
    def locked(self, client, study):
        fill_in(client, study)
        client.post(f"{PAGE}lock/")
        rate(study, "coherence", [[n % 5 + 1] for n in range(8)])
        return study

    def test_a_page_says_what_of_it_was_planned(self, client, locked) -> None:
        page = analysed.page(client, locked, "correlations")
        assert "Planned: Coherence, Spearman ρ of one metric, as locked on" in page
        assert page.count('class="badge" title="Named in the plan') == 1
        assert "Correlation with human scores, planned in part" in page

    def test_the_results_at_a_glance_say_it_too(self, client, locked) -> None:
        score(locked, COHERENCE, [n / 10 for n in range(8)])
        page = analysed.seen(client, "/studies/ferry/results/")
        assert "Planned: Coherence, Spearman ρ of one metric, as locked on" in page
        page = analysed.seen(client, "/studies/ferry/results/?with_excluded=1")
        assert "Exploratory: other options than in the plan" in page

    def test_with_other_options_it_leads_back_to_the_plan(self, client, locked) -> None:
        page = analysed.page(client, locked, "correlations", grouping="item")
        assert "Exploratory: other options than in the plan" in page
        planned = '<a href="/studies/ferry/results/correlations/">Show what was planned'
        assert planned in page
        assert "Correlation with human scores, exploratory" in page

    def test_without_a_plan_it_says_that_all_explores(self, client, study) -> None:
        page = analysed.page(client, study, "agreement")
        assert "Exploratory: you did not lock a plan" in page

    def test_a_new_quality_control_is_told(self, client, locked) -> None:
        Policy.objects.create(study=locked, version=2)
        assert "Quality control has changed to version" in seen(client)

    def test_a_downloaded_table_says_it_of_each_row(self, client, locked) -> None:
        analysed.page(client, locked, "correlations")
        address = "/studies/ferry/results/correlations/correlations.csv"
        rows = list(csv.DictReader(StringIO(seen(client, address))))
        said = {row["Metric"].partition(" (")[0]: row["plan"] for row in rows}
        assert said["Length: words"] == "planned: Coherence, Spearman ρ"
        assert said["Length: characters"] == "exploratory"

    def test_the_tables_that_a_plan_speaks_of_are_there(self, client, locked) -> None:
        for name, keys in planned.SPEAKS_OF.items():
            found = pages.tables(name, analysed.computed(locked, name))
            assert set(keys) <= set(found)
