"""CPU seconds of each test: the rule for the mark `slow`.

A test without the mark takes at most a second of CPU, its own and that of processes it
waited for, beside fixtures that it shares. At the end of a run stand those that take
more. `--cpu-fails SECONDS` (.ci/run) fails the run over one above that: more than the
rule says, as a second of a busy machine is not that of a calm one.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

RULE = 1.0
# Each process loads them once, with whatever test comes first.
HEAVY = ("scipy.stats", "torch", "transformers")
SPENT = "cpu"

shared = 0.0
depth = 0
costs: dict[str, float] = {}
unmarked: dict[str, float] = {}


def seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cpu", metavar="FILE", help="write each test's CPU seconds there"
    )
    parser.addoption(
        "--cpu-fails",
        metavar="SECONDS",
        type=float,
        help="fail if a test that is not marked slow takes more CPU seconds",
    )


def pytest_sessionstart() -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        for module in HEAVY:
            import_module(module)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Generator[None, Any, Any]:
    """Count what fixtures take that a module, a class or all tests share."""
    global shared, depth
    if fixturedef.scope == "function" or depth:
        return (yield)
    start, depth = seconds(), 1
    try:
        return (yield)
    finally:
        shared, depth = shared + seconds() - start, 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[START] = seconds() - shared
    return (yield)


START = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        cost = seconds() - shared - item.stash[START]
        report.user_properties.append((SPENT, cost))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Hear of a test where the summary is written, from whatever process ran it."""
    if report.when != "teardown":
        return
    cost = dict(report.user_properties)[SPENT]
    costs[report.nodeid] = cost
    if cost > RULE and "slow" not in report.keywords:
        unmarked[report.nodeid] = cost


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if (path := config.getoption("cpu")) is not None:
        lines = (f"{cost:.3f}\t{name}\n" for name, cost in costs.items())
        Path(path).write_text("".join(lines))
    if not unmarked:
        return
    terminalreporter.section(f"above {RULE:g} s of CPU and not marked slow")
    for name, cost in sorted(unmarked.items(), key=lambda pair: -pair[1]):
        terminalreporter.write_line(f"{cost:5.1f} s  {name}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    limit = session.config.getoption("cpu_fails")
    if limit is not None and max(unmarked.values(), default=0) > limit:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
