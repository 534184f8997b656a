from __future__ import annotations

import json as json_format
from argparse import ArgumentTypeError
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.analyses.replaces import page as showing
from scoring.analyses.replaces.result import OfAspect, Result, Row
from scoring.drawing.tables import as_text
from scoring.management.commands.agreement import add_arguments, find_study
from scoring.results import analysing, answer
from scoring.stats.replacing.closeness import KINDS

NAME = "replaces"


class Command(BaseCommand):
    help = (
        "Say for each aspect whether you may let a metric replace a rater (alternative"
        " annotator test, by prompt and as published), with a table."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        parser.add_argument(
            "--epsilon",
            type=_share,
            default=0.1,
            help="how far ahead of the metric a rater may be, because raters cost more:"
            " 0.1 for crowdworkers (the default), 0.15 for skilled raters, 0.2 for"
            " experts",
        )
        parser.add_argument(
            "--closeness",
            choices=KINDS,
            default="",
            help="how closeness to the other raters is measured (default: by the"
            " question's level of measurement)",
        )

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        found = find_study(study)
        if lacks := answer.missing(study=found):
            raise CommandError(f"{lacks.title}. {lacks.words}")
        keys = ("epsilon", "closeness", "with_excluded", "with_informed")
        chosen = {key: options[key] for key in keys}
        made = analysing.result_of(study=found, name=NAME, options=chosen)
        result = cast(Result, made)
        if json:
            text = json_format.dumps(records(result), indent=1, allow_nan=False)
            self.stdout.write(text)
        else:
            self.stdout.write("\n\n".join(_said(result)))


def records(result: Result) -> list[dict[str, object]]:
    """One for each aspect and metric or simple guess; metrics first."""
    return [
        _record(result, aspect, row)
        for aspect in result["aspects"]
        for row in (*aspect["rows"], *aspect["trivial"])
    ]


def _record(result: Result, aspect: OfAspect, row: Row) -> dict[str, object]:
    advantage = row["advantage"]
    return {
        "metric": row["name"],
        "signature": row["signature"],
        "aspect": aspect["key"],
        "epsilon": result["epsilon"],
        "closeness": aspect["closeness"],
        "n_raters": row["n_raters"],
        "winning_rate": row["published"]["value"],
        "advantage_probability": advantage["value"],
        "clustered": {
            "winning_rate": row["winning"]["value"],
            "advantage_probability": advantage["value"],
            "low": advantage["low"],
            "high": advantage["high"],
            "methods": row["methods"],
            "n_refused": row["n_refused"],
        },
        "trivial": row["output"] is None,
        "mapped": row["mapped"],
        "verdict": row["code"] if row["output"] else None,
        "reason": row["winning"]["reason"],
    }


def _said(result: Result) -> list[str]:
    """For each aspect the sentence, then its table."""
    found = []
    for section in showing.sections(result):
        if section.key.startswith("replaces-"):
            tables = [as_text(table) for table in section.tables.values() if table.rows]
            found += [section.words, *tables, section.after]
    return found


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"expected a number from 0 to 1, got {text!r}")
    return value
