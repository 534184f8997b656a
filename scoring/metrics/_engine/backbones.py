"""How each family of encoder-decoder models fills a gap in a text.

A pattern is a pair of texts, (source with a gap, text to fill it with). A backbone
knows its model's gap token and turns patterns into token ids and the slice to score.

A family may have two forms. `pairs` asks in the form in which the family was
pre-trained to fill gaps; `plain` gives the text itself as the target, as the released
code of CTRLEval does for PEGASUS, whatever the family. For PEGASUS the two are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from scoring.metrics._engine import models, sentencepieces
from scoring.metrics._engine.base import MetricError
from scoring.metrics._engine.likelihood import Ids, Pair

Pattern = tuple[str, str]


class Backbone:
    """One family of models. To add one: a subclass, and a line in FAMILIES."""

    mask: ClassVar[str]  # the gap, as written in a source
    two_forms: ClassVar[bool] = True

    def __init__(self, folder: Path) -> None:
        self._backend = self._opened(folder)
        # Published files may cut, PEGASUS's at 192 tokens.
        self._backend.no_truncation()
        self._backend.no_padding()
        self.vocabulary: int = self._backend.get_vocab_size()  # number of token ids
        self.gap: int = self._backend.token_to_id(self.mask)
        if self.gap is None:
            raise MetricError(
                f"the tokenizer in {folder} has no token {self.mask}, the gap of this "
                f"family of models: it belongs to another model"
            )
        added = self._backend.get_added_tokens_decoder()
        self.special = frozenset(id_ for id_, token in added.items() if token.special)

    def reason(self, *texts: str) -> str | None:
        """Why the texts cannot be put beside a gap, if so."""
        if any(self.mask in text for text in texts):
            return f"the text holds {self.mask}, which the model takes for a gap"
        return None

    def ids(self, texts: Iterable[str], *, end: bool) -> dict[str, Ids]:
        """Token ids of each distinct text; with `end` as its tokenizer closes it."""
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        found = self._backend.encode_batch_fast(distinct, add_special_tokens=end)
        return {text: tuple(one.ids) for text, one in zip(distinct, found, strict=True)}

    def places(self, texts: Sequence[str]) -> list[tuple[Ids, list[int]]]:
        """Token ids of each text, unclosed, and where in it each of them ends."""
        found = self._backend.encode_batch(list(texts), add_special_tokens=False)
        return [(tuple(one.ids), [end for _, end in one.offsets]) for one in found]

    def text(self, ids: Sequence[int]) -> str:
        """What the ids say; special tokens say nothing."""
        return self._backend.decode(list(ids), skip_special_tokens=True)

    def plain(self, patterns: Sequence[Pattern], *, end: bool) -> list[Pair]:
        """Score the tokens of the target; with `end` those that close it, too."""
        sources = self.ids((source for source, _ in patterns), end=True)
        targets = self.ids((target for _, target in patterns), end=end)
        return [Pair(sources[source], targets[target]) for source, target in patterns]

    def pairs(self, patterns: Sequence[Pattern], *, end: bool) -> list[Pair]:
        """The same in the family's own form. Every source holds one gap."""
        return self.plain(patterns, end=end)

    def _opened(self, folder: Path) -> Any:
        """The program behind the tokenizer."""
        backend = getattr(models.tokenizer(folder), "backend_tokenizer", None)
        if backend is None:
            raise MetricError(f"{folder} has no fast tokenizer, which is needed here")
        return backend


class Pegasus(Backbone):
    """PEGASUS (Zhang et al. 2020): the gap is <mask_1>, the target the text itself."""

    mask = "<mask_1>"  # not the tokenizer's mask_token, which is <mask_2>
    two_forms = False

    def _opened(self, folder: Path) -> Any:
        file = folder / "tokenizer.json"
        if not file.exists():
            raise MetricError(
                f"{folder} has no tokenizer.json, which PEGASUS needs here: make one"
                f" with `python -m scoring.metrics convert {folder} OUT`"
            )
        # PegasusTokenizer and AutoTokenizer of transformers 5 put a stray piece before
        # <mask_1> wherever a space precedes it. The file's own pipeline does not,
        # unless they have saved it.
        backend = models.backend(file)
        sentencepieces.check(folder, backend)
        return backend


class T5(Backbone):
    """T5 (Raffel et al. 2020): sentinels around what fills the gap.

    Its form: `... <extra_id_0> ...` to `<extra_id_0> Y <extra_id_1>`, of which the
    tokens of Y are scored. What follows Y cannot change their probabilities and is left
    out.
    """

    mask = "<extra_id_0>"

    def pairs(self, patterns: Sequence[Pattern], *, end: bool) -> list[Pair]:
        return [
            Pair(pair.source, (self.gap, *pair.target), first=1)
            for pair in self.plain(patterns, end=False)
        ]


class Bart(Backbone):
    """BART (Lewis et al. 2020): the decoder writes the whole text, gap filled.

    Its form: the decoder is led through the source up to the gap, and the tokens of
    " Y" (of "Y" where the gap comes first) are scored. What follows the gap cannot
    change their probabilities and is left out.
    """

    mask = "<mask>"

    def pairs(self, patterns: Sequence[Pattern], *, end: bool) -> list[Pair]:
        sources = self.ids((source for source, _ in patterns), end=True)
        places = [sources[source].index(self.gap) for source, _ in patterns]
        # The gap swallows the space before it, which therefore belongs to the filling.
        # In front of the first place stands the token that opens a text.
        texts = [
            target.strip() if place == 1 else f" {target.strip()}"
            for (_, target), place in zip(patterns, places, strict=True)
        ]
        targets = self.ids(texts, end=False)
        return [
            Pair(sources[source], sources[source][:place] + targets[text], first=place)
            for (source, _), place, text in zip(patterns, places, texts, strict=True)
        ]

    def _opened(self, folder: Path) -> Any:
        from tokenizers import AddedToken

        backend = super()._opened(folder)
        # Some saved copies have lost this: then the space would be a token of its own.
        if backend.token_to_id(self.mask) is not None:
            mask = AddedToken(self.mask, lstrip=True, normalized=False, special=True)
            backend.add_special_tokens([mask])
        return backend


FAMILIES: dict[str, type[Backbone]] = {"bart": Bart, "pegasus": Pegasus, "t5": T5}


def load(folder: Path) -> Backbone:
    """The backbone of the model in a folder.

    Raises:
        MetricError: If its family is not supported, or its tokenizer is not its own.
    """
    config = models.config(folder)
    if config.model_type not in FAMILIES:
        known = ", ".join(sorted(FAMILIES))
        raise MetricError(
            f"{folder} is a model of the family {config.model_type!r}, which cannot "
            f"fill gaps here; supported: {known}"
        )
    backbone = FAMILIES[config.model_type](folder)
    if backbone.vocabulary > config.vocab_size:
        raise MetricError(
            f"the tokenizer in {folder} has {backbone.vocabulary} tokens, but the "
            f"model knows {config.vocab_size}: the tokenizer belongs to another model"
        )
    return backbone
