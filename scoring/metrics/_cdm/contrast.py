"""An expert and an amateur model, and what they give a text, token by token.

What a text is given: its source, as it is; else its prefix, behind which the rest is
scored; else nothing. A causal model reads the begin-of-text token, if it has one, then
source and line break, or the prefix, then the text; scored are the tokens that hold at
least one character behind what is given. An encoder-decoder model encodes the source;
a prefix it encodes with a gap behind it, and where nothing is given the bare gap, each
in the form in which its family was pre-trained (`_backbones`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from scoring.metrics._engine import backbones, likelihood
from scoring.metrics._engine import models as _models
from scoring.metrics._engine.backbones import Backbone
from scoring.metrics._engine.base import Example, MetricError, OptionError, option
from scoring.metrics._engine.batches import SLAB, Meter
from scoring.metrics._engine.likelihood import Pair, Text

CONTEXTS = ("auto", "none")

CONTEXT_HELP = (
    "what a text is scored given: automatic is its source, or its prefix where there is"
    " no source; none scores all of the text without context"
)


def expert_option(
    default: str = "openai-community/gpt2-large", *, network: bool = False
) -> Any:
    return _model_option(
        default,
        "the better of two models of one family",
        "Better model (expert)",
        network,
    )


def amateur_option(
    default: str = "openai-community/gpt2", *, network: bool = False
) -> Any:
    return _model_option(
        default,
        "the worse one, usually smaller, with the same tokenizer",
        "Worse model (amateur)",
        network,
    )


def context_option() -> Any:
    return option(
        "auto",
        CONTEXT_HELP,
        CONTEXTS,
        label="What each text is given",
        titles=("its source, or else its prefix", "nothing"),
    )


def _model_option(default: str, help: str, label: str, network: bool) -> Any:
    return option(
        default,
        help,
        typed=_models.CAUSAL_HELP,
        path="model",
        label=label,
        takes=("causal",),
        network=network,
    )


class Steps(NamedTuple):
    """Log-probabilities of a text's tokens in nats, float64, (tokens,) each."""

    expert: np.ndarray
    amateur: np.ndarray

    @property
    def momentum(self) -> np.ndarray:
        """m(s_t) = log p_e(s_t | s_<t) - log p_a(s_t | s_<t), (tokens,)."""
        return self.expert - self.amateur


class Given(NamedTuple):
    """A text to score and what it is given: a source, a prefix, or nothing."""

    text: str
    source: str = ""
    prefix: str = ""


class Asker(Protocol):
    """Turns texts into token ids for one kind of model."""

    def reason(self, given: Given) -> str | None: ...

    def __call__(self, given: Sequence[Given]) -> list[Any]: ...

    def ends(self, given: Sequence[Given]) -> list[list[int]]: ...


