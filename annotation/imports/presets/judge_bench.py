"""Newsroom and others as JUDGE-BENCH (Bavaresco et al. 2024) keeps them, in JSON.

An object with "instances"; each has the summary and the article in one text, and the
ratings of each aspect as a list. Systems are not named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Records

SUMMARY, ARTICLE = "### Generated Summary", "### Source Article"
BEFORE, AFTER = "annotations.", ".individual_human_scores"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return "instance" in table.columns and any(
        name.startswith(BEFORE) and name.endswith(AFTER) for name in table.columns
    )


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        text, source = _parts(cells.get("instance"))
        found: dict[str, Any] = {"id": cells.get("id"), "text": text, "source": source}
        for name, value in cells.items():
            if name.startswith(BEFORE) and name.endswith(AFTER):
                aspect = name.removeprefix(BEFORE).removesuffix(AFTER)
                found[f"rating:{aspect}"] = value
            elif name not in ("id", "instance"):
                found[name] = value
        yield Record(line, found)


def _parts(value: Any) -> tuple[str, str]:
    text = str(value or "")
    if SUMMARY not in text or ARTICLE not in text:
        return text, ""
    summary, _, article = text.partition(ARTICLE)
    return summary.replace(SUMMARY, "").strip(), article.strip()


PRESET = Preset(
    title="Newsroom (JUDGE-BENCH)",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    note="The file names no systems: results by system are not possible.",
)
