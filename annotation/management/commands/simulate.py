from __future__ import annotations

import json
from argparse import ArgumentTypeError
from dataclasses import asdict
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation import simulation
from annotation.models import Study
from annotation.simulation import catching, rehearsing
from annotation.simulation.catching import Caught
from annotation.simulation.rehearsing import KindResult, Rehearsal
from scoring.stats.agreement import Alpha

MIX = {"careful": 0.7, "noisy": 0.1, "lazy": 0.1, "random": 0.1}


class Command(BaseCommand):
    help = (
        "Let simulated workers rate a copy of a study in memory. Shows what quality"
        " control will catch, how long the ratings take and what they cost. The study"
        " does not change."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--workers", type=int, default=50, metavar="N")
        parser.add_argument(
            "--mix",
            type=shares,
            default=MIX,
            metavar="KIND=SHARE,...",
            help=f"of {', '.join(simulation.NAMES)}; default: "
            + ",".join(f"{kind}={share:g}" for kind, share in MIX.items()),
        )
        parser.add_argument("--seed", type=int, default=1, metavar="N")
        parser.add_argument(
            "--max-pages",
            type=int,
            metavar="N",
            help="rate about this many pages of a large study",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.whole().filter(name=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study named {options['study']!r}.")
        try:
            found = rehearsing.rehearse(
                study=study,
                workers=options["workers"],
                mix=options["mix"],
                rng=np.random.default_rng(options["seed"]),
                now=timezone.now(),
                max_pages=options["max_pages"],
            )
        except simulation.SimulationError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(as_json(found) if options["json"] else as_text(found))


def shares(text: str) -> dict[str, float]:
    """Read "careful=.7,random=.3"."""
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {kind.strip(): float(share) for kind, share in pairs}
    except ValueError:
        raise ArgumentTypeError(
            f"expected shares as careful=.7,random=.3, got {text!r}"
        ) from None


def as_json(found: Rehearsal) -> str:
    record = asdict(found) | {
        "pages": found.pages,
        "valid": found.valid,
        "covered": found.covered,
        "pages_in_all": found.pages_in_all,
        "cost": found.cost,
        "kinds": [
            asdict(kind) | {"rate": kind.rate, "interval": kind.interval}
            for kind in found.kinds
        ],
    }
    record["aspects"] = [
        {
            "title": aspect.title,
            "level": aspect.level,
            "with_control": aspect.with_control._asdict(),
            "without_control": aspect.without_control._asdict(),
        }
        for aspect in found.aspects
    ]
    return json.dumps(record, indent=1, allow_nan=False, default=str)


def as_text(found: Rehearsal) -> str:
    return "\n\n".join(
        [
            _table(
                ["workers", "n", "pages", "discarded", "share", "95 %", "min/page"],
                [_kind(kind) for kind in found.kinds],
            ),
            _table(
                ["caught by page", *map(str, catching.PAGES)],
                [[kind.kind, *map(_share, kind.caught)] for kind in found.kinds],
            ),
            _table(
                ["pages", "valid", "covered", "minutes"],
                [
                    [str(p.pages), str(p.valid), f"{p.percent}%", f"{p.minutes:.1f}"]
                    for p in found.curve
                ],
            ),
            _table(
                ["alpha", "level", "with QC", "without"],
                [
                    [
                        a.title,
                        a.level,
                        _alpha(a.with_control),
                        _alpha(a.without_control),
                    ]
                    for a in found.aspects
                ],
            ),
            _said(found),
        ]
    )


def _kind(kind: KindResult) -> list[str]:
    low, high = kind.interval or (None, None)
    return [
        kind.kind,
        str(kind.workers),
        str(kind.pages),
        str(kind.discarded),
        "—" if kind.rate is None else f"{kind.rate:.1%}",
        "—" if low is None else f"{low:.1%} to {high:.1%}",
        "—" if kind.minutes is None else f"{kind.minutes:.1f}",
    ]


def _share(found: Caught) -> str:
    """Of the workers who rated this many pages."""
    return "—" if found.share is None else f"{found.share:.0%} of {found.workers}"


def _alpha(found: Alpha) -> str:
    return f"— ({found.reason})" if found.value is None else f"{found.value:.3f}"


def _said(found: Rehearsal) -> str:
    end = (
        f"Covered after {found.pages:,} pages"
        if found.covered
        else f"Not covered: {found.valid:,} of {found.wanted:,} pages are valid after"
        f" {found.pages:,}, and no worker is left who may rate more"
    )
    of = (
        ""
        if found.surveys == found.all_surveys
        else f" The simulation rated {found.surveys} of {found.all_surveys} surveys:"
        f" the whole study takes about {found.pages_in_all:,} pages."
    )
    paid = "every submitted page" if found.pay_unused else "valid pages only"
    cost = (
        "No cost: no pay per page is set."
        if found.cost is None
        else f"Cost: {found.cost:,} {found.currency}, {paid}."
    )
    return f"{end}.{of}\n{cost}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    """First column to the left, numbers to the right."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