class Contrast:
    """Two loaded models of one family."""

    def __init__(
        self, asker: Asker, expert: Any, amateur: Any, *, context: str
    ) -> None:
        """`expert` and `amateur` are engines."""
        self.expert, self.amateur = expert, amateur
        self._asker, self._context = asker, context

    def __call__(
        self, examples: Sequence[Example], meter: Meter | None = None
    ) -> list[Steps | str]:
        """What the models give each text, or why there is nothing."""
        meter = meter or Meter(None)
        found: list[Steps | str] = []
        for start in range(0, len(examples), SLAB):
            found += self._slab(examples[start : start + SLAB], meter)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What readers of the numbers must know of models behind addresses."""
        engines = (self.expert, self.amateur)
        return tuple(note for one in engines for note in getattr(one, "notes", ()))

    def ends(
        self, examples: Sequence[Example], found: Sequence[Steps | str]
    ) -> list[np.ndarray | None]:
        """Where in the full text each scored token ends, in characters; None: unknown.

        Args:
            examples: The texts.
            found: What the models gave each of them.
        """
        known = [
            (k, given, len(example.text) - len(given.text))
            for k, (example, one) in enumerate(zip(examples, found, strict=True))
            if isinstance(one, Steps)
            and isinstance(given := given_to(example, self._context), Given)
        ]
        rows: list[np.ndarray | None] = [None] * len(examples)
        ends = self._asker.ends([given for _, given, _ in known])
        for (k, _, before), row in zip(known, ends, strict=True):
            steps = found[k]
            # Texts whose tokens do not fit have no words, rather than wrong ones.
            if isinstance(steps, Steps) and len(row) == len(steps.expert):
                rows[k] = np.array(row, float) + before
        return rows

    def _slab(self, examples: Sequence[Example], meter: Meter) -> list[Steps | str]:
        given = [self._given(example) for example in examples]
        texts = [one for one in given if isinstance(one, Given)]
        asked = dict(zip(texts, self._asker(texts), strict=True))
        fine = {one: ids for one, ids in asked.items() if self._reason(ids) is None}
        work = list(fine.values())
        meter.begin(
            texts=len(examples),
            work=self.expert.work(work) + self.amateur.work(work),
        )
        logs = [engine.logprobs(work, meter) for engine in (self.expert, self.amateur)]
        meter.end()
        # A model behind an address has reasons that are known only afterwards.
        steps = {
            one: Steps(*both)
            for one, *both in zip(fine, *logs, strict=True)
            if self._reason(asked[one]) is None
        }
        return [
            one if isinstance(one, str) else self._found(steps.get(one), asked[one])
            for one in given
        ]

    def _given(self, example: Example) -> Given | str:
        given = given_to(example, self._context)
        return given if isinstance(given, str) else self._asker.reason(given) or given

    def _found(self, steps: Steps | None, ids: Any) -> Steps | str:
        if steps is None:
            return self._reason(ids) or "undefined"
        if not np.isfinite(steps).all():
            return "the model gives no finite probability"
        return steps

    def _reason(self, ids: Any) -> str | None:
        return self.expert.reason(ids) or self.amateur.reason(ids)


def given_to(example: Example, context: str) -> Given | str:
    """What is scored of a text and what it is given, or why nothing is."""
    text, prefix = example.text, example.prefix
    if not text.strip():
        return "the text is empty"
    if context == "none" or not (example.source.strip() or prefix.strip()):
        return Given(text)
    if example.source.strip():
        return Given(text, source=example.source)
    if not text.startswith(prefix):
        return "the text does not start with its prefix"
    if not text[len(prefix) :].strip():
        return "nothing follows the prefix"
    return Given(text[len(prefix) :], prefix=prefix)


class CausalAsker:
    """Token ids for causal models."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        start = tokenizer.bos_token_id
        self._start = () if start is None else (start,)

    def reason(self, given: Given) -> None:
        """There is nothing that a causal model could not read."""

    def __call__(self, given: Sequence[Given]) -> list[Text]:
        return [self._text(*one) for one in self._encoded(given)]

    def ends(self, given: Sequence[Given]) -> list[list[int]]:
        """Of each scored token, in characters of the text."""
        rows = []
        for ids, offsets, head in self._encoded(given):
            first = self._text(ids, offsets, head).first - len(self._start)
            rows.append([max(0, end - head) for _, end in offsets[first:]])
        return rows

    def _encoded(
        self, given: Sequence[Given]
    ) -> list[tuple[list[int], list[Any], int]]:
        """Token ids, where they are, and how many characters are only given."""
        if not given:
            return []
        before = [one.source + "\n" if one.source else one.prefix for one in given]
        encoded = self._tokenizer(
            [head + one.text for head, one in zip(before, given, strict=True)],
            add_special_tokens=False,
            return_offsets_mapping=True,
            truncation=False,
            verbose=False,
        )
        found = zip(
            before, encoded["input_ids"], encoded["offset_mapping"], strict=True
        )
        return [(ids, offsets, len(head)) for head, ids, offsets in found]

    def _text(self, ids: list[int], offsets: list[Any], head: int) -> Text:
        first = sum(end <= head for _, end in offsets) if head else 0
        return Text((*self._start, *ids), max(1, first + len(self._start)))


class GapAsker:
    """Token ids for encoder-decoder models."""

    def __init__(self, backbone: Backbone) -> None:
        self._backbone = backbone

    def reason(self, given: Given) -> str | None:
        return self._backbone.reason(*given)

    def __call__(self, given: Sequence[Given]) -> list[Pair]:
        answers = [(one.source, one.text) for one in given if one.source]
        fillings = [self._pattern(one) for one in given if not one.source]
        plain = iter(self._backbone.plain(answers, end=True))
        filled = iter(self._backbone.pairs(fillings, end=True))
        return [next(plain if one.source else filled) for one in given]

    def ends(self, given: Sequence[Given]) -> list[list[int]]:
        """Of each scored token, in characters of the text; marks end where it does."""
        places = self._backbone.places([one.text for one in given])
        rows = []
        for one, pair, (ids, ends) in zip(given, self(given), places, strict=True):
            scored = pair.target[pair.first :]
            fits = tuple(scored[: len(ids)]) == ids
            marks = [len(one.text)] * (len(scored) - len(ids))
            rows.append([*ends, *marks] if fits else [])
        return rows

    def _pattern(self, given: Given) -> tuple[str, str]:
        before = f"{given.prefix} " if given.prefix else ""
        return before + self._backbone.mask, given.text


