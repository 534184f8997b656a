"""Where models come from, what they contain, and on which device they run.

A model is a hub name, a folder or `bundled:NAME`. No code from a model's folder is ever
run, and no pickle is ever opened.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scoring.metrics._engine import sentencepieces
from scoring.metrics._engine.base import MetricError, option

BUNDLED = Path(__file__).resolve().parents[2] / "bundled"
CHECKPOINT = "checkpoint:"  # STUDY/NAME: a metric that was trained here
TRAINED = "model"  # the folder, within that of a training, of what came out of it
DTYPES = ("float32", "bfloat16")

PICKLES = "pytorch_model*.bin*"  # weights of older models, and their index

# What determines a score. README and generation settings do not.
CONTENTS = (
    "*.safetensors",
    "*.safetensors.index.json",
    "added_tokens.json",
    "chat_template.jinja",
    "config.json",
    "head.json",
    "merges.txt",
    "seen.npy",
    "special_tokens_map.json",
    "spiece.model",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "vocab.json",
    "vocab.txt",
)
# A revision may stand behind it: google/pegasus-large@57fdcee.
HUB_NAME = re.compile(
    r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?(@[A-Za-z0-9][\w.-]{0,63})?"
)
_CHECKPOINT = re.compile(r"[-\w]{1,64}/[-\w]{1,64}", re.ASCII)

_checkpoints: Callable[[str], Path] | None = None

# What an option of this kind says in forms and in --help.
MODEL_HELP = "hub name, folder, or bundled:NAME"
ENCODER_HELP = "hub name, folder, or bundled:encoder-small"
CAUSAL_HELP = "hub name, folder, or bundled:causal-small"
INFILL_HELP = "hub name, folder, or bundled:infill-small"


def dtype_option() -> Any:
    """The option `dtype`, the same for all metrics with a model."""
    return option(
        "float32",
        "the model's numbers; bfloat16 is less exact, but faster on some devices",
        DTYPES,
        label="Number format",
        titles=("32-bit floats", "bfloat16"),
    )


def find(name: str) -> Path:
    """The folder of a model.

    Raises:
        MetricError: If there is none; says where it was looked for and how to get it.
    """
    if not name:
        raise MetricError(f"no model was chosen: set the option model ({MODEL_HELP})")
    if name.startswith("bundled:"):
        return _bundled(name.removeprefix("bundled:"))
    if name.startswith(CHECKPOINT):
        return _trained(name.removeprefix(CHECKPOINT))
    if name.startswith("endpoint:"):
        raise MetricError(
            f"{name[:100]}: this metric needs a model on this machine; llm_judge,"
            " perplexity, bartscore and cdm can ask one by its address"
        )
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if not HUB_NAME.fullmatch(name):
        raise MetricError(f"there is no model folder {folder.absolute()}")
    return _from_hub(name)


def local(name: str) -> Path | None:
    """The folder of a model if it is on this machine by that name. Looks nowhere else.

    A hub name has none, even where a copy was downloaded.
    """
    if name.startswith("bundled:"):
        chosen = name.removeprefix("bundled:")
        return BUNDLED / chosen if chosen in bundled() else None
    if name.startswith(CHECKPOINT):
        return _checkpoint_folder(name.removeprefix(CHECKPOINT))
    folder = Path(name).expanduser()
    return folder if name and folder.is_dir() else None


def checkpoints_in(folder: Path | None) -> None:
    """Look for checkpoints that were trained here in that folder; None: nowhere."""
    checkpoints_by(None if folder is None else lambda name: folder / name / TRAINED)


def checkpoints_by(find: Callable[[str], Path] | None) -> None:
    """Ask that for STUDY/NAME; it may raise FileNotFoundError. None: there are none."""
    global _checkpoints
    _checkpoints = find


def bundled() -> list[str]:
    """Names of the models that come with EvalApp."""
    return sorted(path.parent.name for path in BUNDLED.glob("*/config.json"))


def _bundled(name: str) -> Path:
    known = bundled()
    if name not in known:
        there = ", ".join(known) or "none yet"
        raise MetricError(f"no model {name!r} in {BUNDLED}; bundled are: {there}")
    return BUNDLED / name


def _trained(name: str) -> Path:
    folder = _checkpoint_folder(name)
    if folder is None:
        raise MetricError(
            f"there is no finished checkpoint {name[:130]}: it was deleted, its"
            " training has not ended, or this machine shares neither DATA_DIR nor"
            " STORAGE_URL with the one that trained it"
        )
    return folder


def _checkpoint_folder(name: str) -> Path | None:
    if _checkpoints is None or not _CHECKPOINT.fullmatch(name):
        return None
    try:
        folder = _checkpoints(name)
    except FileNotFoundError:
        return None
    return folder if folder.is_dir() else None


def find_pickled(name: str) -> Path:
    """The same; a model of the hub without .safetensors comes with its .bin files."""
    folder = find(name)
    if Path(name).expanduser().is_dir() or any(folder.glob("*.safetensors")):
        return folder
    return _from_hub(name, (*CONTENTS, PICKLES))


def _from_hub(name: str, contents: Sequence[str] = CONTENTS) -> Path:
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    repository, _, revision = name.partition("@")
    try:
        # With HF_HUB_OFFLINE=1 this only looks into the cache.
        found = snapshot_download(
            repository, revision=revision or None, allow_patterns=list(contents)
        )
        return Path(found)
    except (OSError, ValueError, HfHubHTTPError, HFValidationError) as error:
        raise MetricError(
            f"model {name} is not in {constants.HF_HUB_CACHE} and cannot be downloaded "
            f"({type(error).__name__}). Get it with `hf download {_asked(name)}`, give "
            f"the folder of a copy, or choose one that is here: "
            f"{', '.join(f'bundled:{known}' for known in bundled())}"
        ) from error


def _asked(name: str) -> str:
    repository, _, revision = name.partition("@")
    return f"{repository} --revision {revision}" if revision else repository


def content_hash(folder: Path) -> str:
    """Hash of weights, configuration and tokenizer, for signatures: never of the path.

    Reads all the files the first time, afterwards only those that have changed.
    """
    digest = hashlib.sha256()
    for path in sorted({found for glob in CONTENTS for found in folder.glob(glob)}):
        digest.update(f"{path.name} {hash_of(path)}\n".encode())
    return f"sha256:{digest.hexdigest()[:16]}"


def hash_of(path: Path) -> str:
    """Content hash of a file, taken once as long as the file stays as it is."""
    state = path.stat()
    return _hash_of(path.resolve(), state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=256)
def _hash_of(path: Path, mtime_ns: int, size: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return f"sha256:{digest.hexdigest()[:16]}"


def device(name: str = "auto") -> str:
    """The device of that name; "auto" takes cuda, then mps, then cpu.

    Raises:
        MetricError: If this machine has no such device.
    """
    import torch

    if name == "auto":
        mps = torch.backends.mps.is_available()
        return "cuda" if torch.cuda.is_available() else "mps" if mps else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as error:
        raise MetricError(f"this machine has no device {name!r}") from error
    return name


def limit_threads(count: int = 0) -> None:
    """Use so many cores; 0 is all but one. For a process that is not alone.

    Threads wait for each other after every operation: with another process on one of
    two cores, two threads were eight times slower than one.
    """
    import torch

    torch.set_num_threads(count if count > 0 else max(1, (os.cpu_count() or 1) - 1))


def seq2seq(folder: Path, *, device: str, dtype: str) -> Any:
    """An encoder-decoder model, ready to score."""
    from transformers import AutoModelForSeq2SeqLM

    if not config(folder).is_encoder_decoder:
        raise MetricError(f"{folder} is not an encoder-decoder model")
    return _load(AutoModelForSeq2SeqLM, folder, device, dtype)


def causal(folder: Path, *, device: str, dtype: str) -> Any:
    """A decoder-only model, ready to score."""
    from transformers import AutoModelForCausalLM

    if config(folder).is_encoder_decoder:
        # The decoder alone would load, and give numbers that mean nothing.
        raise MetricError(f"{folder} is an encoder-decoder model, not a causal one")
    return _load(AutoModelForCausalLM, folder, device, dtype)


def encoder(folder: Path, *, device: str, dtype: str) -> Any:
    """The body of any model of one stack, which gives a vector for each token."""
    from transformers import AutoModel

    found = config(folder)
    if found.is_encoder_decoder:
        raise MetricError(f"{folder} is an encoder-decoder model: choose an encoder")
    if not (hasattr(found, "vocab_size") and hasattr(found, "hidden_size")):
        raise MetricError(
            f"{folder} is not an encoder or a causal language model: choose one"
        )
    # A checkpoint made by guessing words has none, and nobody here asks for its vector.
    return _load(AutoModel, folder, device, dtype, unused="pooler.")


def config(folder: Path) -> Any:
    """The model's configuration."""
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError) as error:
        raise MetricError(f"{folder} holds no known model: {_line(error)}") from error


