"""Data sets as JUDGE-BENCH (Bavaresco et al. 2024) keeps them, in JSON.

An object with "instances"; each has a text, or the parts of one by name, and the
answers to each question as a list: numbers, or words, which go on as they are. Where
only the majority's answer is there, it counts as one rating, of "majority". Systems are
not named; outputs that are empty are left out. (github.com/dmg-illc/JUDGE-BENCH)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._verbs import inside, set_aside
from annotation.imports.files import Record, Table
from annotation.imports.presets._preset import Preset, Records

SUMMARY, ARTICLE = "### Generated Summary", "### Source Article"
BEFORE, AFTER = "annotations.", ".individual_human_scores"
MAJORITY, MEAN = ".majority_human", ".mean_human"
TEXTS = ("response", "output", "text", "answer", "summary")
PAIRS = (
    ("output_1", "output_2"),
    ("output_a", "output_b"),
    ("response_1", "response_2"),
    ("response_a", "response_b"),
)
EMPTY = "the model's output is empty"
OF_PAIR = "choices between two texts are votes: add them with the results"
COUNTED = "the single answers beside it count"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    names = [name for name in table.columns if name.startswith(BEFORE)]
    has_instance = any(name.split(".")[0] == "instance" for name in table.columns)
    return has_instance and any(name.endswith(AFTER) for name in names)


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        ratings, rest = _ratings(cells, account)
        parts = inside(cells, "instance")
        if pair := next((two for two in PAIRS if set(two) <= set(parts)), None):
            set_aside(ratings, account, OF_PAIR)
            yield from _both(line, cells.get("id"), parts, pair)
            continue
        found = {"id": cells.get("id"), **_texts(parts, cells.get("instance"))}
        if filled(found["text"]):
            yield Record(line, {**found, **rest, **ratings})
        else:
            set_aside({**found, **rest, **ratings}, account, EMPTY)


def _both(
    line: int, name: Any, parts: dict[str, Any], pair: tuple[str, str]
) -> Records:
    """Both texts of a pair; the choice between them is none of a text."""
    beside = {one: value for one, value in parts.items() if one not in pair}
    for n, one in enumerate(pair, start=1):
        text = {"id": f"{name}-{n}", "text": parts[one], "prompt": _joined(beside)}
        yield Record(line, text)


def _texts(parts: dict[str, Any], whole: Any) -> dict[str, Any]:
    """The text, and what stands beside it: called as it is, or by where it belongs."""
    if not parts:
        text, source = _parts(whole)
        return {"text": text, "source": source}
    name = next((one for one in TEXTS if one in parts), list(parts)[-1])
    beside = {other: value for other, value in parts.items() if other != name}
    return {"text": parts[name], "prompt": _joined(beside)}


def _joined(beside: dict[str, Any]) -> str:
    return "\n\n".join(str(one).strip() for one in beside.values() if filled(one))


def _ratings(
    cells: dict[str, Any], account: Account
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ratings, and what is neither part of the instance nor a rating."""
    ratings, rest = {}, {}
    for name, value in cells.items():
        if not name.startswith(BEFORE):
            if name not in ("id", "instance") and not name.startswith("instance."):
                rest[name] = value
        elif name.endswith(AFTER):
            ratings[f"rating:{name.removeprefix(BEFORE).removesuffix(AFTER)}"] = value
        elif name.endswith(MAJORITY):
            aspect = name.removeprefix(BEFORE).removesuffix(MAJORITY)
            if filled(cells.get(f"{BEFORE}{aspect}{AFTER}")):
                set_aside({name: value}, account, COUNTED)
            else:
                ratings[f"rating:{aspect}:majority"] = value
        elif name.endswith(MEAN) and filled(cells.get(name.removesuffix(MEAN) + AFTER)):
            set_aside({name: value}, account, COUNTED)
        else:
            rest[name] = value
    return ratings, rest


def _parts(value: Any) -> tuple[str, str]:
    text = str(value or "")
    if SUMMARY not in text or ARTICLE not in text:
        return text, ""
    summary, _, article = text.partition(ARTICLE)
    return summary.replace(SUMMARY, "").strip(), article.strip()


PRESET = Preset(
    title="JUDGE-BENCH",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
    note="The file names no systems: results by system are not possible.",
)
