"""The tokenizer that all bundled models share: byte pairs, with PEGASUS's own tokens.

A piece that begins a word begins with the mark of a space. A gap swallows the space
before it, so that nothing stands between the word before and the gap; the white space
at the end of a text goes as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.metrics import ctrleval_tables

if TYPE_CHECKING:
    from tokenizers import AddedToken, Tokenizer

SIZE = 12288
PAD, EOS, MASK, MASK_2, UNK, BOS = range(6)
SPECIAL = ("<pad>", "</s>", "<mask_1>", "<mask_2>", "<unk>", "<s>")
SPACE = "\u2581"
ALPHABET = 160  # different characters; the rest of them is rare and becomes <unk>
FILE = "tokenizer.json"
# Endings as in "it's", words, digits, runs of punctuation: a piece is never more.
_UNITS = (
    r"'(?:s|t|re|ve|m|ll|d)(?!\p{L})"
    rf"|{SPACE}?\p{{L}}+|{SPACE}?\p{{N}}|{SPACE}?[^\p{{L}}\p{{N}}{SPACE}]+|{SPACE}"
)

# Attribute relevance asks for the probability of each of them: one step if one token.
LABEL_WORDS = tuple(
    dict.fromkeys(
        word for t in ctrleval_tables.TABLES.values() for row in t.words for word in row
    )
)
# So often they are shown in addition. More than the rarest piece that is kept.
FORCED = 2000


def train(texts: Iterable[str], size: int = SIZE) -> Tokenizer:
    """Learn the pieces.

    Raises:
        ValueError: If a word that must be one token is not: the text is too small.
    """
    from tokenizers import trainers

    tokenizer = untrained()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        limit_alphabet=ALPHABET,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_shown(texts), trainer)
    tokenizer.add_special_tokens(_special())
    split = [w for w in LABEL_WORDS if len(ids(tokenizer, w)) != 1]
    if split:
        raise ValueError(f"no tokens of their own have: {', '.join(split)}")
    return tokenizer


def untrained() -> Tokenizer:
    """The pipeline, without pieces."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers
    from tokenizers import pre_tokenizers as pre

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(left=False, right=True),
        ]
    )
    # "first": what follows a gap without a space has no mark of one, as in "<gap>."
    tokenizer.pre_tokenizer = pre.Sequence(
        [
            pre.Metaspace(replacement=SPACE, prepend_scheme="first"),
            pre.Split(Regex(_UNITS), "isolated"),
        ]
    )
    tokenizer.decoder = decoders.Metaspace(replacement=SPACE, prepend_scheme="first")
    ending(tokenizer, "$A </s>")
    return tokenizer


def ending(tokenizer: Tokenizer, template: str) -> None:
    """What is put around a text: "$A </s>" for PEGASUS."""
    from tokenizers import processors

    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=[("</s>", EOS), ("<s>", BOS)]
    )


def load(path: Path) -> Tokenizer:
    """The tokenizer of a pack or a model's folder."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


def ids(tokenizer: Tokenizer, text: str) -> list[int]:
    """Token ids, without those that are put around a text."""
    return tokenizer.encode(text, add_special_tokens=False).ids


def _special() -> list[AddedToken]:
    from tokenizers import AddedToken

    gaps = {"<mask_1>", "<mask_2>"}
    return [
        AddedToken(name, special=True, normalized=False, lstrip=name in gaps)
        for name in SPECIAL
    ]


def _shown(texts: Iterable[str]) -> Iterator[str]:
    yield from texts
    yield from [" ".join(LABEL_WORDS)] * FORCED
