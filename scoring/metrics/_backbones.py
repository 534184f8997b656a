"""How each family of encoder-decoder models fills a gap in a text.

A pattern is a pair of texts, (source with a gap, text to fill it with). A backbone
knows its model's gap token and turns patterns into token ids and the slice to score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from scoring.metrics import _models
from scoring.metrics._base import MetricError
from scoring.metrics._likelihood import Ids, Pair

Pattern = tuple[str, str]


class Backbone(Protocol):
    """One family of models. To add one: a class like `Pegasus`, a line in FAMILIES."""

    mask: str  # the gap, as written in a source
    vocabulary: int  # number of token ids, for tables with one number per id

    def __init__(self, folder: Path) -> None: ...

    def pairs(self, patterns: Sequence[Pattern], *, end: bool) -> list[Pair]:
        """Token ids; with `end` the end token is scored too, if the family has that."""


class Pegasus:
    """PEGASUS (Zhang et al. 2020): the gap is <mask_1>, the target the text itself."""

    mask = "<mask_1>"  # not the tokenizer's mask_token, which is <mask_2>

    def __init__(self, folder: Path) -> None:
        from transformers import PreTrainedTokenizerFast

        file = folder / "tokenizer.json"
        if not file.exists():
            raise MetricError(
                f"{folder} has no tokenizer.json, which PEGASUS needs here"
            )
        # PegasusTokenizer and AutoTokenizer of transformers 5 put a stray piece before
        # <mask_1> wherever a space precedes it. The file's own pipeline does not.
        self._tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(file))
        # The published file cuts at 192 tokens.
        self._tokenizer.backend_tokenizer.no_truncation()
        self._tokenizer.backend_tokenizer.no_padding()
        self.vocabulary = len(self._tokenizer)
        if self.mask not in self._tokenizer.get_vocab():
            raise MetricError(f"the tokenizer in {folder} has no token {self.mask}")

    def pairs(self, patterns: Sequence[Pattern], *, end: bool) -> list[Pair]:
        sources = self.ids((source for source, _ in patterns), end=True)
        targets = self.ids((target for _, target in patterns), end=end)
        return [Pair(sources[source], targets[target]) for source, target in patterns]

    def ids(self, texts: Iterable[str], *, end: bool) -> dict[str, Ids]:
        """Token ids of each distinct text."""
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        encode = self._tokenizer.backend_tokenizer.encode_batch_fast
        found = encode(distinct, add_special_tokens=end)
        return {text: tuple(one.ids) for text, one in zip(distinct, found, strict=True)}


FAMILIES: dict[str, type[Backbone]] = {"pegasus": Pegasus}


def load(folder: Path) -> Backbone:
    """The backbone of the model in a folder.

    Raises:
        MetricError: If its family is not supported.
    """
    family = _models.config(folder).model_type
    if family not in FAMILIES:
        known = ", ".join(sorted(FAMILIES))
        raise MetricError(
            f"{folder} is a model of the family {family!r}, which cannot fill gaps "
            f"here yet; supported: {known}"
        )
    return FAMILIES[family](folder)
