"""Cut texts to what an encoder reads of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def cut_to_tokens(tokenizer: Any, texts: Sequence[str], *, n: int) -> list[str]:
    """The beginning of each text that the encoder reads, as it is written there.

    Texts are damaged after the cut: what damage removes must not make room for more.
    """
    if not texts:
        return []
    if not tokenizer.is_fast:  # it does not know where its tokens stand
        ids = tokenizer(list(texts), truncation=True, max_length=n)["input_ids"]
        return [tokenizer.decode(row, skip_special_tokens=True) for row in ids]
    offsets = tokenizer(
        list(texts), truncation=True, max_length=n, return_offsets_mapping=True
    )["offset_mapping"]
    ends = [max((end for _, end in row), default=0) for row in offsets]
    return [text[:end] for text, end in zip(texts, ends, strict=True)]
