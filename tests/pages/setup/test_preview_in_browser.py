"""A preview works as the page of a worker does, and saves nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Seat, Study, Worker
from tests.pages.browsing import faults, log_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def preview(page: Page, live_server, alice, make_study) -> Page:
    make_study(prompts=1, systems=("a", "b"), page_kinds=["spans"])
    page.problems = []
    page.sent = []
    page.on("request", lambda request: page.sent.append(request.method))
    log_in(page, live_server.url).goto(f"{live_server.url}/studies/ferry/preview/")
    expect(page.locator("#progress")).to_contain_text("answers left")
    return page


def test_errors_can_be_marked_and_questions_answered(preview):
    preview.locator("span[data-side=text]").first.focus()
    for key in ("ArrowRight", "Enter", "1"):
        preview.keyboard.press(key)
    expect(preview.locator(".marks li")).to_have_count(1)
    before = preview.locator("#progress").text_content()
    preview.locator("fieldset.row-of-scale input").first.check()
    expect(preview.locator("#progress")).not_to_have_text(before)
    preview.keyboard.press("?")
    expect(preview.locator("dialog#keys")).to_be_visible()
    preview.keyboard.press("Escape")
    assert faults(preview) == []
    assert preview.evaluate("localStorage.length") == 0
    assert {*preview.sent} == {"GET"}


def test_what_is_sent_is_said_to_be_a_preview(preview):
    preview.get_by_role("button", name="Submit and continue").click()
    expect(preview.locator("#missing")).to_be_visible()
    preview.get_by_label("Nothing to mark").first.check()
    preview.get_by_label("Nothing to mark").last.check()
    for row in preview.locator("fieldset.row-of-scale").all():
        row.locator("input").first.check()
    preview.get_by_role("button", name="Submit and continue").click()
    expect(preview.locator("#sent")).to_be_visible()
    assert Study.objects.get().state == Study.State.DRAFT
    assert not Seat.objects.exists() and not Worker.objects.exists()


def test_without_script_it_can_be_sent_too(browser, live_server, alice, make_study):
    make_study(prompts=1, systems=("a", "b"), page_kinds=["spans"])
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.problems = []
    log_in(page, live_server.url).goto(f"{live_server.url}/studies/ferry/preview/")
    page.get_by_role("button", name="Submit and continue").click()
    expect(page.locator("#sent")).to_be_visible()
    context.close()
