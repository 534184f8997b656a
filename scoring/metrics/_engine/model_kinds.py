"""What a model's folder holds, read off its files. Nothing is loaded or imported.

Pages offer only models that fit each option, and say so before a run starts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.metrics._engine import models
from scoring.option_fields import ModelKind

LARGEST_CONFIG = 1 << 20  # bytes; a real one has some thousand


def kinds(folder: Path) -> frozenset[ModelKind]:
    """What a model can be used for; none where this is not a model's folder.

    A model that follows instructions also continues texts.
    """
    config = _read(folder / "config.json")
    if not config or not any(folder.glob("*.safetensors")):
        return frozenset()
    if (folder / "head.json").is_file():
        return frozenset({"trained"})
    if config.get("is_encoder_decoder") or config.get("model_type") in ("t5", "bart"):
        return frozenset({"infill"})
    architectures = [str(name) for name in config.get("architectures") or ()]
    if any(name.endswith("ForSequenceClassification") for name in architectures):
        return frozenset({"trained", "encoder"})
    if any(map(_continues, architectures)):
        follows = _has_chat_template(folder)
        return frozenset({"causal", "instruct"} if follows else {"causal"})
    return frozenset({"encoder"})


def size(folder: Path) -> int:
    """Bytes of the weights."""
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def same_tokenizer(one: Path, other: Path) -> bool:
    """Whether two models certainly share their tokens."""
    files = [folder / "tokenizer.json" for folder in (one, other)]
    if not all(file.is_file() for file in files):
        return False
    return models.hash_of(files[0]) == models.hash_of(files[1])


def cached() -> dict[str, Path]:
    """Models of the hub that are on this machine: by name, the newest copy of each."""
    root = _cache()
    found = sorted(root.glob("models--*")) if root.is_dir() else []
    copies = {path.name.removeprefix("models--"): list(_copies(path)) for path in found}
    return {
        name.replace("--", "/"): max(folders, key=lambda one: one.stat().st_mtime)
        for name, folders in copies.items()
        if folders
    }


def in_cache(name: str) -> Path | None:
    """The copy of a model of the hub that a run would find without the network."""
    repository, _, revision = name.partition("@")
    folder = _cache() / f"models--{repository.replace('/', '--')}"
    reference = folder / "refs" / (revision or "main")
    commit = revision
    if reference.is_file():
        commit = reference.read_text(encoding="utf-8").strip()
    copy = folder / "snapshots" / commit
    return copy if commit and (copy / "config.json").exists() else None


def _copies(folder: Path) -> Iterator[Path]:
    for config in folder.glob("snapshots/*/config.json"):
        yield config.parent


def _cache() -> Path:
    # The variables and the default of huggingface_hub, whose import takes a second.
    home = os.environ.get("HF_HOME", "~/.cache/huggingface")
    given = os.environ.get("HF_HUB_CACHE") or os.path.join(home, "hub")
    return Path(given).expanduser()


def _continues(architecture: str) -> bool:
    return architecture.endswith(("ForCausalLM", "LMHeadModel"))


def _has_chat_template(folder: Path) -> bool:
    if (folder / "chat_template.jinja").is_file():
        return True
    return bool(_read(folder / "tokenizer_config.json").get("chat_template"))


def _read(path: Path) -> dict[str, Any]:
    """A JSON file of a model; empty where there is none that can be read."""
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            return {}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
