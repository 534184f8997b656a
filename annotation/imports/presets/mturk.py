"""Batch results of Mechanical Turk: Input.* and Answer.* columns, a row per worker.

Input.output or Input.text is the text, Input.model the system, and so on. Answers that
are numbers or a word or two become ratings, called as behind "Answer."; of a row of
radio buttons (Answer.quality.1 to Answer.quality.5) the one that is true. Rejected
assignments are not used. (docs.aws.amazon.com/AWSMechTurk, batch results)
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from annotation.imports import _verbs
from annotation.imports._account import Account, filled
from annotation.imports._cells import number
from annotation.imports._json import JSONError, loads
from annotation.imports._names import USUAL
from annotation.imports.files import Record
from annotation.imports.presets._answers import IN_WORDS, YES, answer, rating_of
from annotation.imports.presets._preset import Preset, Records, some
from annotation.imports.presets._segments import key_of

INPUT, ANSWER = "Input.", "Answer."
STATUS, WORKER, ALL = "assignmentstatus", "workerid", "taskAnswers"
REJECTED = "the assignment was rejected"
OF_WORK = "it is about the work at Mechanical Turk, not about the text"
# Columns that Mechanical Turk writes beside those of the study.
ITS_OWN = frozenset(
    "hitid hittypeid title description keywords reward creationtime maxassignments"
    " requesterannotation assignmentdurationinseconds autoapprovaldelayinseconds"
    " expiration numberofsimilarhits lifetimeinseconds assignmentid assignmentstatus"
    " accepttime submittime autoapprovaltime approvaltime rejectiontime"
    " requesterfeedback worktimeinseconds lifetimeapprovalrate last30daysapprovalrate"
    " last7daysapprovalrate approve reject".split()
)
REMARKS = frozenset(
    "comment comments feedback remark remarks reason reasons explanation justification"
    " why note notes suggestions email age gender country other".split()
)
ITEM = "number of the text"
_WORDS = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"[^\W_]+")


def _unfold(records: Records, account: Account) -> Records:
    items = _by_item(records, account)
    named = _rated(_verbs.rename(_keyed(items), _name), account)
    kept = _verbs.where(named, _is_not_rejected, account, REJECTED)
    return _verbs.without(kept, lambda c: c.lower() in ITS_OWN, account, OF_WORK)


def _by_item(records: Records, account: Account) -> Records:
    """Several texts in one task, Input.text_1 with Answer.quality_1: a row for each."""
    for record in records:
        found = {c: part for c in record.cells if (part := _numbered(c))}
        shown = {part.item for c, part in found.items() if c.startswith(INPUT)}
        rated = {part.item for c, part in found.items() if c.startswith(ANSWER)}
        if len(shown) < 2 or shown != rated:
            yield record
            continue
        rows = _verbs.melt(iter([record]), found.get, account, ITEM)
        for line, cells in rows:
            yield Record(line, {n: v for n, v in cells.items() if n != ITEM})


def _numbered(column: str) -> _verbs.Part | None:
    """Answer.quality_1 and Answer.quality_1.4: Answer.quality of 1, and ....4."""
    kind, dot, name = column.partition(".")
    if f"{kind}{dot}" not in (INPUT, ANSWER):
        return None
    name, dot, option = name.partition(".")
    stem = name.rstrip("0123456789")
    number, stem = name[len(stem) :], stem.rstrip("_- ")
    if not number or not stem:
        return None
    return _verbs.Part(number, f"{kind}.{stem}{dot}{option}")


def _keyed(records: Records) -> Records:
    """One text may be shown for several items: an ID of something else tells them.

    Else the ratings of all of them would be put on one text.
    """
    for line, cells in records:
        inputs = {
            c.removeprefix(INPUT): v for c, v in cells.items() if c.startswith(INPUT)
        }
        names = {_plain(name) for name in inputs}
        other = [name for name in inputs if _plain(name).endswith(" id")]
        if names.isdisjoint((*USUAL["key"], *USUAL["prompt"])) and other:
            digest = hashlib.sha256(repr(sorted(inputs.items())).encode()).hexdigest()
            cells = {**cells, "key": key_of(inputs[other[0]], digest[:8])}
        yield Record(line, cells)


def _plain(name: str) -> str:
    return " ".join(_PARTS.findall(name)).lower()


def _rated(records: Records, account: Account) -> Records:
    for line, cells in records:
        found = {c: v for c, v in cells.items() if not c.startswith(ANSWER)}
        yield Record(line, {**found, **_answers(cells, account)})


def _is_not_rejected(cells: _verbs.Cells) -> bool:
    said = [value for name, value in cells.items() if name.lower() == STATUS]
    return not any(str(value).strip().lower() == "rejected" for value in said)


def _name(column: str) -> str:
    if column.lower() == WORKER:
        return "rater"
    return column.removeprefix(INPUT)


def _answers(cells: _verbs.Cells, account: Account) -> dict[str, Any]:
    """Ratings; a remark stays under the name that it has in the file."""
    options: dict[str, dict[str, Any]] = {}
    found: dict[str, Any] = {}
    for column, value in _each(cells).items():
        question, dot, option = column.rpartition(".")
        if not (dot and question and option):
            found |= _single(column, value, account)
        elif filled(value):
            options.setdefault(question, {})[option] = value
    for question, given in options.items():
        [(option, value), *more] = given.items()
        if not more and not _is_of_scale(option, value):
            # A box to tick, or the name of a question has a full stop in it.
            name = question if option == "1" else f"{question}.{option}"
            found |= _single(name, value, account)
        elif (rating := rating_of(question, given, account)) is not None:
            found[f"rating:{question}"] = rating
    return found


def _is_of_scale(option: str, value: Any) -> bool:
    """Whether only the chosen one of a row of buttons is there: {"4": true}."""
    return number(option) is not None and option != "1" and str(value).lower() in YES


def _each(cells: _verbs.Cells) -> dict[str, Any]:
    """Answers by column; those that stand together in one cell, as JSON, too."""
    found: dict[str, Any] = {}
    for column, value in cells.items():
        if not column.startswith(ANSWER):
            continue
        name = column.removeprefix(ANSWER)
        if name == ALL and isinstance(value, str):
            found |= _of_json(value)
        else:
            found[name] = value
    return found


def _of_json(value: str) -> dict[str, Any]:
    """[{"quality": {"1": false, "2": true}, "comment": "..."}]"""
    try:
        given = loads(value)
    except JSONError:
        return {ALL: value}
    given = given[0] if isinstance(given, list) and given else given
    found: dict[str, Any] = {}
    for name, one in given.items() if isinstance(given, dict) else ():
        if isinstance(one, dict):
            found |= {f"{name}.{option}": said for option, said in one.items()}
        else:
            found[name] = one
    return found


def _single(name: str, value: Any, account: Account) -> dict[str, Any]:
    if not filled(value):
        return {}
    column = f"{ANSWER}{name}"
    if REMARKS.intersection(_WORDS.findall(name.lower())):
        return {column: value}
    if (rating := answer(value)) is not None:
        return {f"rating:{name}": rating}
    account.set_aside(column, words=IN_WORDS)
    return {}


PRESET = Preset(
    title="Mechanical Turk",
    help=__doc__ or "",
    recognises=some(INPUT, ANSWER),
    unfold=_unfold,
    note="Rejected assignments are not used.",
)
