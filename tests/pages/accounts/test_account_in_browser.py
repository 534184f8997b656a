from __future__ import annotations

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from evalapp.accounts import tokens
from tests.pages.browsing import faults, log_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.path
def test_the_page_is_accessible_narrow_and_quiet(page, live_server, alice):
    tokens.make(user=alice, name="Upload script", now=timezone.now(), days=30)
    log_in(page, live_server.url).goto(live_server.url)
    page.locator(".me > summary").click()
    page.get_by_role("link", name="Account").click()
    assert faults(page) == []
    page.get_by_label("Name", exact=True).fill("Nightly upload")
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_role("heading", name="New key of")).to_be_focused()
    assert faults(page) == []
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke Upload script").click()
    expect(page.get_by_role("row", name="Upload script")).to_have_count(0)
    assert page.problems == []