def check_named(expert: str, amateur: str) -> None:
    """Raise OptionError if one of the two is not given."""
    if not expert or not amateur:
        raise OptionError("expert and amateur: choose both models")


def load(
    expert: str, amateur: str, *, context: str, dtype: str, device: str
) -> Contrast:
    """Load two models of one family.

    Raises:
        MetricError: If one is missing, they are the same, one is causal and the other
            is not, or their tokenizers differ.
    """
    folders = [_models.find(name) for name in (expert, amateur)]
    if len({_models.content_hash(folder) for folder in folders}) == 1:
        raise MetricError(
            "expert and amateur are the same model: choose two different ones"
        )
    kinds = [_models.config(folder).is_encoder_decoder for folder in folders]
    if kinds[0] != kinds[1]:
        names = ["an encoder-decoder" if kind else "a causal" for kind in kinds]
        raise MetricError(
            f"expert and amateur must be from one family: the expert is {names[0]} "
            f"model, the amateur {names[1]} one"
        )
    check_tokenizers(*folders)
    engines = [engine_of(folder, dtype=dtype, device=device) for folder in folders]
    return Contrast(asker_of(folders[0]), engines[0], engines[1], context=context)


def asker_of(folder: Path) -> Asker:
    """What turns texts into token ids for that model."""
    if _models.config(folder).is_encoder_decoder:
        return GapAsker(backbones.load(folder))
    return CausalAsker(_models.tokenizer(folder))


def engine_of(folder: Path, *, dtype: str, device: str) -> Any:
    """The loaded model."""
    if _models.config(folder).is_encoder_decoder:
        return likelihood.seq2seq(_models.seq2seq(folder, device=device, dtype=dtype))
    return likelihood.causal(_models.causal(folder, device=device, dtype=dtype))


def contents(expert: str, amateur: str) -> dict[str, str]:
    """What the two are, for signatures."""
    return {
        "expert": _models.content_hash(_models.find(expert)),
        "amateur": _models.content_hash(_models.find(amateur)),
    }


def check_tokenizers(expert: Path, amateur: Path) -> None:
    """Compare what two tokenizers do, whatever they are called.

    Raises:
        MetricError: If a text may get other token ids from one than from the other.
    """
    folders = (expert, amateur)
    from_file = all((folder / "tokenizer.json").is_file() for folder in folders)
    found = [_written(folder, from_file=from_file) for folder in folders]
    sizes = [backend.get_vocab_size() for backend in found]
    if _contents(found[0]) != _contents(found[1]):
        counted = " and ".join(map(str, dict.fromkeys(sizes)))
        raise MetricError(
            "expert and amateur must be from one family: their tokenizers differ "
            f"({counted} tokens{', but not the same ones' * (sizes[0] == sizes[1])})"
        )
    for folder in folders:
        known = getattr(_models.config(folder), "vocab_size", sizes[0])
        if known < sizes[0]:
            raise MetricError(
                f"the tokenizer in {folder} has {sizes[0]} tokens, but the model knows "
                f"{known}: the tokenizer belongs to another model"
            )


def _written(folder: Path, *, from_file: bool) -> Any:
    """The program behind a tokenizer, which can write itself down."""
    if from_file:
        return _models.backend(folder / "tokenizer.json")
    backend = getattr(_models.tokenizer(folder), "backend_tokenizer", None)
    if backend is None:
        raise MetricError(f"{folder} has no fast tokenizer, which is needed here")
    return backend


def _contents(backend: Any) -> str:
    """What decides on token ids. Padding, limits, offsets and names do not."""
    written = json.loads(backend.to_str())
    parts = [written[part] for part in ("model", "normalizer", "pre_tokenizer")]
    added = [(token["id"], token["content"]) for token in written["added_tokens"]]
    found = json.dumps([*parts, added], sort_keys=True)
    return found.replace('"trim_offsets": true', '"trim_offsets": false')
