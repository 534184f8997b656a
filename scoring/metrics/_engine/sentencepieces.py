"""Whether a tokenizer gives the pieces that its authors' sentencepiece gives.

transformers 5 rebuilds some tokenizers from their vocabulary, PEGASUS's with a stray
piece before `<mask_1>`, and saves what it built over the published file. Ids, and so
all scores, then differ without an error. Such a file holds the vocabulary nevertheless:
sentencepiece itself (Kudo and Richardson 2018), run on it, shows what is right.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scoring.metrics._engine.base import MetricError

# A model of sentencepiece goes by one of these names.
FILES = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model")


class Family(NamedTuple):
    gap: str
    offset: int  # what the model's ids are ahead of sentencepiece's
    first: tuple[str, ...] = ()  # the tokens with the ids 0, 1, ...


# Those whose authors used sentencepiece and nothing else.
PEGASUS = Family("<mask_1>", 103, ("<pad>", "</s>", "<mask_1>", "<mask_2>"))
T5 = Family("<extra_id_0>", 0, ("<pad>", "</s>", "<unk>"))
FAMILIES = {
    "pegasus": PEGASUS,
    "t5": T5,
    "mt5": T5,
    "umt5": T5,
    "xlm-roberta": Family("<mask>", 1, ("<s>", "<pad>", "</s>", "<unk>")),
}
_TEXTS = (
    "The ferry left at seven.",
    "a {gap} b",
    "{gap} It was cold, but she swam.",
    "In summary, it was {gap}. Once",
    "He said: {gap}",
    "one {gap} two {gap} three",
    "It ended. </s> And began",
    "two  spaces,   three",
    " a space before and after ",
    "In 2026, 3,140 of 12.5% paid $7!",
    "Über den naïve café, señor",
    "don't “quote” (it) - or: else; well...",
)


def fault(folder: Path, backend: Any) -> str | None:
    """What the tokenizer does otherwise than sentencepiece, if anything.

    None as well where sentencepiece says nothing about this kind of model.
    """
    family = FAMILIES.get(_model_type(folder))
    file = _file(folder)
    model = _opened(file, file.stat().st_mtime_ns) if family and file else None
    if family is None or file is None or model is None:
        return None
    ids = [backend.token_to_id(token) for token in family.first]
    if ids != list(range(len(ids))):
        return f"{', '.join(family.first)} have the ids {ids}"
    offset = 0 if file.suffix == ".json" else family.offset
    controls = {token.content for token in backend.get_added_tokens_decoder().values()}
    for text in (text.format(gap=family.gap) for text in _TEXTS):
        expected = list(_pieces(model, text, controls))
        found = backend.encode(text, add_special_tokens=False)
        if _comparable(model, found.tokens) != _comparable(model, expected):
            cut = f"{found.tokens}, where sentencepiece gives {expected}"
            return f"{text!r} becomes {cut}"
        for piece, id_ in zip(expected, found.ids, strict=True):
            if piece not in controls and id_ != model.piece_to_id(piece) + offset:
                return f"{piece!r} has the id {id_}, which is another token's"
    return None


def check(folder: Path, backend: Any) -> None:
    """Refuse a tokenizer that is not the authors'.

    Raises:
        MetricError: Says which text is cut wrongly and what to do.
    """
    if wrong := fault(folder, backend):
        raise MetricError(
            f"the tokenizer in {folder} is not the one that the model was trained with"
            f" ({wrong}), so scores would be wrong: make a right one with"
            f" `python -m scoring.metrics convert {folder} OUT`"
        )


def proto_of(file: Path) -> Any:
    """What a model of sentencepiece holds.

    Raises:
        MetricError: If it is none.
    """
    from google.protobuf.message import DecodeError

    proto = _empty_proto()
    try:
        proto.ParseFromString(file.read_bytes())
    except DecodeError as error:
        raise MetricError(f"{file} is no model of sentencepiece: {error}") from error
    return proto


def _empty_proto() -> Any:
    from sentencepiece import sentencepiece_model_pb2

    module: Any = sentencepiece_model_pb2  # its classes are made when it is imported
    return module.ModelProto()


def _model_type(folder: Path) -> str:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(config.get("model_type", "")) if isinstance(config, dict) else ""


def _file(folder: Path) -> Path | None:
    files = (folder / name for name in (*FILES, "tokenizer.json"))
    return next(filter(Path.is_file, files), None)


@functools.lru_cache(maxsize=4)
def _opened(file: Path, mtime_ns: int) -> Any:
    """Sentencepiece with the folder's own model, or with its vocabulary; or None."""
    import sentencepiece

    proto = of_vocabulary(file) if file.suffix == ".json" else proto_of(file)
    if proto is None:
        return None
    return sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())


def of_vocabulary(file: Path) -> Any:
    """The model of sentencepiece that a tokenizer.json was made of; None if of none."""
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        model, normalizer = written["model"], written["normalizer"] or {}
        vocabulary, unknown = model["vocab"], model.get("unk_id")
    except (OSError, ValueError, KeyError, TypeError):
        return None  # whoever opens it says what is wrong with it
    if not isinstance(vocabulary, list) or not isinstance(unknown, int):
        return None
    proto = _empty_proto()
    kinds = proto.SentencePiece
    controls = {token["content"] for token in written["added_tokens"]}
    for place, (piece, score) in enumerate(vocabulary):
        kind = kinds.CONTROL if piece in controls else kinds.NORMAL
        kind = kinds.UNKNOWN if place == unknown else kind
        proto.pieces.add(piece=piece, score=score, type=kind)
    proto.trainer_spec.unk_id = unknown
    proto.trainer_spec.model_type = proto.trainer_spec.UNIGRAM
    for one in normalizer.get("normalizers", [normalizer]):
        if one.get("type") == "Precompiled":
            chars = base64.b64decode(one["precompiled_charsmap"])
            proto.normalizer_spec.precompiled_charsmap = chars
    return proto


def _pieces(model: Any, text: str, controls: set[str]) -> Iterator[str]:
    """Control tokens stand alone; what is between them is a text of its own."""
    there = [one for one in controls if one in text]
    if not there:
        yield from model.encode_as_pieces(text)
        return
    first = min(there, key=lambda one: (text.index(one), -len(one)))
    before, _, behind = text.partition(first)
    yield from model.encode_as_pieces(before)
    yield first
    yield from _pieces(model, behind, controls)


def _comparable(model: Any, pieces: list[str]) -> list[str]:
    """Unknown pieces may be written as they are, or as the token for unknown ones."""
    unknown = model.id_to_piece(model.unk_id())
    return [
        unknown if model.piece_to_id(p) == model.unk_id() and p else p for p in pieces
    ]
