"""What ten pages weigh on the way, and how long they take, before and after a change.

For each checkout a site of its own is started on a copy of the data, and a browser
opens each page with nothing kept. See page_weight.md.

    python benchmarks/page_weight.py --data DATA_DIR --user demo --password ... \\
        --before /path/to/old/checkout --after .
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

from playwright.sync_api import Browser, CDPSession, sync_playwright

PAGES = (
    "",
    "results/",
    "results/agreement/",
    "results/correlations/",
    "results/drift/",
    "results/systems/",
    "results/diagnosis/",
    "texts/",
    "workers/",
    "metrics/",
)
TIMES = 3


def main() -> None:
    given = arguments()
    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=given.chromium, args=["--no-sandbox"]
        )
        for k, name in enumerate(("before", "after")):
            with site(getattr(given, name), given.data, given.port + k) as base:
                found[name] = measured(browser, base, given)
        browser.close()
    print("| page | KB before | KB after | s before | s after |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for page in PAGES:
        (weight, taken), (less, now) = found["before"][page], found["after"][page]
        name = page.rstrip("/") or "overview"
        print(f"| {name} | {weight:,.0f} | {less:,.0f} | {taken:.2f} | {now:.2f} |")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--before", required=True, type=Path)
    parser.add_argument("--after", default=Path(), type=Path)
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


def measured(
    browser: Browser, base: str, given: argparse.Namespace
) -> dict[str, tuple[float, float]]:
    """KB received, and the median of seconds until the page is loaded and quiet."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{base}/login/")
    page.fill("[name=username]", given.user)
    page.fill("[name=password]", given.password)
    page.press("[name=password]", "Enter")
    page.wait_for_url(lambda url: "login" not in url)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    found = {}
    for name in PAGES:
        address = f"{base}/studies/{given.study}/{name}"
        page.goto(address, wait_until="networkidle")  # compiles templates
        runs = [once(page, session, address) for _ in range(TIMES)]
        found[name] = (runs[0][0], statistics.median(taken for _, taken in runs))
    context.close()
    return found


def once(page: object, session: CDPSession, address: str) -> tuple[float, float]:
    received = []

    def note(event: dict[str, float]) -> None:
        received.append(event["encodedDataLength"])

    session.on("Network.loadingFinished", note)
    page.goto(address, wait_until="load")
    taken = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    page.wait_for_load_state("networkidle")
    session.remove_listener("Network.loadingFinished", note)
    return sum(received) / 1000, taken / 1000


if __name__ == "__main__":
    main()
