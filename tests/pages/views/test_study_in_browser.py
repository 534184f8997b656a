"""The researcher's pages in a real browser: accessible, narrow, dark, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from annotation.models import Study
from tests.annotation.seating import hand_in, lay_out, sit
from tests.pages.browsing import faults, log_in, until, violations
from tests.support.scored import rate

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = [
    "/",
    "/studies/new/",
    "/studies/ferry/",
    "/studies/ferry/texts/",
    "/studies/ferry/import/",
    "/studies/ferry/surveys/",
    "/studies/ferry/surveys/1/",
    "/studies/ferry/workers/",
    "/studies/ferry/export/",
    "/studies/ferry/setup/",
    "/studies/ferry/settings/",
    "/studies/ferry/preview/",
    "/studies/ferry/practice/",
    "/studies/ferry/invites/",
]


@pytest.fixture
def study(make_study):
    """Open; one valid page, one discarded, one in work, and some imported ratings."""
    study = make_study(title="Short texts about a ferry")
    lay_out(study)
    hand_in(sit(study, "w1"))
    hand_in(sit(study, "w2"), careful=False)
    sit(study, "w3")
    rate(study, "coherence", [[4, 5], [3, 3]])
    return study


@pytest.fixture
def page(page, live_server, alice):
    return log_in(page, live_server.url)


def test_every_page_is_accessible_narrow_and_quiet(page, study):
    found = {}
    for path in PAGES:
        page.goto(page.base + path)
        found[path] = faults(page)
        for box in page.locator(".table-scroll").all():
            # So that it can be scrolled by keyboard.
            assert box.get_attribute("tabindex") == "0"
            assert box.get_attribute("aria-label")
    assert found == {path: [] for path in PAGES}
    assert page.problems == []


def test_the_login_page_is_accessible_and_leads_home(browser, live_server, alice):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{live_server.url}/login/")
    assert violations(page) == []
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("alice-password")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/")
    context.close()


def test_a_table_is_whole_and_its_header_stays_in_view(page, make_study):
    lay_out(make_study(prompts=24))
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto(f"{page.base}/studies/ferry/surveys/")
    box = page.locator(".table-scroll")
    assert box.evaluate("e => e.scrollHeight <= e.clientHeight")
    page.get_by_text("Survey 24").scroll_into_view_if_needed()
    assert page.locator("thead th").first.bounding_box()["y"] == 0


class TestTheme:
    def paper(self, page) -> str:
        return page.evaluate("() => getComputedStyle(document.body.parentNode).color")

    def test_it_follows_the_system_until_a_choice_is_made_and_keeps_that(self, page):
        page.goto(page.base)
        page.emulate_media(color_scheme="light")
        light = self.paper(page)
        page.emulate_media(color_scheme="dark")
        dark = self.paper(page)
        assert light != dark
        page.locator(".me > summary").click()
        page.get_by_label("Theme").select_option("light")
        assert self.paper(page) == light
        page.reload()
        assert self.paper(page) == light
        page.locator(".me > summary").click()
        page.get_by_label("Theme").select_option("")
        assert self.paper(page) == dark

    def test_the_choice_is_there_before_the_first_paint(self, page):
        page.goto(page.base)
        page.locator(".me > summary").click()
        page.get_by_label("Theme").select_option("dark")
        page.goto(f"{page.base}/studies/new/", wait_until="commit")
        # The script stands before the stylesheet and is not deferred.
        page.wait_for_selector("html[data-theme=dark] body")
        order = page.evaluate(
            "() => [...document.head.children].map(e => e.src || e.href || '')"
        )
        theme = next(n for n, url in enumerate(order) if "theme" in url)
        style = next(n for n, url in enumerate(order) if "base" in url)
        assert theme < style


def test_the_skip_link_comes_first_and_leads_to_the_content(page):
    page.goto(page.base)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent").startswith("Skip")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "content"


def test_a_table_sorts_by_number_when_its_header_is_pressed(page, make_study):
    lay_out(make_study(prompts=11))
    page.goto(f"{page.base}/studies/ferry/surveys/")
    surveys = page.get_by_role("button", name="Survey")
    rows = page.locator("tbody th")
    up = [f"Survey\N{NO-BREAK SPACE}{number}" for number in range(1, 12)]
    surveys.press("Enter")
    assert rows.all_inner_texts() == up
    surveys.press("Enter")
    assert rows.all_inner_texts() == up[::-1]
    header = page.locator("th", has=surveys)
    assert header.get_attribute("aria-sort") == "descending"


@pytest.mark.path
def test_from_an_empty_site_to_an_open_study(page):
    sample = finders.find("samples/sample.csv")
    page.goto(page.base)
    page.get_by_role("link", name="New study").click()
    page.wait_for_url("**/studies/new/")  # and for the script that sends what is chosen
    page.get_by_label("Drop a file here").set_input_files(sample)
    page.wait_for_url("**/uploads/**")
    page.get_by_label("Name", exact=True).fill("bakery")
    page.get_by_role("button", name="Import 12 texts").click()
    assert "12 texts are imported" in page.locator(".next").inner_text()
    page.get_by_role("link", name="Set up study").click()
    page.get_by_role("link", name="Open study…").click()
    assert "This becomes fixed" in page.locator("main").inner_text()
    page.get_by_role("button", name="Open study").click()
    assert "bakery is open" in page.get_by_role("status").first.inner_text()
    link = page.get_by_label("Link for workers").input_value()
    assert link == page.base + Study.objects.get().get_worker_url()
    assert page.problems == []


def test_a_bad_file_says_what_to_do(page, make_study, tmp_path: Path):
    make_study(prompts=0, systems=())
    file = tmp_path / "bad.csv"
    file.write_text("prefix,label,system\nThe sea,positive,a\n")
    page.goto(f"{page.base}/studies/ferry/import/")
    page.get_by_label("Drop a file here").set_input_files(str(file))
    alert = page.get_by_role("alert")
    assert "Choose the column that has the texts" in alert.inner_text()
    assert violations(page) == []


def test_closing_asks_once_and_names_what_is_missing(page, study):
    page.goto(f"{page.base}/studies/ferry/")
    asked = []

    def refuse(dialog):
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.get_by_role("button", name="Close study").click()
    assert asked == [
        "Close ferry? 12 of 16 ratings are still missing, and a closed study takes"
        " no more."
    ]
    study.refresh_from_db()
    assert study.state == Study.State.OPEN


def test_progress_of_an_open_study_refreshes_in_place(page, study):
    page.goto(f"{page.base}/studies/ferry/")
    assert "4 of 16" in page.locator("#progress").inner_text()
    hand_in(sit(study, "w4"))
    # As the clock would, but now.
    page.evaluate(
        """() => htmx.ajax("GET", "/studies/ferry/progress/",
                           {target: "#progress", swap: "outerHTML"})"""
    )
    assert until(
        page, "() => document.querySelector('#progress').innerText.includes('8 of 16')"
    )
    assert page.problems == []
