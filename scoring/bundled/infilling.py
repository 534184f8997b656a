"""Fill gaps: what the encoder-decoders learn (PEGASUS architecture).

A third of the batches have a gap of whole sentences, anywhere in the window, another
third one after a beginning. The others have shorter gaps: the beginning itself, some
words, and one word in a short sentence that is put before or after the text. That word
is drawn from a part of the document that is not shown: no label is ever used.

Every source has one gap, and the target is what belongs into it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scoring.bundled import vocabulary
from scoring.bundled.pack import Pack, Window
from scoring.bundled.vocabulary import EOS, MASK, PAD
from scoring.bundled.windows import Arrays, padded, wanted
from scoring.metrics._ctrleval_tables import MASK as GAP
from scoring.metrics._ctrleval_tables import SENTIMENT, TEXT, TOPIC, Table

# Forms of examples by groups, with their shares. A batch is of one group: targets of
# about one length need little padding.
FORMS = (
    {"sentences": 0.34, "backward": 0.06},
    # Most of what it reads is to be predicted: so the language is learned soonest.
    {"forward": 0.36},
    {"words": 0.08, "opinion": 0.08, "topic": 0.08},
)
BEGINNING = 16  # words of a beginning, at most
CONTINUATION = 192  # tokens
# Frequent tokens are seldom gaps of their own, as in word2vec's subsampling.
FREQUENT = 3e-5
# "It was dull." The word between is what a text says about its object.
BEFORE = "is was are were be been seems seemed looks felt so very really just too quite"
AFTER = ".,!?;"

HOLE = np.array([MASK])

Ids = np.ndarray
Example = tuple[list[Ids], Ids]  # parts of the source, target


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

    def __init__(self, tokenizer: Any, table: Table) -> None:
        self.after: list[Ids] = []
        self.before: list[Ids] = []
        for prompt in table.prompts:
            own = prompt.replace(GAP, "<mask_1>").replace(TEXT, "").strip()
            ids = np.array(vocabulary.ids(tokenizer, own))
            (self.after if prompt.startswith(TEXT) else self.before).append(ids)

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
        self.opinions = Carriers(tokenizer, SENTIMENT)
        self.topics = Carriers(tokenizer, TOPIC)
        self._groups = np.cumsum([sum(group.values()) for group in FORMS])

    def arrays(self, windows: Sequence[Window], rng: np.random.Generator) -> Arrays:
        group = FORMS[_drawn(self._groups, rng)]
        forms, shares = list(map(self._form, group)), np.cumsum(list(group.values()))
        sources, targets = [], []
        for window in windows:
            form = forms[_drawn(shares, rng)]
            parts, target = form(window, rng) or self.words(window, rng)
            sources.append(np.concatenate([*parts, [EOS]]))
            targets.append(target)
        inputs = [np.append(PAD, target[:-1]) for target in targets]
        return {
            "source": padded(sources, PAD),
            "decoder": padded(inputs, PAD),
            **wanted(targets),
        }

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
        return [ids[:start], HOLE, ids[end:]], _ended(ids[start:end])

    def forward(self, window: Window, rng: np.random.Generator) -> Example | None:
        """What follows the first words."""
        if not (at := self._beginning(window, rng)):
            return None
        fits = window.bounds[window.bounds <= at + CONTINUATION]
        end = fits[-1] if fits[-1] > at else at + CONTINUATION
        return [window.ids[:at], HOLE], _ended(window.ids[at:end])

    def backward(self, window: Window, rng: np.random.Generator) -> Example | None:
        """The first words."""
        if not (at := self._beginning(window, rng)):
            return None
        return [HOLE, window.ids[at:]], _ended(window.ids[:at])

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
        return [ids[:start], HOLE, ids[end:]], _ended(ids[start:end])

    def opinion(self, window: Window, rng: np.random.Generator) -> Example | None:
        """A word that the hidden part says of something: "was dull."."""
        shown, hidden = self._parted(window, rng)
        found = self._said(hidden)
        if not (len(shown) and len(found)):
            return None
        word = hidden[found[rng.integers(len(found))]]
        return self.opinions.around(shown, rng), _ended(word[None])

    def topic(self, window: Window, rng: np.random.Generator) -> Example | None:
        """A word of the hidden part, the rarer the likelier."""
        shown, hidden = self._parted(window, rng)
        # Squared: about as often as the word is rare, down to FREQUENT.
        weights = self.pieces.weights[hidden] ** 2 * self._whole(hidden)
        if not (len(shown) and weights.any()):
            return None
        word = hidden[_drawn(np.cumsum(weights), rng)]
        return self.topics.around(shown, rng), _ended(word[None])

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

    def network(self, sizes: dict[str, Any]) -> Any:
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
        return PegasusForConditionalGeneration(config)

    def trunk(self, network: Any) -> Any:
        return network.model

    def shipped(self, network: Any) -> Any:
        return network

    def loss(self, network: Any, batch: dict[str, Any]) -> tuple[Any, int]:
        from torch.nn.functional import cross_entropy

        states = network.model(
            input_ids=batch["source"],
            attention_mask=batch["source"] != PAD,
            decoder_input_ids=batch["decoder"],
            use_cache=False,
        ).last_hidden_state
        logits = network.lm_head(states.flatten(0, 1)[batch["places"]])
        return cross_entropy(logits.float(), batch["labels"]), len(batch["labels"])


def _drawn(cumulated: np.ndarray, rng: np.random.Generator) -> int:
    """A place, as likely as its weight is large."""
    place = np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")
    return min(int(place), len(cumulated) - 1)


def _ended(ids: Ids) -> Ids:
    return np.append(ids, EOS)
