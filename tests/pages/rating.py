"""What the tests share that rate in a real browser."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from annotation import surveys
from annotation.models import Annotation, Study

PHONE = {"width": 320, "height": 640}
DESKTOP = {"width": 1280, "height": 800}


def two_pages(make_study) -> Study:
    """Two pages of one prompt, with the long words that a scale may have."""
    study = make_study(
        prompts=1,
        samples=2,
        ratings_per_text=1,
        completion_code="ABCD2345",
        contact="lab@example.org",
    )
    for aspect in study.aspects.all():
        aspect.question = f"{aspect.title}: do the sentences fit together as one text?"
        aspect.low = "Not at all: the sentences have nothing in common"
        aspect.middle = "Partly: some sentences do not fit"
        aspect.high = "Completely: each sentence follows from the last"
        aspect.save()
    surveys.open_study(study=study)
    return study


def begin(page: Page, base: str, study: Study) -> Page:
    """To the first rating page. `page.requested` notes every request."""
    page.requested = []
    page.on("request", lambda request: page.requested.append(request.url))
    page.goto(base + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    # The script comes later than the page: before it has run, keys do nothing.
    expect(page.locator("#progress")).to_have_text("15 answers left")
    return page


def answers() -> int:
    return Annotation.objects.count()


def rate(row: Locator, value: int) -> None:
    row.locator(f'input[value="{value}"]').click()


def assert_saved(page: Page) -> None:
    expect(page.locator("#status")).to_have_text("Saved just now")
