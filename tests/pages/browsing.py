"""What tests of pages in a real browser share: to log in, and to look for faults."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from django.core.cache import cache
from playwright.sync_api import Page


def log_in(page: Page, base: str) -> Page:
    """As alice. `page.problems` notes what pages load from other hosts."""

    def note(url: str) -> None:
        if not url.startswith((base, "data:", "blob:")):
            page.problems.append(url)

    cache.clear()  # of logins, as so many from one address would be refused
    page.base = base
    page.on("request", lambda request: note(request.url))
    page.goto(f"{base}/login/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("alice-password")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{base}/")
    return page


def violations(page: Page, only: list[str] | None = None) -> list[str]:
    """What axe finds, by all its rules or by some."""
    options = {"runOnly": {"type": "rule", "values": only}} if only else None
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html']} {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
    ]


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return page.evaluate(
        "() => document.documentElement.scrollWidth - window.innerWidth"
    )
