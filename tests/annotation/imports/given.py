"""Small files in the shapes of data sets that many people have."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

HANNA = (
    *("Story ID", "Prompt", "Human", "Story", "Model", "Relevance", "Coherence"),
    *("Empathy", "Surprise", "Engagement", "Complexity", "Worker ID"),
    *("Assignment ID", "Work time in seconds", "Name"),
)


def table(
    header: Sequence[str], rows: Iterable[Sequence[Any]], sep: str = ","
) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sep)
    writer.writerows([header, *rows])
    return out.getvalue().encode()


def hanna(stories: int = 4, raters: int = 3, prompts: int = 2) -> bytes:
    """Rows of the stories in turn, each with so many raters, as in the real file."""
    rows = []
    for story in range(stories):
        prompt, model = (
            f"Write about lake {story % prompts}.",
            ("Human", "GPT")[story // 2 % 2],
        )
        text = f"Story {story} begins. {'It goes on. ' * (1 + story % 5)}It ends."
        for rater in range(raters):
            ratings = [1 + (story + rater + k) % 5 for k in range(6)]
            human = f"A human story {story % prompts}."
            more = (f"W{rater}", f"A{story}-{rater}", 60, "Ann")
            rows.append((story, prompt, human, text, model, *ratings, *more))
    return table(HANNA, rows)


def excel(*rows: Sequence[Any], sheets: Sequence[str] = ("Sheet1",)) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = sheets[0]
    for name in sheets[1:]:
        book.create_sheet(name)
    for row in rows:
        book[sheets[-1]].append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(**columns: Sequence[Any]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def jsonl(*objects: Any) -> bytes:
    """Objects, or lines as they are."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in objects]
    return "\n".join(lines).encode()


def packed(**files: bytes) -> bytes:
    """A zip file; two underscores in a name are a full stop, three a slash."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in files.items():
            pack.writestr(name.replace("___", "/").replace("__", "."), content)
    return out.getvalue()