def tokenizer(folder: Path) -> Any:
    """The model's own tokenizer.

    Mind that this mis-tokenises PEGASUS: see `backbones`.

    Raises:
        MetricError: If there is none, or it is not the one that the authors used.
    """
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, ImportError, TypeError) as error:
        raise MetricError(f"{folder} holds no tokenizer: {_line(error)}") from error
    if program := getattr(found, "backend_tokenizer", None):
        sentencepieces.check(folder, program)
    return found


def backend(file: Path) -> Any:
    """The tokenizer as its file describes it, unchanged by transformers."""
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing narrower
        raise MetricError(f"cannot read {file}: {error}") from error


# While it loads a model, transformers replaces methods of its classes. Two threads that
# do so at once can leave the replacements there: no later model would tie its weights.
_LOADING = threading.Lock()


def _load(
    kind: Any, folder: Path, device: str, dtype: str, unused: str | None = None
) -> Any:
    import torch
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.disable_progress_bar()
    _check_weights(folder)
    _check_dtype(device, dtype)
    try:
        with _LOADING:
            model, info = kind.from_pretrained(
                folder,
                # Without it a checkpoint is loaded in the dtype it was saved in.
                dtype=getattr(torch, dtype),
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise MetricError(f"cannot load {folder}: {_line(error)}") from error
    missing = sorted(info["missing_keys"])
    if missing := [k for k in missing if unused is None or not k.startswith(unused)]:
        # They would be filled with random numbers, with a mere warning.
        raise MetricError(f"{folder} lacks weights: {', '.join(missing[:3])} ...")
    return model.eval().to(device)


def _check_weights(folder: Path) -> None:
    if not any(folder.glob("*.safetensors")):
        raise MetricError(
            f"{folder} has no .safetensors file. If the model has its weights as .bin"
            f" files, which can run code and are never opened here, convert it:"
            f" `python -m scoring.metrics convert {_published(folder)} OUT`"
        )


def _published(folder: Path) -> str:
    """The name on the hub of a copy in its cache; else the folder."""
    parts = folder.parts[-3:]
    if len(parts) == 3 and parts[0].startswith("models--") and parts[1] == "snapshots":
        return parts[0].removeprefix("models--").replace("--", "/")
    return str(folder)


def _check_dtype(device: str, dtype: str) -> None:
    import torch

    if device != "cpu" or dtype != "bfloat16":
        return
    found = torch.cpu.get_capabilities()
    if not any(found.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16")):
        raise MetricError(
            "dtype=bfloat16 is slower than float32 on this processor, "
            "which has no instructions for it: use float32"
        )


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
