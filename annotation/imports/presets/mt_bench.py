"""MT-Bench's human judgements and Chatbot Arena, with conversations.

Two models with their conversations, and who won. The text is the answer to the judged
turn; what was said before it is its prompt. The choices themselves are votes.
(huggingface.co/datasets/lmsys/mt_bench_human_judgments; github.com/lm-sys/FastChat)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.imports._account import Account
from annotation.imports._cells import whole
from annotation.imports.files import Record
from annotation.imports.presets import _pairs
from annotation.imports.presets._pairs import Pair, Side
from annotation.imports.presets._preset import Preset, Records, has
from annotation.turns import Turn, as_text

TOLD = ("question_id", "model_a", "model_b", "conversation_a", "conversation_b")
PEOPLE_SAY = ("user", "human")


def _pair(record: Record) -> Pair:
    cells = record.cells
    turn = whole(cells.get("turn"))
    before, first = _said(cells.get("conversation_a"), turn)
    _, second = _said(cells.get("conversation_b"), turn)
    name = f"{cells.get('question_id')}-{turn}" if turn else cells.get("question_id")
    return Pair(
        name=str(name)[:64],
        prompt=before,
        first=Side(str(cells.get("model_a")), first),
        second=Side(str(cells.get("model_b")), second),
        choice=cells.get("winner"),
        rater=str(cells.get("judge") or ""),
        question=f"turn {turn}" if turn else "",
        cells={n: v for n, v in cells.items() if n not in TOLD},
    )


def _said(conversation: Any, turn: int | None) -> tuple[str, str]:
    """What stands before the judged answer, and the answer."""
    given = conversation if isinstance(conversation, list) else []
    turns = [
        Turn(str(one.get("role") or ""), str(one.get("content") or ""))
        for one in given
        if isinstance(one, dict)
    ]
    answers = [n for n, one in enumerate(turns) if one.role not in PEOPLE_SAY]
    if not answers:
        return "", ""
    place = answers[min(turn or len(answers), len(answers)) - 1]
    before = turns[:place]
    only = before[0].text if len(before) == 1 else as_text(before)
    return only, turns[place].text


def _unfold(records: Records, account: Account) -> Records:
    return _pairs.texts(records, _pair, account)


def _votes(records: Iterator[Record]) -> Iterator[dict[str, Any]]:
    return _pairs.votes(records, _pair)


PRESET = Preset(
    title="MT-Bench and Chatbot Arena",
    help=__doc__ or "",
    recognises=has("model_a", "model_b", "winner", "conversation_a", "conversation_b"),
    unfold=_unfold,
    mapping={"system": "system", "prompt": "prompt", "text": "text"},
    votes=_votes,
    note=_pairs.NOT_TAKEN,
)
