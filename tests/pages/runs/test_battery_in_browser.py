"""One press scores a study with every metric that runs here, by a real worker."""

from __future__ import annotations

import pytest
from django.utils import timezone

from scoring import metrics
from scoring.models import Chunk, MetricRun
from scoring.runs.work import RUNS
from tests.pages.browsing import log_in, overflow, until, violations
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("length", "distinct", "repetition", "zipf", "perplexity", "bleu", "union")
URL = "/studies/ferry/metrics/"


@pytest.fixture
def page(page, live_server, make_study, alice, monkeypatch, settings, tmp_path):
    settings.MODELS_DIR, settings.DATA_DIR = tmp_path / "models", tmp_path
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    monkeypatch.setattr(metrics, "names", lambda: sorted(NAMES))
    catch(monkeypatch, "score_chunk", lambda pk: None)
    make_study()
    log_in(page, live_server.url).goto(f"{live_server.url}{URL}")
    return page


@pytest.mark.path
def test_one_press_scores_with_all_that_runs_here(page):
    heading = page.get_by_role("heading", name="Score with everything that runs here")
    assert "5 metrics, about" in heading.inner_text()
    page.get_by_role("checkbox", name="Zipf coefficient of each system").uncheck()
    assert "4 metrics, about" in heading.inner_text()
    page.get_by_role("button", name="Score 8 texts with the ticked metrics").click()
    page.get_by_role("heading", name="0 of 4 metrics done").wait_for()
    for chunk in Chunk.objects.order_by("pk"):
        RUNS.perform(pk=chunk.pk, owner="here/1/a", clock=timezone.now)
    page.get_by_role("heading", name="4 of 4 metrics done").wait_for()
    assert set(MetricRun.objects.values_list("metric", "state")) == {
        (name, "done") for name in ("length", "distinct", "repetition", "perplexity")
    }
    page.get_by_role("link", name="See the results").first.wait_for()
    # Else a long line of one column would be printed over the next column.
    line = page.locator(".at-work li").first
    assert line.evaluate("one => getComputedStyle(one).whiteSpace") == "normal"
    page.goto(f"{page.base}{URL}")
    assert page.get_by_text("already scored", exact=True).count() == 4
    assert page.get_by_role("checkbox", name="Zipf").is_checked()
    assert page.problems == []


def test_the_list_is_filtered_as_one_types_and_fits_every_window(page):
    rows = page.locator("tr[data-words]:visible")
    assert rows.count() == len(NAMES)
    page.get_by_label("Find a metric").fill("surprising")
    assert until(page, "() => !!document.querySelector('[data-found]').textContent")
    assert rows.count() == 1
    page.get_by_label("Find a metric").fill("")
    page.get_by_label("Kind").select_option("references")
    assert rows.count() == 1
    for address in ("", "with/perplexity/"):
        page.goto(f"{page.base}{URL}{address}")
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 800})
        page.emulate_media(color_scheme="dark")
        assert violations(page, only=["color-contrast"]) == []
        assert overflow(page) == 0
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light")


def test_one_metric_runs_with_several_sets_of_options(page):
    page.get_by_role("link", name="Options of Perplexity").click()
    assert page.get_by_label("Language model", exact=True).input_value() == (
        "bundled:causal-small"
    )
    page.get_by_role("button", name="Add another set of options").click()
    page.get_by_label("Language model", exact=True).select_option("bundled:causal-nano")
    page.get_by_role("button", name="Score 8 texts with all 2 sets").click()
    page.get_by_role("heading", name="0 of 2 metrics done").wait_for()
    chosen = {run.options["model"] for run in MetricRun.objects.all()}
    assert chosen == {"bundled:causal-small", "bundled:causal-nano"}
