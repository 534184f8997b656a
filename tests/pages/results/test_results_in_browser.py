"""The results in a real browser, under the app's own content security policy."""

import pytest

from scoring import runs
from scoring.models import Chunk
from tests.pages.browsing import log_in, overflow, until
from tests.pages.results.test_results import RATINGS, SCORES, scatter_url
from tests.scoring import analysed
from tests.support.messages import catch
from tests.support.scored import COHERENCE, LOSS, rate, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(make_study):
    study = make_study(systems=("plain", "<b>bold</b>", "c", "d"))
    rate(study, "coherence", RATINGS)
    score(study, COHERENCE, SCORES)
    score(study, LOSS, SCORES, metric="lm", signature="lm|v:1")
    return study


@pytest.fixture
def page(page, live_server, study):
    analysed.overview_of(study)
    return log_in(page, live_server.url)


def open_scatter(page, live_server, study, query=""):
    page.goto(live_server.url + scatter_url(study) + query)
    page.wait_for_selector(".chart .scatterlayer .point")


@pytest.mark.path
def test_a_row_leads_to_the_texts_behind_it(page, live_server, study):
    page.goto(f"{live_server.url}/studies/ferry/results/")
    page.get_by_role("link", name="judge: Coherence").first.click()
    page.wait_for_selector(".chart .scatterlayer .point")
    assert page.locator(".chart .scatterlayer .point").count() == 8
    assert page.problems == []


def test_the_drawing_keeps_its_look_under_the_policy(page, live_server, study):
    open_scatter(page, live_server, study)
    position = page.evaluate(
        "() => getComputedStyle(document.querySelector('.modebar')).position"
    )
    assert position == "absolute"
    assert page.problems == []


def test_no_button_sends_the_drawing_to_another_server(page, live_server, study):
    open_scatter(page, live_server, study)
    buttons = page.locator(".modebar-btn")
    names = [buttons.nth(k).get_attribute("aria-label") for k in range(buttons.count())]
    assert names == ["Zoom", "Pan", "Reset axes"]


def test_a_system_cannot_write_into_the_page(page, live_server, study):
    open_scatter(page, live_server, study)
    assert "<b>bold</b>" in page.locator(".chart .legend").text_content()


def test_a_click_on_a_header_sorts_the_table(page, live_server, study):
    page.goto(f"{live_server.url}/studies/ferry/results/")
    table = page.locator("table.correlations").first
    table.get_by_role("button", name="Pearson").click()
    values = table.locator("tbody td:nth-child(2)").all_inner_texts()
    shown = [value for value in values if "—" not in value]
    numbers = [float(value.replace("\N{MINUS SIGN}", "-")) for value in shown]
    assert len(numbers) >= 3
    assert numbers == sorted(numbers, reverse=True)
    assert page.problems == []


def test_the_drawing_can_be_saved(page, live_server, study):
    open_scatter(page, live_server, study)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").click()
    assert download.value.suggested_filename == "ferry-judge-coherence-coherence.svg"
    saved = download.value.path().read_text()
    assert saved.startswith("<svg")
    assert "Human: Coherence, mean rating 1-5" in saved
    assert page.problems == []


def test_the_dark_theme_draws_light_words(page, live_server, study):
    page.emulate_media(color_scheme="dark")
    open_scatter(page, live_server, study)
    colour = page.evaluate(
        "() => getComputedStyle(document.querySelector('.xtitle')).fill"
    )
    assert colour == "rgb(232, 230, 225)"
    page.locator(".me > summary").click()
    page.select_option("#theme", "light")
    assert until(
        page,
        "() => getComputedStyle(document.querySelector('.xtitle')).fill"
        " === 'rgb(29, 33, 39)'",
    )
    assert page.problems == []


def test_a_phone_never_scrolls_the_page_sideways(page, live_server, study):
    page.set_viewport_size({"width": 360, "height": 740})
    for path in ("/studies/ferry/results/", scatter_url(study)):
        page.goto(live_server.url + path)
        assert overflow(page) <= 0, path


def test_a_run_is_watched_until_it_ends(page, live_server, study, monkeypatch):
    catch(monkeypatch, "score_chunk", lambda pk: None)
    run = runs.start(study=study, metric="length", options={})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(live_server.url + run.get_absolute_url())
    run.chunks.update(state=Chunk.State.RUNNING, done_items=3)
    page.get_by_text("3 of 8 texts scored").wait_for()
    runs.cancel(run=run)
    page.get_by_role("button", name="Try again").wait_for()
    asked.clear()
    page.wait_for_timeout(3000)
    assert asked == []
    assert page.problems == []
