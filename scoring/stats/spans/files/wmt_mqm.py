"""MQM ratings as Google publishes them for WMT: a row for each error, tags in the text.

The columns system, doc, doc_id or docSegId, seg_id or globalSegId, rater, source,
target, category, severity, and more behind them; separated by tabs, without quotes.
A row whose category is No-error says that its segment was read. Rows of one segment
may differ in the white space at the end of its text: the longest is the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoring.stats.spans.files.places import tagged, untagged
from scoring.stats.spans.files.segments import Read, Reading, Refusal, Refused, Segment
from scoring.stats.spans.marks import Mark, Marks, Side

COLUMNS = ("system", "doc", "rater", "source", "target", "category", "severity")
SEGMENT = ("seg_id", "globalSegId")  # one of them
NO_ERROR = "no-error"
# Rows about the raters' attention, not about the text ("hands on the wheel").
TESTS = frozenset({"hotw-test"})


def read(lines: Iterable[str]) -> Read:
    """Read a file line by line.

    Raises:
        ValueError: If the header lacks a column, with those that are missing.
    """
    rows = iter(lines)
    header = next(rows, "").rstrip("\r\n").split("\t")
    segment_id = next((name for name in SEGMENT if name in header), SEGMENT[0])
    missing = [name for name in (*COLUMNS, segment_id) if name not in header]
    if missing:
        raise ValueError(f"expected the columns {', '.join(missing)}")
    marked: dict[Reading, list[Mark]] = {}
    longest: dict[Reading, Reading] = {}
    refusals = []
    for number, line in enumerate(rows, start=1):
        cells = dict(zip(header, line.rstrip("\r\n").split("\t"), strict=False))
        if len(cells) <= header.index("severity"):
            refusals.append(Refusal(number, "shape", line))
        elif cells["severity"].casefold() not in TESTS:
            of = _reading(cells, segment_id)
            key = of._replace(source=of.source.rstrip(), text=of.text.rstrip())
            longest[key] = _longer(longest.get(key, of), of)
            try:
                marked.setdefault(key, []).extend(_marks(cells))
            except Refused as refused:
                refusals.append(Refusal(number, refused.code, refused.about))
    return Read(
        [Segment(longest[key], tuple(marks)) for key, marks in marked.items()], refusals
    )


def _reading(cells: Mapping[str, str], segment_id: str) -> Reading:
    names = ("system", "doc", segment_id, "rater")
    texts = (untagged(cells[name]) for name in ("source", "target"))
    return Reading(*(cells[name] for name in names), *texts)


def _longer(first: Reading, second: Reading) -> Reading:
    """The same with the longer of both sources, and of both texts."""
    source, text = (
        max(pair, key=len)
        for pair in ((first.source, second.source), (first.text, second.text))
    )
    return first._replace(source=source, text=text)


def _marks(cells: Mapping[str, str]) -> Marks:
    """One, or none where the row says that there is no error."""
    if NO_ERROR in (cells["category"].casefold(), cells["severity"].casefold()):
        return ()
    sides: tuple[tuple[Side, str], ...] = (("text", "target"), ("source", "source"))
    marks = [
        Mark(*place, cells["category"], cells["severity"].casefold(), side)
        for side, column in sides
        if (place := tagged(cells[column])[1]) is not None
    ]
    if len(marks) != 1:
        raise Refused("ambiguous" if marks else "absent", cells["target"])
    return tuple(marks)
