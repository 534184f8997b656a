"""The pages of workers who get no page to rate, and why."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page

from annotation.models import Place, Study, Worker


def stops(page: Page, link: str) -> Iterator[str]:
    """From a worker's last page on; at the end a stranger comes to a full study."""
    for state in ("blocked", "excluded", "screened", "withdrawn"):
        Worker.objects.update(state=state)
        page.reload()
        yield state
    Worker.objects.update(state="active", debriefed_at=None)
    for state in ("paused", "closed"):
        Study.objects.update(state=state)
        page.goto(link)
        yield state
    Study.objects.update(state="open", nothing_left_code="FULL2345")
    Place.objects.update(free=False)
    page.context.clear_cookies()
    page.goto(link)
    yield "full"
