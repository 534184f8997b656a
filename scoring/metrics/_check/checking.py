"""Tell a metric's author whether it keeps its contract.

python -m scoring.metrics check NAME [--option value ...] [--device cpu]

One line for each check: ok, or FAILED with what happened and what to do about it. The
exit status is 0 where all are ok, else 1. Give small models: some checks load a metric
or score the same texts again and again.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scoring.metrics import Metric, SystemMetric, get
from scoring.metrics._check import facts, scores, systems
from scoring.metrics._engine import models
from scoring.metrics._engine.arguments import add_options, made
from scoring.metrics._engine.base import MetricError, OptionError


class Finding(NamedTuple):
    """What came of one check."""

    what: str
    problem: str = ""  # empty: it is ok
    cure: str = ""

    def __str__(self) -> str:
        if not self.problem:
            return f"ok      {self.what}"
        return f"FAILED  {self.what}: {self.problem}. {self.cure}"


def main(arguments: Sequence[str]) -> int:
    """Return the exit status: 0 or 1. Print a line for each check."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments else 2
    kind = get(arguments[0])
    parser = argparse.ArgumentParser(
        prog=f"python -m scoring.metrics check {arguments[0]}",
        description=f"Check {kind.title}",
        allow_abbrev=False,
    )
    add_options(parser, kind)
    parser.add_argument("--device", default="cpu", help="auto, cpu, cuda, mps")
    given = parser.parse_args(arguments[1:])
    metric, failed = made(kind, vars(given)), 0
    for finding in findings(metric, given.device):
        print(finding, flush=True)
        if "torch" in sys.modules:
            models.limit_threads()
        failed += bool(finding.problem)
    print(f"{failed} failed" if failed else "all ok")
    return 1 if failed else 0


def findings(metric: Metric | SystemMetric, device: str = "cpu") -> Iterator[Finding]:
    """Check the facts, then load the metric and score texts of every kind."""
    yield from _made(facts.CHECKS, metric)
    subject: scores.Subject | systems.Subject | None = None

    def load(metric: Metric | SystemMetric) -> None:
        nonlocal subject
        if isinstance(metric, SystemMetric):
            subject = systems.Subject(metric, device)
        else:
            subject = scores.Subject(metric, device)

    yield _finding("it loads, and scores ordinary texts", load, metric, facts.SEE_LINE)
    if subject is not None:
        system = isinstance(metric, SystemMetric)
        yield from _made(systems.CHECKS if system else scores.CHECKS, subject)


def _made(checks: Sequence[tuple[Any, ...]], subject: Any) -> Iterator[Finding]:
    for what, test, cure in checks:
        yield _finding(what, test, subject, cure)


def _finding(
    what: str, test: Callable[[Any], str | None], subject: Any, cure: str
) -> Finding:
    try:
        return Finding(what, test(subject) or "", cure)
    except (MetricError, OptionError) as error:
        return Finding(what, str(error), facts.GIVE_OPTIONS)
    except Exception as error:  # whatever the metric raises is what the author must see
        return Finding(what, _told(error), facts.SEE_LINE)


def _told(error: Exception) -> str:
    """An exception in one line, with where it was raised."""
    *_, last = traceback.extract_tb(error.__traceback__)
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text} at {Path(last.filename).name}:{last.lineno}"
