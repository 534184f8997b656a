"""The page of a run of a metric of systems in a real browser."""

from __future__ import annotations

import pytest

from scoring.models import MetricRun
from tests.pages.browsing import log_in, overflow, violations
from tests.pages.runs.test_system_run import run

__all__ = ["run"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.path
def test_curves_are_drawn_as_soon_as_the_run_has_ended(page, live_server, run):
    MetricRun.objects.update(state=MetricRun.State.RUNNING)
    log_in(page, live_server.url).goto(live_server.url + run.get_absolute_url())
    assert page.locator(".chart").count() == 0
    MetricRun.objects.update(state=MetricRun.State.DONE)
    page.wait_for_selector(".chart .scatterlayer .trace")
    assert page.locator(".chart .scatterlayer .trace").count() == 2
    assert "<b>b</b>" in page.locator(".chart .legend").text_content()
    assert page.problems == [] and violations(page) == []


def test_it_fits_a_phone(page, live_server, run):
    page.set_viewport_size({"width": 390, "height": 800})
    log_in(page, live_server.url).goto(live_server.url + run.get_absolute_url())
    page.wait_for_selector(".chart .scatterlayer .trace")
    assert overflow(page) == 0


def test_metrics_can_be_found_by_what_they_ask(page, live_server, run):
    log_in(page, live_server.url)
    for address in ("/metrics/", "/metrics/divergence/"):
        page.goto(live_server.url + address)
        assert violations(page) == [], address
    page.goto(f"{live_server.url}/studies/{run.study.name}/metrics/")
    assert violations(page) == []
    page.get_by_label("Kind").select_option("human-texts")
    assert page.locator("#metric-divergence").is_visible()
    assert not page.locator("#metric-length").is_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    assert overflow(page) == 0
