"""What tests of pages in a real browser share: to log in, and to look for faults."""

from __future__ import annotations

import json
import time

from axe_playwright_python.base import AXE_SCRIPT
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from playwright.sync_api import Page

# What a dark theme or a narrow window can break, besides what is too wide.
OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]


def log_in(page: Page, base: str) -> Page:
    """As alice, by a cookie. `page.problems` notes what pages load from other hosts."""

    def note(url: str) -> None:
        if not url.startswith((base, "data:", "blob:")):
            page.problems.append(url)

    client = Client()
    client.force_login(get_user_model().objects.get(username="alice"))
    name = settings.SESSION_COOKIE_NAME
    cookie = {"name": name, "value": client.cookies[name].value, "url": base}
    page.context.add_cookies([cookie])
    page.base = base
    page.on("request", lambda request: note(request.url))
    return page


def violations(page: Page, only: list[str] | None = None) -> list[str]:
    """What axe finds, by all its rules or by some."""
    # What passes is not written out, which takes a third of the time.
    options = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = {"type": "rule", "values": only}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(f"axe.run({json.dumps(options)})")["violations"]
    return [
        f"{one['id']}: {node['html']} {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
    ]


def faults(page: Page) -> list[str]:
    """What is wrong with a page in a wide light window, then in a narrow dark one.

    It is not loaded again, as that takes longer than to look at it.
    """
    found = []
    for width, scheme, only in ((1280, "light", None), (320, "dark", OF_LOOKS)):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        found += violations(page, only)
        if (wide := overflow_once_drawn(page)) > 0:
            found.append(f"{wide} pixels wider than {width}")
    return found


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return page.evaluate(
        "() => document.documentElement.scrollWidth - window.innerWidth"
    )


def overflow_once_drawn(page: Page) -> int:
    """Charts follow the window a moment later."""
    until(page, "() => document.documentElement.scrollWidth <= window.innerWidth", 5)
    return overflow(page)


def until(page: Page, condition: str, seconds: float = 30) -> bool:
    """Whether a JavaScript condition came true in time.

    Playwright's own `wait_for_function` evaluates a string in the page each time it
    looks, which the pages' content security policy refuses but for the first time.
    """
    end = time.monotonic() + seconds
    while not (met := page.evaluate(condition)) and time.monotonic() < end:
        page.wait_for_timeout(50)
    return bool(met)
