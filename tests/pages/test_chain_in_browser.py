"""The main job from end to end: upload, open, rate, look, score, look again."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Study
from scoring.models import Chunk
from scoring.runs.work import RUNS
from tests.pages.browsing import log_in
from tests.scoring import analysed
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = (
    ("plain", "The lake shone. We swam until dusk. Nobody wanted to go home."),
    ("broken", "The lake the lake. Swam it was swam. Home is a lake of home."),
    ("plain", "The lake was calm. A heron stood by the reeds. We rowed past it."),
    ("broken", "The lake is on of. Heron reeds the stood. Past it it it rowed."),
)
CSV = "prefix,label,system,sample,text\n" + "".join(
    f'The lake,positive,{system},{1 + number // 2},"{text}"\n'
    for number, (system, text) in enumerate(ROWS)
)
ANSWERS = {"plain": 5, "broken": 2}


@pytest.mark.path
def test_from_a_file_to_the_correlation_of_a_metric(
    page, browser, live_server, alice, tmp_path, monkeypatch
):
    file = tmp_path / "outputs.csv"
    file.write_text(CSV)
    log_in(page, live_server.url)
    make_and_open_a_study(page, live_server, file)
    study = Study.objects.get(name="lake")
    # A script is done before anyone could have read the page.
    study.policies.update(characters_per_second=None)
    link = study.get_worker_url()
    for _ in range(2):
        rate_everything(browser, live_server.url + link)

    page.goto(f"{live_server.url}/studies/lake/")
    expect(page.get_by_text("8 of 8 ratings are valid")).to_be_visible()
    table = page.get_by_role("table").filter(has_text="α ordinal")
    expect(table.get_by_role("row", name="Coherence")).to_contain_text("1.000")

    score_with_distinct(page, live_server, monkeypatch)
    analysed.overview_of(Study.objects.get(name="lake"))
    page.goto(f"{live_server.url}/studies/lake/results/")
    row = page.get_by_role("row", name=re.compile("distinct-1", re.I)).first
    coefficients = row.get_by_role("cell").all_inner_texts()
    # The broken texts repeat their words, so that distinct words go with high ratings.
    assert float(coefficients[0]) > 0.8
    assert coefficients[-2] == "4"  # the last one compares with trivial predictors
    row.get_by_role("link").click()
    page.wait_for_selector(".chart .scatterlayer .point")
    assert page.problems == []


def make_and_open_a_study(page, live_server, file) -> None:
    page.goto(f"{live_server.url}/studies/new/")
    page.set_input_files("input[type=file]", file)
    page.wait_for_url("**/uploads/**")
    page.fill("[name=name]", "lake")
    page.fill("[name=ratings_per_text]", "2")
    page.get_by_role("button", name=re.compile("^Import")).click()
    page.goto(f"{live_server.url}/studies/lake/open/")
    page.get_by_role("button", name="Open study").click()
    expect(page.get_by_text("Open", exact=True)).to_be_visible()


def rate_everything(browser, link: str) -> None:
    """As a new worker: high ratings for what reads well, low ones for all else."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    for number in (1, 2):
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_contain_text(f"Page {number}")
        for card in page.locator("section.card").all():
            text = card.inner_text()
            whole = any(system == "plain" and t in text for system, t in ROWS)
            value = ANSWERS["plain"] if whole else ANSWERS["broken"]
            for radio in card.locator(f'input[value="{value}"]').all():
                radio.click()
        page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    context.close()


def score_with_distinct(page, live_server, monkeypatch) -> None:
    # The message is caught: the worker's work is done here, without its process.
    catch(monkeypatch, "score_chunk", lambda pk: None)
    page.goto(f"{live_server.url}/studies/lake/metrics/")
    page.get_by_role("link", name="Options of Distinct-n", exact=True).click()
    page.get_by_role("button", name="Score 4 texts").click()
    page.wait_for_url(re.compile(r"/metrics/\d+/$"))
    for chunk in Chunk.objects.all():
        RUNS.perform(pk=chunk.pk, owner="here/1/a", clock=timezone.now)
    expect(page.get_by_text("Done", exact=True).first).to_be_visible()
