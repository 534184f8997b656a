"""Hostile files and slow connections against a whole site, beside people who use it.

    python -m benchmarks.attacks --accounts 9

Starts `manage.py up` with its worker on an empty folder. Nine accounts each send a
workbook that is hard to read, at the same moment as others send each other kind of file
that took gigabytes or minutes once; then connections send half a body and stop. Beside
it two people open the login and a rating page, four times a second.
"""

from __future__ import annotations

import argparse
import re
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple
from urllib.parse import urlsplit

import requests

from benchmarks.attacked_site import (
    Held,
    Others,
    Site,
    Waits,
    logged_in,
    running,
    token_of,
)
from tests.evalapp.cage import bombs

QUIET_SECONDS = 20.0
CALM = "calm"
MEGABYTE = 2**20
Make = Callable[[], bytes]
WORKBOOK: tuple[str, Make] = ("cells.xlsx", lambda: bombs.wide_sheet(60_000))
OTHERS: dict[str, Make] = {
    "text.parquet": lambda: bombs.one_text(4_000_000, 2000),
    "long.parquet": lambda: bombs.one_text(40_000_000, 256),
    "list.parquet": lambda: bombs.long_list(30_000_000),
    "cell.parquet": lambda: bombs.one_text(240_000_000, 1),
    "texts.parquet": lambda: bombs.long_list_of_texts(1_000_000, 2000),
    "nothing.parquet": lambda: bombs.list_of_nothing(300_000_000),
    "nested.zip": lambda: bombs.nested(200, 200),
    "strings.xlsx": lambda: bombs.many_strings(3_000_000),
    "deep.json": lambda: bombs.deep_json(2_000_000),
    "keys.json": lambda: bombs.many_keys(1_000_000),
    "columns.csv": lambda: bombs.many_columns(1_000_000),
    "line.csv": lambda: bombs.one_line(60_000_000),
    "zeros.zst": lambda: bombs.zeros_of_zstandard(20_000),
}
ADVICE = (
    *("Split it", "ave it as", "horten", "eave out", "npack", "split it"),
    *("Wait until", "Try again", "larger than", "cannot be read", "longer than"),
)
WAITS_AGAIN = re.compile(r'hx-trigger="[^"]*every')


class Ending(NamedTuple):
    """Of one upload."""

    file: str
    bytes: int
    seconds: float
    sentence: str  # that whoever sent it reads


def sent(site: Site, session: requests.Session, name: str, content: bytes) -> Ending:
    """Send a file, and look again until the page says what became of it."""
    start = time.perf_counter()
    page = session.get(f"{site.base}/studies/new/").text
    data = {"csrfmiddlewaretoken": token_of(page)}
    answer = session.post(
        f"{site.base}/studies/new/", data=data, files={"file": (name, content)}
    )
    while WAITS_AGAIN.search(answer.text) and time.perf_counter() - start < 300:
        time.sleep(1)
        answer = session.get(answer.url)
    return Ending(name, len(content), time.perf_counter() - start, sentence_of(answer))


def sentence_of(answer: requests.Response) -> str:
    """The first sentence that says what is wrong, if anything is."""
    lines = re.sub(r"<[^>]*>", "", answer.text).splitlines()
    for line in lines:
        if any(word in line for word in ADVICE):
            return " ".join(line.split())[:160]
    return "It was read." if answer.ok else f"status {answer.status_code}"


# Files --------------------------------------------------------------------------------


def files(site: Site, accounts: int) -> list[Ending]:
    """All at one moment, each from an account of its own."""
    hostile = [(WORKBOOK[0], WORKBOOK[1]())] * accounts
    hostile += [(name, make()) for name, make in OTHERS.items()]
    sessions = [logged_in(site, number) for number in range(len(hostile))]
    with ThreadPoolExecutor(len(hostile)) as pool:
        names, contents = zip(*hostile, strict=True)
        return list(pool.map(sent, [site] * len(hostile), sessions, names, contents))


# Connections --------------------------------------------------------------------------


def half(site: Site, path: str, size: int, cookie: str = "") -> socket.socket:
    """A connection on which half of a body has come."""
    where = urlsplit(site.base)
    line = socket.create_connection((where.hostname, where.port or 80), timeout=60)
    head = f"POST {path} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: {size}\r\n"
    head += "Content-Type: multipart/form-data; boundary=x\r\n"
    line.sendall(f"{head}Cookie: {cookie}\r\n\r\n".encode())
    piece, left = b"a" * 65536, size // 2
    try:
        while left > 0:
            line.sendall(piece[:left])
            left -= len(piece)
    except OSError:
        pass  # it was refused in the middle, as it should
    return line


