"""What fifteen pages of a checkout weigh on the way, and how long they take.

A site is started on a copy of the data, and a browser opens each page with nothing
kept. Run it once for each checkout, on the data of each. See page_weight.md.

    python benchmarks/page_weight.py --data DATA_DIR --password ... --checkout .
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

STUDY = "/studies/{study}/"
# A name of the page, and its address; Setup was called Settings before there was a
# checklist, so the first address that exists is measured.
PAGES = (
    ("overview", STUDY),
    ("new study", "/studies/new/"),
    ("setup", f"{STUDY}setup/", f"{STUDY}settings/"),
    ("texts", f"{STUDY}texts/"),
    ("workers", f"{STUDY}workers/"),
    ("one worker", f"{STUDY}workers/{{worker}}/"),
    ("monitor", f"{STUDY}monitor/"),
    ("metrics", f"{STUDY}metrics/"),
    ("results", f"{STUDY}results/"),
    ("agreement", f"{STUDY}results/agreement/"),
    ("correlations", f"{STUDY}results/correlations/"),
    ("drift", f"{STUDY}results/drift/"),
    ("systems", f"{STUDY}results/systems/"),
    ("diagnosis", f"{STUDY}results/diagnosis/"),
    ("quality control", f"{STUDY}quality/"),
)
TIMES = 3


class Load(NamedTuple):
    """One opening of a page."""

    bytes: float
    requests: int
    ready: float  # milliseconds until DOMContentLoaded


def main() -> None:
    given = arguments()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=given.chromium, args=["--no-sandbox"]
        )
        with site(given.checkout, given.data, given.port) as base:
            found = measured(browser, base, given)
        browser.close()
    print("| page | KB | requests | ms |")
    print("| --- | ---: | ---: | ---: |")
    for name, load in found.items():
        weight = f"{load.bytes / 1000:,.0f}"
        print(f"| {name} | {weight} | {load.requests} | {load.ready:,.0f} |")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--checkout", default=Path(), type=Path)
    parser.add_argument("--study", default="sample")
    parser.add_argument("--user", default="demo")
    parser.add_argument("--password", required=True)
    parser.add_argument("--port", default=8166, type=int)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    return parser.parse_args()


@contextmanager
def site(checkout: Path, data: Path, port: int) -> Iterator[str]:
    """The site of a checkout as `up` serves it, without a worker."""
    base = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "data"
        shutil.copytree(data, copy)
        (copy / "up.lock").unlink(missing_ok=True)
        command = [sys.executable, "manage.py", "up", "--no-worker"]
        process = subprocess.Popen(
            [*command, "--bind", f"127.0.0.1:{port}"],
            cwd=checkout,
            env={**os.environ, "DATA_DIR": str(copy)},
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for(f"{base}/health/")
            yield base
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def wait_for(address: str) -> None:
    for _ in range(120):
        try:
            urllib.request.urlopen(address, timeout=2).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.5)
        else:
            return
    sys.exit(f"{address} does not answer")


def measured(browser: Browser, base: str, given: argparse.Namespace) -> dict[str, Load]:
    """What was received, and the median time until the page could be used."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{base}/login/")
    page.fill("[name=username]", given.user)
    page.fill("[name=password]", given.password)
    page.press("[name=password]", "Enter")
    page.wait_for_url(lambda url: "login" not in url)
    worker = first_worker(page, base, given.study)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    found = {}
    for name, *addresses in PAGES:
        urls = [base + a.format(study=given.study, worker=worker) for a in addresses]
        url = existing(page, urls)  # compiles templates, too
        runs = [once(page, session, url) for _ in range(TIMES)]
        ready = statistics.median(run.ready for run in runs)
        found[name] = runs[0]._replace(ready=ready)
    context.close()
    return found


def first_worker(page: Page, base: str, study: str) -> str:
    page.goto(f"{base}/studies/{study}/workers/")
    link = page.locator("tbody a[href*='/workers/']").first.get_attribute("href")
    if link is None:
        sys.exit(f"{study} has no worker")
    return link.rstrip("/").rpartition("/")[2]


def existing(page: Page, urls: list[str]) -> str:
    for url in urls:
        response = page.goto(url, wait_until="networkidle")
        if response is not None and response.ok:
            return url
    sys.exit(f"{urls[0]} does not answer with a page")


def once(page: Page, session: CDPSession, address: str) -> Load:
    received = []

    def note(event: dict[str, float]) -> None:
        received.append(event["encodedDataLength"])

    session.on("Network.loadingFinished", note)
    page.goto(address, wait_until="load")
    ready = page.evaluate(
        "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    )
    page.wait_for_load_state("networkidle")
    session.remove_listener("Network.loadingFinished", note)
    return Load(sum(received), len(received), ready)


if __name__ == "__main__":
    main()
