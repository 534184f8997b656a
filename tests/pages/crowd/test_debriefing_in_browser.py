"""Nobody reads the debriefing before the end: not by Back, address, tab or device."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Seat, Study, Worker
from tests.pages.rating import rate

pytestmark = pytest.mark.django_db(transaction=True)


def submit(page: Page, button: str) -> None:
    expect(page.locator("#progress")).to_have_text("15 answers left")
    for row in page.locator("fieldset").all():
        rate(row, 3)
    page.get_by_role("button", name=button).click()


def done(base: str, study: Study) -> str:
    return f"{base}{study.get_worker_url()}done/"


def assert_nothing_told(page: Page, goes_on: bool = True) -> None:
    if goes_on:
        expect(page.get_by_role("heading", level=1)).to_have_text("Page 1 is submitted")
        expect(page.locator("a.button, button")).to_have_text("Continue")
    expect(page.get_by_text("damaged")).to_have_count(0)
    expect(page.get_by_text("ABCD2345")).to_have_count(0)


def test_neither_back_nor_the_address_nor_a_tab_tells(worker_page, live_server, study):
    page, end = worker_page, done(live_server.url, study)
    submit(page, "Submit and continue")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")
    page.go_back()
    assert_nothing_told(page)
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")
    page.goto(end)
    assert_nothing_told(page)
    tab = page.context.new_page()
    for address in (end, live_server.url + study.get_worker_url()):
        tab.goto(address)
        assert_nothing_told(tab, goes_on=address == end)
    assert Worker.objects.get().debriefed_at is None


@pytest.mark.path
def test_stopping_tells_nothing_and_finishing_ends_it_in_every_tab(
    worker_page, live_server, study
):
    page = worker_page
    submit(page, "Submit and stop here")
    expect(page.get_by_role("heading", level=1)).to_have_text("Finish now?")
    assert_nothing_told(page, goes_on=False)
    page.get_by_role("button", name="Rate another page").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page 2")

    tab = page.context.new_page()
    tab.goto(done(live_server.url, study))
    tab.get_by_role("link", name="finish now").click()
    expect(tab.get_by_text("will not count")).to_be_visible()
    tab.get_by_role("button", name="Finish now").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Thank you")
    expect(tab.get_by_text("damaged on purpose")).to_be_visible()

    # Who has read it changes nothing any more on the page that was open.
    rate(page.locator("fieldset").first, 5)
    expect(page.get_by_role("alert")).to_contain_text("takes no more answers")
    assert Seat.objects.filter(state=Seat.State.EXPIRED, annotations=None).count() == 1
    tab.goto(live_server.url + study.get_worker_url())
    expect(tab.get_by_role("heading", level=1)).to_have_text("Thank you")


def test_two_devices_of_a_worker_are_told_at_one_end(browser, live_server, study):
    link = f"{live_server.url}{study.get_worker_url()}?worker=ann-1"
    one, other = (browser.new_context().new_page() for _ in range(2))
    for page in (one, other):
        page.goto(link)
    one.get_by_label("I have read this").check()
    one.get_by_role("button", name="Start").click()
    submit(one, "Submit and continue")
    expect(one.get_by_role("heading", level=1)).to_contain_text("Page 2")
    other.goto(f"{link}&code={Worker.objects.get().personal_code}")
    other.goto(done(live_server.url, study))
    assert_nothing_told(other)
    other.get_by_role("link", name="Continue").click()
    submit(other, "Submit")
    expect(other.get_by_text("damaged on purpose")).to_be_visible()
    one.reload()
    expect(one.get_by_role("heading", level=1)).to_have_text("Thank you")
    assert Seat.objects.count() == 2
    for page in (one, other):
        page.context.close()
