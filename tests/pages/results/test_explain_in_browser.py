"""From a point of the scatter plot to its text and what its score is made of."""

import pytest

from tests.pages.browsing import log_in
from tests.pages.results.test_results import RATINGS, scatter_url
from tests.support import explained as given
from tests.support.scored import rate

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(make_study, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    given.offer(monkeypatch)
    study = make_study()
    rate(study, "coherence", RATINGS)
    given.judge(study)
    # Of eight points one on the other, only the last can be clicked.
    study.generations.first().scores.update(value=0.7)
    return study


@pytest.mark.path
def test_a_point_leads_to_its_text_and_a_header_sorts(page, live_server, study):
    log_in(page, live_server.url)
    page.goto(live_server.url + scatter_url(study, output="verdict"))
    page.wait_for_selector(".chart .scatterlayer .point")
    # A point itself takes no pointer: the plot finds the nearest one.
    box = page.locator(".chart .scatterlayer .point").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".chart .hoverlayer .hovertext")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url("**/text/?key=0-a-1")
    page.get_by_role("region", name="Ratings of 0-a-1").wait_for()
    page.get_by_role("link", name="Explain the score of").first.click()
    page.wait_for_url("**/results/explain/*/?key=0-a-1")
    page.get_by_role("link", name="Score", exact=True).click()
    page.wait_for_url("**sort=score#verdict")
    scores = page.locator(".evaluators tbody tr td:nth-child(4)").all_text_contents()
    assert scores == ["0.800", "0.500", "0.200"]
    assert page.problems == []
