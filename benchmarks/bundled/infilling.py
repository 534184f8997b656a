"""Fill gaps: what the encoder-decoders learn (PEGASUS architecture).

A third of the batches have a gap of whole sentences, anywhere in the window, somewhat
fewer one after a beginning. The others have shorter gaps: the beginning itself, some
words, and one word in a short sentence that is put before or after the text. That word
is drawn from a part of the document that is not shown: no label is ever used.

Every source has one gap, and the target is what belongs into it. For a gap of one word
many words of the hidden part are asked for at once: one alone says so little that a
short training never learns to look at the text for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.bundled import vocabulary
from benchmarks.bundled.pack import Pack, Window
from benchmarks.bundled.vocabulary import EOS, MASK, PAD
from benchmarks.bundled.windows import Arrays, padded, wanted
from scoring.metrics import ctrleval_tables

if TYPE_CHECKING:
    from torch import Tensor

# Forms of examples by groups, with their shares. A batch is of one group: targets of
# about one length need little padding.
FORMS = (
    {"sentences": 0.30, "backward": 0.06},
    # Most of what it reads is to be predicted: so the language is learned soonest.
    {"forward": 0.30},
    {"words": 0.06, "opinion": 0.12, "topic": 0.16},
)
BEGINNING = 16  # words of a beginning, at most
CONTINUATION = 192  # tokens
TOPIC_WORDS = 32  # asked for at once
# Frequent tokens are seldom gaps of their own, as in word2vec's subsampling.
FREQUENT = 3e-5
# "It was dull." The word between is what a text says about its object.
BEFORE = "is was are were be been seems seemed looks felt so very really just too quite"
AFTER = ".,!?;"

# How much of the states that a decoder attends to begins as what they predict.
LOOKS = 3.0

HOLE = np.array([MASK])

Ids = np.ndarray


class Example(NamedTuple):
    """A source with a gap, and what belongs into it."""

    source: list[Ids]  # parts
    target: Ids
    others: Ids = np.empty(0, dtype=np.int64)  # first tokens that would do as well


class Pieces:
    """What the examples need to know of each token, (vocabulary,) each."""

    def __init__(self, tokenizer: Any, counts: np.ndarray) -> None:
        names = [tokenizer.id_to_token(k) for k in range(len(counts))]
        bare = [name.lstrip(vocabulary.SPACE) for name in names]
        begins = [name.startswith(vocabulary.SPACE) for name in names]
        self.begins = np.array(begins)  # a word
        marks = [not any(map(str.isalnum, one)) for one in bare]
        self.bounds = self.begins | np.array(marks)
        self.words = self.begins & [w.isalpha() and len(w) > 2 for w in bare]
        self.before = self.begins & [w in BEFORE.split() for w in bare]
        self.after = np.array([name[0] in AFTER for name in names])
        share = np.maximum(counts, 1) / max(1, counts.sum())
        self.weights = np.minimum(1.0, np.sqrt(FREQUENT / share))


class Carriers:
    """Prompts as token ids: those after a text, and those before it."""

    def __init__(self, tokenizer: Any, table: ctrleval_tables.Table) -> None:
        self.after: list[Ids] = []
        self.before: list[Ids] = []
        for prompt in table.prompts:
            own = (
                prompt.replace(ctrleval_tables.MASK, "<mask_1>")
                .replace(ctrleval_tables.TEXT, "")
                .strip()
            )
            ids = np.array(vocabulary.ids(tokenizer, own))
            (
                self.after if prompt.startswith(ctrleval_tables.TEXT) else self.before
            ).append(ids)

    def around(self, text: Ids, rng: np.random.Generator) -> list[Ids]:
        if rng.random() < 0.5:
            return [text, self.after[rng.integers(len(self.after))]]
        return [self.before[rng.integers(len(self.before))], text]


class Infilling:
    """Makes sources with a gap and targets, and computes the loss of the targets."""

    # Short windows have more to predict for what is read.
    limits: tuple[int, ...] = (64, 96, 128, 256)

    def __init__(self, pack: Pack) -> None:
        tokenizer = vocabulary.load(pack.folder / vocabulary.FILE)
        self.vocabulary = pack.vocabulary
        self.pieces = Pieces(tokenizer, pack.counts)
        self.opinions = Carriers(tokenizer, ctrleval_tables.SENTIMENT)
        self.topics = Carriers(tokenizer, ctrleval_tables.TOPIC)
        self._groups = np.cumsum([sum(group.values()) for group in FORMS])

    def arrays(self, windows: Sequence[Window], rng: np.random.Generator) -> Arrays:
        return _rectangles(self._examples(windows, rng))

    def parts(
        self, windows: Sequence[Window], rng: np.random.Generator, n: int
    ) -> list[Arrays]:
        """By the length of the source: a long target leaves a short one."""
        examples = self._examples(windows, rng)
        lengths = [sum(map(len, one.source)) for one in examples]
        order = np.argsort(lengths, kind="stable")
        own = np.array_split(order, min(n, len(order)))
        return [_rectangles([examples[k] for k in part]) for part in own]

    def _examples(
        self, windows: Sequence[Window], rng: np.random.Generator
    ) -> list[Example]:
        group = FORMS[_drawn(self._groups, rng)]
        forms, shares = list(map(self._form, group)), np.cumsum(list(group.values()))
        examples = []
        for window in windows:
            form = forms[_drawn(shares, rng)]
            examples.append(form(window, rng) or self.words(window, rng))
        return examples

    def _form(self, name: str) -> Callable[..., Example | None]:
        return getattr(self, name)

    def sentences(self, window: Window, rng: np.random.Generator) -> Example | None:
        """One sentence, at times up to three; the first and the last as any other."""
        ids, bounds = window.ids, window.bounds
        n = len(bounds) - 1
        if n < 2:
            return None
        size = 1 if rng.random() < 0.75 else int(rng.integers(1, min(3, n - 1) + 1))
        first = int(rng.integers(0, n - size + 1))
        start, end = bounds[first], bounds[first + size]
        return Example([ids[:start], HOLE, ids[end:]], _ended(ids[start:end]))

    def forward(self, window: Window, rng: np.random.Generator) -> Example | None:
        """What follows the first words."""
        if not (at := self._beginning(window, rng)):
            return None
        fits = window.bounds[window.bounds <= at + CONTINUATION]
        end = fits[-1] if fits[-1] > at else at + CONTINUATION
        return Example([window.ids[:at], HOLE], _ended(window.ids[at:end]))

    def backward(self, window: Window, rng: np.random.Generator) -> Example | None:
        """The first words."""
        if not (at := self._beginning(window, rng)):
            return None
        return Example([HOLE, window.ids[at:]], _ended(window.ids[:at]))

    def words(self, window: Window, rng: np.random.Generator) -> Example:
        """A word that says something, and at times some that follow it."""
        ids = window.ids
        found = self._said(ids)
        if len(found) and rng.random() < 0.3:
            start = int(found[rng.integers(len(found))])
        else:
            weights = self.pieces.weights[ids] * self.pieces.begins[ids]
            start = _drawn(np.cumsum(weights), rng)
        ends = start + 1 + np.flatnonzero(self.pieces.bounds[ids[start + 1 :]])
        n = 1 if rng.random() < 0.6 else int(rng.integers(2, 6))
        end = int(ends[min(n, len(ends)) - 1]) if len(ends) else len(ids)
        return Example([ids[:start], HOLE, ids[end:]], _ended(ids[start:end]))

    def opinion(self, window: Window, rng: np.random.Generator) -> Example | None:
        """Words that the hidden part says of something: "was dull."."""
        shown, hidden = self._parted(window, rng)
        found = self._said(hidden)
        if not (len(shown) and len(found)):
            return None
        words = rng.permutation(hidden[found])
        return Example(self.opinions.around(shown, rng), _ended(words[:1]), words[1:])

    def topic(self, window: Window, rng: np.random.Generator) -> Example | None:
        """Words of the hidden part, the rarer the likelier."""
        shown, hidden = self._parted(window, rng)
        # Squared: about as often as the word is rare, down to FREQUENT.
        weights = self.pieces.weights[hidden] ** 2 * self._whole(hidden)
        if not (len(shown) and weights.any()):
            return None
        words = hidden[_drawn_many(np.cumsum(weights), TOPIC_WORDS, rng)]
        return Example(self.topics.around(shown, rng), _ended(words[:1]), words[1:])

    def _beginning(self, window: Window, rng: np.random.Generator) -> int:
        begins = np.flatnonzero(self.pieces.begins[window.ids])
        begins = begins[begins > 0][:BEGINNING]
        return int(begins[rng.integers(len(begins))]) if len(begins) else 0

    def _parted(self, window: Window, rng: np.random.Generator) -> tuple[Ids, Ids]:
        """A window in two: what is shown and what is hidden."""
        n = len(window.bounds) - 1
        at = window.bounds[rng.integers(1, n)] if n > 1 else len(window.ids)
        front, back = window.ids[:at], window.ids[at:]
        return (back, front) if n > 1 and rng.random() < 0.5 else (front, back)

    def _whole(self, ids: Ids) -> np.ndarray:
        """Where a token is a whole word."""
        ends = np.append(self.pieces.bounds[ids[1:]], True)[: len(ids)]
        return self.pieces.words[ids] & ends

    def _said(self, ids: Ids) -> np.ndarray:
        """Places of words between BEFORE and AFTER."""
        before, after = self.pieces.before[ids[:-2]], self.pieces.after[ids[2:]]
        return 1 + np.flatnonzero(before & self.pieces.words[ids[1:-1]] & after)

    def network(self, sizes: Mapping[str, Any]) -> Any:
        from transformers import PegasusConfig, PegasusForConditionalGeneration

        config = PegasusConfig(
            vocab_size=self.vocabulary,
            max_position_embeddings=512,
            pad_token_id=PAD,
            eos_token_id=EOS,
            decoder_start_token_id=PAD,
            forced_eos_token_id=None,
            scale_embedding=True,
            **sizes,
        )
        network = PegasusForConditionalGeneration(config)
        for layer in network.model.decoder.layers:
            _look(layer.encoder_attn)
        return network

    def last_norm(self, network: Any) -> Any:
        return network.model.decoder.layer_norm

    def trunk(self, network: Any) -> Any:
        return network.model

    def shipped(self, network: Any) -> Any:
        return network

    def loss(self, network: Any, batch: Mapping[str, Tensor]) -> tuple[Any, int]:
        from torch.nn.functional import cross_entropy

        states = network.model(
            input_ids=batch["source"],
            attention_mask=batch["source"] != PAD,
            decoder_input_ids=batch["decoder"],
            use_cache=False,
        ).last_hidden_state
        logits = network.lm_head(states.flatten(0, 1)[batch["places"]])
        return cross_entropy(logits.float(), batch["labels"]), len(batch["labels"])


def _rectangles(examples: Sequence[Example]) -> Arrays:
    sources = [np.concatenate([*one.source, [EOS]]) for one in examples]
    inputs = [np.append(PAD, one.target[:-1]) for one in examples]
    return {
        "source": padded(sources, PAD),
        "decoder": padded(inputs, PAD),
        **wanted([e.target for e in examples], [e.others for e in examples]),
    }


def _look(attention: Any) -> None:
    """Pass on a part of the states attended to as they are.

    Through the embeddings that input and output share, this makes words likely that
    stand near those that were read. From noise, a decoder learns for hours from its
    own words alone.
    """
    import torch

    with torch.no_grad():
        for part in (attention.v_proj, attention.out_proj):
            part.weight += LOOKS**0.5 * torch.eye(len(part.weight))


def _drawn(cumulated: np.ndarray, rng: np.random.Generator) -> int:
    """A place, as likely as its weight is large."""
    return int(_drawn_many(cumulated, 1, rng)[0])


def _drawn_many(cumulated: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Places, any of them more than once."""
    places = np.searchsorted(cumulated, rng.random(n) * cumulated[-1], side="right")
    return np.minimum(places, len(cumulated) - 1)


def _ended(ids: Ids) -> Ids:
    return np.append(ids, EOS)
