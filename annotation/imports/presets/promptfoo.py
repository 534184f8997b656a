"""promptfoo's results, as JSON (`results.results`) or JSON lines, one result in each.

The output is the text, the provider its system. Scores of assertions are scores; what
people marked in its viewer (an assertion of the type "human") is a rating.
(github.com/promptfoo/promptfoo, src/types/index.ts)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._verbs import MOST, pick, set_aside
from annotation.imports.files import Record, Table
from annotation.imports.presets import _outputs
from annotation.imports.presets._preset import Preset, Records

ALL = ("results.results", "results")
OF_RUN = "it is about the run, not about a text"
SCORE = "promptfoo_score"  # of all assertions together
HUMAN = "human"


def _recognises(table: Table, first: Sequence[Record]) -> bool:
    return any(_results(first[0].cells)) or _is_result(first[0].cells)


def _is_result(one: Any) -> bool:
    has_words = pick(one, "prompt.raw") is not None or "vars" in one
    is_of_provider = any(name.split(".")[0] == "provider" for name in one)
    return bool(has_words and is_of_provider and pick(one, "response") is not None) or (
        has_words and is_of_provider and any(n.startswith("response.") for n in one)
    )


def _results(cells: dict[str, Any]) -> list[dict[str, Any]]:
    for name in ALL:
        given = cells.get(name)
        if isinstance(given, list) and given:
            found = [one for one in given if isinstance(one, dict)]
            if found and _is_result(found[0]):
                return found
    return []


def _unfold(records: Records, account: Account) -> Records:
    return _outputs.with_texts(_read(records, account), account)


def _read(records: Records, account: Account) -> Records:
    for line, cells in records:
        results = _results(cells)
        if not results:
            yield Record(line, _cells(cells, account))
            continue
        rest = {n: v for n, v in cells.items() if n not in ALL}
        set_aside(rest, account, OF_RUN)
        for number, one in enumerate(results, start=1):
            yield Record(number, _cells(one, account))


def _cells(one: dict[str, Any], account: Account) -> dict[str, Any]:
    provider = pick(one, "provider")
    named = pick(one, "provider.label") or pick(one, "provider.id") or provider
    whole = pick(one, "response")
    response = whole if isinstance(whole, str) else pick(one, "response.output")
    found: dict[str, Any] = {
        "id": one.get("id"),
        "text": _outputs.words(response),
        "system": named if isinstance(named, str) else None,
        "prompt": _outputs.words(pick(one, "prompt.raw") or pick(one, "prompt")),
    }
    for name, value in _scores(one).items():
        if (score := _outputs.score(name, value, account)) is not None:
            found[f"score:{name}"] = score
    return {**found, **_of_people(one)}


def _scores(one: dict[str, Any]) -> dict[str, Any]:
    named = pick(one, "namedScores")
    found = dict(named) if isinstance(named, dict) else {}
    begin = "namedScores."
    found |= {n.removeprefix(begin): v for n, v in one.items() if n.startswith(begin)}
    if not _human(one) and filled(one.get("score")):
        found[SCORE] = one["score"]  # else it is what people made of it
    return found


def _of_people(one: dict[str, Any]) -> dict[str, int]:
    """Passed is 1, failed is 0, as the viewer's thumbs write it."""
    given = _human(one)
    return {"rating:human": int(bool(given[-1].get("pass")))} if given else {}


def _human(one: dict[str, Any]) -> list[dict[str, Any]]:
    parts = pick(one, "gradingResult.componentResults")
    given = parts[:MOST] if isinstance(parts, list) else []
    return [
        part
        for part in given
        if isinstance(part, dict) and pick(part, "assertion.type") == HUMAN
    ]


PRESET = Preset(
    title="promptfoo",
    help=__doc__ or "",
    recognises=_recognises,
    unfold=_unfold,
)
