"""Make a published model's folder one that EvalApp opens, with its right tokenizer.

python -m scoring.metrics convert NAME_OR_FOLDER OUT

Writes the weights to OUT as .safetensors, and the tokenizer as its authors used it. No
code from the model's folder is run: of a .bin file only tensors are read. At the end a
dozen strings are encoded and compared with what the authors' tokenizer gives.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from scoring.metrics._engine import models, sentencepieces
from scoring.metrics._engine.base import MetricError

_WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "config.json")
_TOKENIZER = tuple(glob for glob in models.CONTENTS if glob not in _WEIGHTS)


def convert(name: str, out: Path) -> None:
    """Write a copy of the model to `out` that metrics can load.

    Raises:
        MetricError: If there is no such model, something is in `out`, or weights or
            tokenizer cannot be made right; `out` is then left as it was.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise MetricError(f"{out} already exists: name a new folder to write into")
    folder = models.find_pickled(name)
    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    # Nobody shall find half a model, and a rename needs the same disk.
    with tempfile.TemporaryDirectory(dir=out.absolute().parent, prefix=".new-") as new:
        target = Path(new) / "model"
        target.mkdir()
        _write_weights(folder, target)
        _write_tokenizer(folder, target)
        for path in target.iterdir():
            path.chmod(0o644)  # a worker may be another user than who converts
        target.replace(out)


def _copy(folder: Path, globs: Iterable[str], target: Path) -> None:
    for path in _files(folder, globs):
        shutil.copyfile(path, target / path.name)


def _files(folder: Path, globs: Iterable[str]) -> Iterator[Path]:
    for glob in globs:
        yield from folder.glob(glob)


def _write_weights(folder: Path, target: Path) -> None:
    """Copy .safetensors; read the tensors of .bin files, and nothing else of them."""
    if any(folder.glob("*.safetensors")):
        _copy(folder, _WEIGHTS, target)
        return
    if not any(folder.glob(models.PICKLES)):
        raise MetricError(f"{folder} has no weights: neither .safetensors nor .bin")
    import transformers

    names = models.config(folder).architectures or ["AutoModel"]
    kind: Any = getattr(transformers, str(names[0]), transformers.AutoModel)
    try:
        model, info = kind.from_pretrained(
            folder,
            dtype="auto",
            use_safetensors=False,
            weights_only=True,  # tensors and plain values: no code
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except Exception as error:  # of pickle, torch and transformers: of many kinds
        line = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise MetricError(f"cannot read the weights in {folder}: {line}") from error
    # What the file lacks was filled with random numbers.
    lacking = set(info["missing_keys"])
    state = {k: v for k, v in model.state_dict().items() if k not in lacking}
    model.save_pretrained(target, state_dict=state)


def _write_tokenizer(folder: Path, target: Path) -> None:
    """The published tokenizer.json where it is right, else one that is."""
    _copy(folder, _TOKENIZER, target)
    file = target / "tokenizer.json"
    if models.config(target).model_type == "pegasus":
        _write_pegasus(file, target / "spiece.model")
    elif not file.exists():
        models.tokenizer(target).save_pretrained(target)
    if file.exists():
        sentencepieces.check(target, models.backend(file))


def _write_pegasus(file: Path, spiece: Path) -> None:
    """Because transformers 5 makes a wrong one, of either file."""
    from tokenizers import pre_tokenizers

    if file.exists():
        tokenizer = models.backend(file)
        if sentencepieces.fault(file.parent, tokenizer) is None:
            return
    elif spiece.exists():
        tokenizer = _of_sentencepiece(spiece)
    else:
        raise MetricError("the model has neither tokenizer.json nor spiece.model")
    # Splitting at spaces first keeps a space from becoming a piece of its own.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.save(str(file))


def _of_sentencepiece(spiece: Path) -> Any:
    """PEGASUS's tokenizer: 105 tokens of its own, then those of its sentencepiece."""
    from tokenizers import Tokenizer, decoders, normalizers, processors
    from tokenizers.models import Unigram

    proto = sentencepieces.proto_of(spiece)
    pegasus = sentencepieces.PEGASUS
    own = [*pegasus.first, *(f"<unk_{k}>" for k in range(2, pegasus.offset))]
    vocabulary = [(token, 0.0 if token in pegasus.first else -100.0) for token in own]
    vocabulary += [(one.piece, one.score) for one in proto.pieces[2:]]
    unknown = proto.trainer_spec.unk_id + pegasus.offset
    tokenizer = Tokenizer(Unigram(vocabulary, unknown))
    tokenizer.add_special_tokens([*own, vocabulary[unknown][0]])
    if chars := proto.normalizer_spec.precompiled_charsmap:
        tokenizer.normalizer = normalizers.Precompiled(chars)
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A $B </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scoring.metrics convert",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("model", help="hub name, or folder of a published model")
    parser.add_argument("out", type=Path, help="new folder")
    given = parser.parse_args(arguments)
    convert(given.model, given.out)
    print(f"{given.out} can be used now", file=sys.stderr)
    return 0
