"""The README of a checkpoint: what a reader must know before trusting its scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def card(facts: Mapping[str, Any]) -> str:
    """The card as markdown, of the facts in `training.json`."""
    data = {k: v for k, v in facts.get("data", {}).items() if not _is_nested(v)}
    return f"""# {facts.get("metric", "a trained metric")}

A checkpoint of EvalApp: an encoder that was trained further, and a head on it. Loads
with transformers' `AutoModel` (the encoder alone) and as the option `model` of the
metric. It is as good as its data and its figures below.

- **Trained** for {facts["steps"]:,} steps, {facts["seconds"] / 60:.1f} minutes, on
  {facts["device"]} in {facts["precision"]}; peak learning rate {facts["rate"]:g};
  {facts["parameters"]:,} parameters; torch {facts["torch"]}.
- **Signature**: `{facts.get("signature", "none")}`

## Figures on documents that were held out

{_table(facts["figures"])}

## Options

{_table(facts.get("options", {}))}

## Data

{_table(data)}
{_classes(facts)}
Hashes of what it was trained on are in `seen.npy`: it gives no score to those texts.
No text is contained, though figures may count some.

## Licence

The weights derive from the encoder named above and from the texts they were trained
on: the terms of both hold. The code that made them has the licence of EvalApp.

## Losses

{_losses(facts["log"])}
"""


def _table(pairs: Mapping[str, Any]) -> str:
    flat = _flat(pairs)
    if not flat:
        return "none"
    rows = "\n".join(
        f"| {_said(key)} | {_said(value)} |" for key, value in flat.items()
    )
    return f"| what | |\n| --- | --- |\n{rows}"


def _flat(pairs: Mapping[str, Any], before: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{before}{key}: ")
        else:
            found[f"{before}{key}"] = value
    return found


def _classes(facts: Mapping[str, Any]) -> str:
    classes = facts.get("data", {}).get("classes") or {}
    return f"\nTexts of each class:\n\n{_table(classes)}\n" if classes else ""


def _losses(log: list[dict[str, float]]) -> str:
    rows = "\n".join(
        f"| {row['step']:,} | {_said(row.get('loss'))} | {_said(row.get('held_out'))} |"
        for row in log
    )
    return f"| step | training | held out |\n| --- | --- | --- |\n{rows}"


def _said(value: Any) -> str:
    if value is None or value == "":
        return "—"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)
