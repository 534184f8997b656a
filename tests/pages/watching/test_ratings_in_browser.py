"""From what needs attention to a page, from there to a text, in a real browser."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation import answering, assigning
from annotation.models import Study
from annotation.watching import reports
from tests.annotation.seating import hire, lay_out
from tests.annotation.seating import page as full
from tests.pages.browsing import faults, log_in
from tests.pages.working import worker_page

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(make_study) -> Study:
    """A careful worker, and one who gives one answer everywhere in two seconds."""
    study = make_study(prompts=4, ratings_per_text=3)
    lay_out(study)
    study.policies.update(worker_pages=3)
    now = timezone.now() - timedelta(hours=1)
    for name, value, seconds in (("careful", None, 300), ("hasty", 3, 2)):
        worker = hire(study, name)
        for _ in range(4):
            seat = assigning.claim(worker=worker, now=now)
            answers = full(seat)
            answers = dict.fromkeys(answers, value) if value else answers
            later = now + timedelta(seconds=seconds)
            answering.submit(seat=seat, answers=answers, now=later, comment="Hello.")
    reports.report(seat=seat, position=1, reason="It insults.", now=now)
    return study


@pytest.fixture
def desk(page, live_server, alice, study):
    log_in(page, live_server.url).base += "/studies/ferry"
    return page


@pytest.mark.path
def test_the_attention_list_leads_to_a_page_and_on_to_a_text(desk):
    desk.goto(f"{desk.base}/monitor/")
    row = desk.locator("#attention tbody tr", has_text="characters per second")
    expect(row).to_contain_text("Urgent")
    expect(row).to_contain_text("Gave the same answer everywhere on 4 of 4 pages")
    row.get_by_role("link", name="survey").first.click()
    expect(desk.get_by_role("heading", level=1)).to_contain_text("rated by w-")
    expect(
        desk.get_by_text("damaged on purpose: sentences in another order")
    ).to_be_visible()
    desk.locator(".rated h3 a").first.click()
    expect(desk.get_by_role("heading", level=1)).to_contain_text("Text ")
    expect(desk.get_by_role("region", name="Ratings of")).to_be_visible()
    assert desk.problems == []


def test_next_and_previous_go_through_the_pages_of_the_worker(desk):
    desk.goto(f"{desk.base}/monitor/")
    desk.locator("#attention a", has_text="survey").first.click()
    # Looking before the page has arrived would find neither of its links.
    desk.wait_for_url("**/ratings/*/")
    steps = desk.get_by_role("link", name=re.compile("^(Next|Previous) page$"))
    seen = {desk.url}
    for _ in range(3):
        before = desk.url
        steps.last.click()
        desk.wait_for_url(lambda url, before=before: url != before)
        seen.add(desk.url)
    assert len(seen) > 1 and desk.problems == []


def test_the_new_pages_have_no_faults(desk, study):
    seat = study.workers.get(external_id="hasty").seats.first()
    key = study.generations.first().key
    found = {}
    for part in (
        "monitor/",
        "workers/",
        worker_page(seat.worker),
        f"ratings/{seat.public_id}/",
        f"text/?key={key}",
        "texts/",
        "review/",
    ):
        desk.goto(f"{desk.base}/{part}")
        found[part] = faults(desk)
    assert found == dict.fromkeys(found, [])
    assert desk.problems == []


def test_texts_are_reviewed_with_the_keyboard(desk, study):
    desk.goto(f"{desk.base}/review/")
    first, second = study.generations.all()[:2]
    expect(desk.get_by_role("article", name=first.key)).to_be_visible()
    desk.keyboard.press("j")
    expect(desk.get_by_role("article", name=second.key)).to_be_visible()
    desk.keyboard.press("x")
    expect(desk.get_by_label("Reason for excluding")).to_be_focused()
    desk.keyboard.type("Names a person.")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text(f"{second.key} is excluded.")).to_be_visible()
    expect(desk.get_by_text("2 of 16 texts reviewed, 1 excluded")).to_be_visible()
    second.refresh_from_db()
    assert second.excluded_reason == "Names a person."
    assert desk.problems == []


def test_a_text_is_excluded_from_the_list_without_scripts(
    browser, live_server, alice, study
):
    context = browser.new_context(java_script_enabled=False)
    page = log_in(add_problems(context.new_page()), live_server.url)
    text = study.generations.first()
    page.goto(f"{live_server.url}/studies/ferry/texts/?key={text.key}")
    page.locator("summary", has_text="Exclude").click()
    page.get_by_label("Reason", exact=True).fill("Broken.")
    page.get_by_role("button", name="Exclude the text").click()
    expect(page.get_by_text("is excluded. Statistics leave it out.")).to_be_visible()
    assert page.url.endswith(f"?key={text.key}")
    context.close()


def add_problems(page):
    page.problems = []
    return page
