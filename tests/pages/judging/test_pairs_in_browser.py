"""Judges in a real browser: from the form over consent to the result."""

from __future__ import annotations

import pytest

from scoring.models import JudgeTrial
from tests.pages.browsing import faults, log_in
from tests.scoring.judging.asked import longest, served, started, work
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study(prompts=4)


@pytest.mark.path
def test_a_comparison_is_agreed_to_and_read(
    page, live_server, study, monkeypatch, tmp_path
):
    log_in(page, live_server.url)
    with served(monkeypatch, tmp_path, longest, price_in=1.0, price_out=2.0):
        page.goto(f"{live_server.url}/studies/ferry/judges/")
        assert faults(page) == []
        page.get_by_label("Maximum number of pairs").fill("8")
        page.get_by_role("button", name="Continue").click()
        assert faults(page) == []
        page.get_by_label("I agree").check()
        page.get_by_role("button", name="Start the comparison").click()
        page.get_by_role("button", name="Cancel").wait_for()
        assert faults(page) == []
        trial = work(JudgeTrial.objects.get())
        assert trial.state == "done", trial.error
        # The page asks for itself and loads again.
        page.get_by_role("heading", name="Does the order decide?").wait_for()
    page.get_by_text("Show the table").click()
    assert faults(page) == []
    assert page.problems == []


def test_a_long_reason_and_a_long_name_stay_inside_the_page(
    page, live_server, study, monkeypatch, tmp_path
):
    log_in(page, live_server.url)
    with served(monkeypatch, tmp_path, "x" * 500):
        trial = work(started(study, n=3))
    study.systems.filter(name="a").update(
        name="mistral-7b-instruct-v0.3-awq-4bit-run-12"
    )
    page.goto(live_server.url + trial.get_absolute_url())
    page.get_by_text("Show the table").click()
    assert faults(page) == []


def test_without_a_judge_the_page_says_what_to_do(
    page, live_server, study, settings, tmp_path, monkeypatch
):
    monkeypatch.setenv("JUDGES_FILE", str(tmp_path / "none.toml"))
    log_in(page, live_server.url)
    page.goto(f"{live_server.url}/studies/ferry/judges/")
    assert page.get_by_text("No judge is set up on this server").is_visible()
    assert faults(page) == []
