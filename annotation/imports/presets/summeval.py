"""SummEval (Fabbri et al. 2021): model_annotations.aligned.jsonl, paired or not.

One object for each summary, with the ratings of three experts and five crowd workers.
The experts' count here, as in the paper; the file names none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._account import Account
from annotation.imports.files import Record
from annotation.imports.presets._preset import Preset, Records, has

ASPECTS = "coherence consistency fluency relevance".split()
UNFOLDED = ("id", "expert_annotations")
SOURCE = ("text", "source", "article")


def _unfold(records: Records, account: Account) -> Records:
    for line, cells in records:
        rest = {name: cell for name, cell in cells.items() if name not in UNFOLDED}
        yield Record(line, {**rest, **dict(_ratings(cells)), "key": _key(cells)})


def _key(cells: dict[str, Any]) -> str:
    """Ids are those of articles: dm-test-8764fb95..., shared by all summaries of it."""
    article = str(cells.get("id", "")).removeprefix("dm-test-")
    return f"{article[:16]}-{cells.get('model_id', '')}"[:64]


def _ratings(cells: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    given = cells.get("expert_annotations")
    experts = (
        [one for one in given if isinstance(one, dict)]
        if isinstance(given, list)
        else []
    )
    for number, expert in enumerate(experts, start=1):
        for aspect in ASPECTS:
            yield f"{aspect} (expert {number})", expert.get(aspect)


PRESET = Preset(
    title="SummEval",
    help=__doc__ or "",
    recognises=has("decoded", "expert_annotations", "model_id"),
    unfold=_unfold,
    mapping={
        "key": "key",
        "decoded": "text",
        "model_id": "system",
        "references": "reference",
        "text": "source",
        "source": "source",
        "article": "source",
        **{
            f"{aspect} (expert {number})": f"rating:{aspect}:expert {number}"
            for aspect in ASPECTS
            for number in (1, 2, 3)
        },
    },
    scale="1-5",
)