def slow(site: Site, path: str, size: int, cookie: str, n: int) -> float:
    """So many of them at once; seconds until the last one is closed by the site."""
    with ExitStack() as lines:
        with ThreadPoolExecutor(n) as pool:
            opened = list(pool.map(lambda _: half(site, path, size, cookie), range(n)))
        start = time.perf_counter()
        for line in opened:
            lines.enter_context(line)
            line.settimeout(120)
        for line in opened:
            try:
                while line.recv(65536):
                    pass
            except OSError:
                pass
        return time.perf_counter() - start


class Place(NamedTuple):
    path: str
    size: int
    cookie: str


def places(site: Site) -> dict[str, Place]:
    session = logged_in(site, 0)
    cookie = "; ".join(f"{crumb.name}={crumb.value}" for crumb in session.cookies)
    small, large = 4 * MEGABYTE, 120 * MEGABYTE
    worker = urlsplit(site.study).path
    return {
        "login": Place("/login/", small, ""),
        "a worker's page": Place(f"{worker}start/", small, ""),
        "an upload, logged in": Place("/studies/new/", large, cookie),
        "an upload, cookie made up": Place("/studies/new/", large, "researcher=x"),
    }


# All of it ----------------------------------------------------------------------------


def calm(site: Site) -> dict[str, Waits]:
    with Others(site).looking() as others:
        time.sleep(QUIET_SECONDS)
    return others.figures()


def report_waits(what: str, waits: dict[str, Waits]) -> None:
    for page, figures in waits.items():
        print(f"| {what} | {page} | {figures.in_words()} |", flush=True)


def attack_with_files(site: Site, accounts: int) -> None:
    with Held(site).watched() as held, Others(site).looking() as others:
        endings = files(site, accounts)
    report_waits("files", others.figures())
    print(f"web: {held.before:.0f} MB before, {held.growth:+.0f} MB at most")
    for end in sorted(endings, key=lambda end: end.seconds):
        print(f"| {end.file} | {end.bytes:,} | {end.seconds:.1f} | {end.sentence} |")


def attack_one_by_one(site: Site) -> None:
    """Each file alone: what it costs the site, and those who are at other pages."""
    print("| file | bytes | seconds | web, MB | login | rating page | sentence |")
    for number, (name, make) in enumerate({WORKBOOK[0]: WORKBOOK[1], **OTHERS}.items()):
        session, content = logged_in(site, number), make()
        with Held(site).watched() as held, Others(site).looking() as others:
            end = sent(site, session, name, content)
        longest = {page: w.longest for page, w in others.figures().items()}
        waits = (longest.get(page, 0.0) for page in ("login", "rating page"))
        print(
            f"| {name} | {len(content):,} | {end.seconds:.1f} | {held.growth:+.0f} | "
            + " | ".join(f"{seconds:.2f}" for seconds in waits)
            + f" | {end.sentence} |",
            flush=True,
        )


def attack_with_connections(site: Site, n: int) -> None:
    for name, place in places(site).items():
        with Held(site).watched() as held, Others(site).looking() as others:
            seconds = slow(site, *place, n)
        report_waits(name, others.figures())
        print(
            f"{name}: {held.growth:+.0f} MB of memory, {held.temporary:.0f} MB of"
            f" temporary files, the last one closed after {seconds:.0f} s",
            flush=True,
        )


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=9, help="that send workbooks")
    parser.add_argument("--connections", type=int, default=6)
    parser.add_argument("--only", choices=("files", "alone", "connections"))
    options = parser.parse_args(words)
    n = max(1, options.accounts) + len(OTHERS)
    with (
        tempfile.TemporaryDirectory(prefix="evalapp-attacked-") as folder,
        running(folder, n) as site,
    ):
        report_waits(CALM, calm(site))
        if options.only == "alone":
            attack_one_by_one(site)
            return
        if options.only != "connections":
            attack_with_files(site, options.accounts)
            report_waits("after", calm(site))
        if options.only != "files":
            attack_with_connections(site, options.connections)


if __name__ == "__main__":
    main()
