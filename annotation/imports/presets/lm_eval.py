"""Samples of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, of `--log_samples`.

The answer as it came is the text, the prompt its first argument, the target a
reference, each metric a score. Tasks of multiple choice and of perplexity have
likelihoods and no texts of a system: their scores go to Metrics.
(github.com/EleutherAI/lm-evaluation-harness, 0.4)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.imports._account import Account, filled
from annotation.imports._verbs import inside
from annotation.imports.files import Record
from annotation.imports.presets import _outputs
from annotation.imports.presets._preset import Preset, Records, some

# What a line has beside its metrics, where it does not list them.
OTHER = ("doc", "arguments", "resps", "filtered_resps", "filter", "metrics", "target")
HASHES = ("doc_hash", "prompt_hash", "target_hash", "doc_id")


def _unfold(records: Records, account: Account) -> Records:
    texts = (Record(line, _cells(cells, account)) for line, cells in records)
    return _outputs.with_texts(texts, account)


def _cells(sample: Mapping[str, Any], account: Account) -> dict[str, Any]:
    prompt, directions = _arguments(sample)
    # Only what was generated has directions; a likelihood is of a text that is given.
    answer = sample.get("resps") if isinstance(directions, Mapping) else None
    cells: dict[str, Any] = {
        "id": sample.get("doc_id"),
        "text": _first_string(answer),
        "prompt": prompt if isinstance(prompt, str) else None,
        "reference": _outputs.words(sample.get("target")),
    }
    by = sample.get("filter")
    filtered = "" if by in (None, "none") else f" ({by})"
    for name, value in sample.items():
        if name.split(".")[0] not in (*OTHER, *HASHES) and filled(value):
            score = _outputs.score(name, value, account)
            cells[f"score:{name}{filtered}"] = score
    return cells


def _arguments(sample: Mapping[str, Any]) -> tuple[Any, Any]:
    """The prompt, and what else the model was told."""
    first = inside(sample, "arguments.gen_args_0")
    if first:
        return first.get("arg_0"), first.get("arg_1") or inside(first, "arg_1") or None
    arguments = sample.get("arguments")  # before 0.4.2: a list of lists
    row = arguments[0] if isinstance(arguments, list) and arguments else []
    row = row if isinstance(row, list) else []
    return (row[0] if row else None), (row[1] if len(row) > 1 else None)


def _first_string(answers: Any) -> str:
    """Of answers to one prompt."""
    while isinstance(answers, list) and answers:
        answers = answers[0]
    return answers if isinstance(answers, str) else ""


PRESET = Preset(
    title="lm-evaluation-harness samples",
    help=__doc__ or "",
    recognises=some("doc_id", "arguments", "resps", "filtered_resps"),
    unfold=_unfold,
)
