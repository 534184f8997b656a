"""The statistic pages in a real browser: drawn, accessible, narrow, dark, quiet."""

from __future__ import annotations

import pytest

from annotation.models import System
from scoring import analyses
from tests.annotation.seating import hand_in, lay_out, sit
from tests.pages.browsing import faults, log_in, overflow, overflow_once_drawn
from tests.scoring import analysed
from tests.support.scored import COHERENCE, LOSS, rate, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(make_study, nobody_is_woken):
    """Ratings of pages and of a file, two metrics, and a system that is people."""
    study = make_study(prompts=6)
    lay_out(study)
    for n in range(4):
        hand_in(sit(study, f"w{n}"), careful=n > 0)
    n = study.generations.count()
    rate(study, "coherence", [[k % 5 + 1, (k * k) % 5 + 1] for k in range(n)])
    score(study, COHERENCE, [(k * 7 % 11) / 7 for k in range(n)])
    score(
        study, LOSS, [(k * 5 % 13) / 3 for k in range(n)], metric="lm", signature="lm"
    )
    System.objects.filter(name="d").update(kind="human")
    return study


@pytest.fixture
def page(page, live_server, alice):
    return log_in(page, live_server.url)


def test_every_page_is_drawn_accessible_narrow_and_quiet(page, study):
    found = {}
    for name in analyses.names():
        analysed.computed(study, name)
        page.goto(f"{page.base}/studies/ferry/results/{name}/")
        for chart in page.locator("[data-chart]").all():
            chart.locator("svg.main-svg").first.wait_for(state="attached")
        found[name] = faults(page)
        page.locator("details").evaluate_all("all => all.forEach(d => (d.open = true))")
        assert overflow_once_drawn(page) <= 0
    assert found == {name: [] for name in analyses.names()}
    assert page.problems == []


@pytest.mark.path
def test_numbers_appear_by_themselves_when_a_worker_has_them(page, study):
    page.goto(f"{page.base}/studies/ferry/results/agreement/")
    page.get_by_text("No background process for this is running").wait_for()
    page.evaluate("window.stays = true")
    analysed.work(study)
    page.get_by_text("As of").first.wait_for()
    assert page.get_by_role("link", name="CSV").count() > 0
    # Taken in where they stand, and drawn: a reload would cancel a click.
    page.locator("[data-chart] svg.main-svg").first.wait_for(state="attached")
    assert page.evaluate("window.stays")
    assert page.locator("#fresh").count() == 1
    assert page.problems == []


def test_every_column_sorts_and_what_people_reach_stays_below(page, study):
    analysed.computed(study, "correlations")
    page.goto(f"{page.base}/studies/ferry/results/correlations/")
    table = page.locator("table[data-sortable]").first
    column = table.locator("thead tr").last.locator("th").nth(1)
    column.get_by_role("button").press("Enter")
    assert column.get_attribute("aria-sort") == "descending"
    shown = table.locator("tbody tr td:nth-child(2)[data-value]")
    values = [float(one.get_attribute("data-value")) for one in shown.all()]
    assert values == sorted(values, reverse=True)
    column.get_by_role("button").press("Enter")
    assert column.get_attribute("aria-sort") == "ascending"
    assert page.evaluate("document.activeElement.className") == "sorts"


def test_a_header_stays_in_view_inside_its_box(page, study):
    analysed.computed(study, "correlations")
    page.set_viewport_size({"width": 390, "height": 300})
    page.goto(f"{page.base}/studies/ferry/results/correlations/")
    box = page.locator(".table-scroll").first
    box.evaluate("box => { box.scrollTop = 150; box.scrollLeft = 40; }")
    moved = box.evaluate(
        "box => box.querySelector('thead tr > *').getBoundingClientRect().top"
        " - box.getBoundingClientRect().top"
    )
    assert box.evaluate("box => box.scrollTop") > 0
    assert abs(moved) < 40
    assert "more" in box.get_attribute("class")


def test_a_finger_finds_no_tool_bar_over_a_chart(browser, live_server, study, alice):
    analysed.computed(study, "correlations")
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = log_in(context.new_page(), live_server.url)
    page.goto(f"{page.base}/studies/ferry/results/correlations/")
    page.locator("[data-chart] svg.main-svg").first.wait_for(state="attached")
    assert page.locator(".modebar").count() == 0
    context.close()


def test_an_option_is_in_the_address_and_in_the_numbers(page, study):
    analysed.computed(study, "agreement")
    page.goto(f"{page.base}/studies/ferry/results/agreement/")
    page.locator("summary", has_text="Options").click()
    page.locator("select[name=level]").select_option("nominal")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**/agreement/?**level=nominal**")
    analysed.work(study)
    page.get_by_text("As of").first.wait_for()
    assert page.locator("select[name=level]").input_value() == "nominal"
    csv = page.get_by_role("link", name="CSV").first.get_attribute("href")
    assert "level=nominal" in csv


def test_every_number_shows_how_it_was_computed_on_demand(page, study):
    analysed.computed(study, "agreement")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{page.base}/studies/ferry/results/agreement/")
    number = page.locator("td.number[title*='alpha']").first
    after = "e => getComputedStyle(e, '::after').content"
    assert number.evaluate(after) == "none"
    page.locator("summary", has_text="How to reproduce").click()
    page.get_by_role("button", name="Show it under every number").click()
    assert number.get_attribute("title") in number.evaluate(after)
    assert overflow(page) == 0


def test_a_chart_is_saved_as_svg(page, study):
    analysed.computed(study, "agreement")
    page.goto(f"{page.base}/studies/ferry/results/agreement/")
    page.locator("[data-chart] svg.main-svg").first.wait_for(state="attached")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as SVG").first.click()
    assert saved.value.suggested_filename.startswith("ferry-agreement-")
    assert b"<svg" in saved.value.path().read_bytes()
