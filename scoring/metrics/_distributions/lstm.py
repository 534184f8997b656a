"""A small LSTM language model of texts: the other estimator of appendix D.

Pimentel et al. (2022) estimate strings by n-gram models and by LSTMs. A word x_t of a
text has, after an embedding E and an LSTM with states h,

    p(x_t | x_<t) = (1 - e) softmax(E' W h_{t-1})_{x_t} + e / (size - 1),

over the vocabulary of both sides: its words, the end of a text, and one word that
nobody knows; the start of a text is only ever a context. The share e of the uniform
distribution is for words that were never seen: as large as the share of words that were
seen once (Good and Turing).

It begins with the frequencies of the words and is learned by Adam with dropout. A tenth
of the texts decides when to stop: the weights with the lowest loss on them are kept.
Same interface as `ngrams`, on the same rows. The same seed gives the same model on the
same machine.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scoring.metrics._distributions.ngrams import START, starts
from scoring.metrics._engine.base import Progress, silent

if TYPE_CHECKING:
    import torch

WIDTH, HIDDEN = 64, 128
DROPOUT, RATE = 0.5, 0.003
UNSEEN = 0.1  # how often a word counts as seen that was not
BATCH = 16  # texts
MOST_EPOCHS, PATIENCE = 40, 3
HELD_OUT = 0.1  # of the texts
FEWEST = 10  # texts, below which none is held out
BLIND_EPOCHS = 10  # then
SHARES = (1e-3, 0.5)  # e, at least and at most
LONGEST = 512  # words that gradients pass through; texts are scored whole


class Model(NamedTuple):
    """A distribution over texts."""

    size: int  # of the vocabulary
    network: Any

    def __call__(self, rows: Sequence[np.ndarray]) -> np.ndarray:
        """Log-probability of each text with its end, nats, (texts,) float64."""
        if not rows:
            return np.zeros(0)
        return np.asarray(np.add.reduceat(self.words(rows), starts(rows)))

    def words(self, rows: Sequence[np.ndarray]) -> np.ndarray:
        """Log-probability of each word, and of each end, of all texts in a row, nats.

        `ngrams.starts` gives where each text begins.
        """
        import torch

        found = [np.zeros(0)] * len(rows)
        order = sorted(range(len(rows)), key=lambda k: len(rows[k]))
        with torch.inference_mode():
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                logs, _ = _logs(self.network, [rows[k] for k in batch])
                for k, row in zip(batch, logs.cpu().double().numpy(), strict=True):
                    found[k] = row[: len(rows[k]) - 1]
        return np.concatenate([np.zeros(0), *found])


def learn(
    rows: Sequence[np.ndarray],
    size: int,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> Model:
    """Learn a model of texts.

    Args:
        rows: As `ngrams.Vocabulary` gives them.
        size: Of the vocabulary.
        seed: Of weights, dropout, order, and which texts are held out.
        progress: Gets a sign of life after each epoch.

    Raises:
        ValueError: If there is no text.
    """
    import torch

    if not rows:
        raise ValueError("there is no text to learn from")
    rng = np.random.default_rng(seed)
    shuffled = [rows[k] for k in rng.permutation(len(rows))]
    n_held = int(len(rows) * HELD_OUT) if len(rows) >= FEWEST else 0
    held, kept = shuffled[:n_held], shuffled[n_held:]
    # Its own chance: the caller's torch stays as it was.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _network(size)
        _begin_with_frequencies(network, kept)
        _fit(network, kept, held, rng, progress)
    return Model(size, network.eval())


def _begin_with_frequencies(network: Any, rows: Sequence[np.ndarray]) -> None:
    """Few texts teach the frequencies of thousands of words slowly: they are given."""
    import torch

    words = np.concatenate([row[1:] for row in rows])
    seen = np.bincount(words, minlength=len(network.bias))
    network.uniform = float(np.clip((seen == 1).sum() / len(words), *SHARES))
    counts = seen + UNSEEN
    with torch.no_grad():
        network.bias.copy_(torch.from_numpy(np.log(counts / counts.sum())))


def _fit(
    network: Any,
    kept: Sequence[np.ndarray],
    held: Sequence[np.ndarray],
    rng: np.random.Generator,
    progress: Progress,
) -> None:
    """Until the held-out loss has not fallen for some epochs."""
    import torch

    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    best, state, waited = np.inf, None, 0
    for _ in range(MOST_EPOCHS if held else BLIND_EPOCHS):
        network.train()
        for batch in _batches(kept, rng):
            optimizer.zero_grad()
            _loss(network, batch).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
        progress(0)
        if not held:
            continue
        network.eval()
        with torch.no_grad():
            loss = float(_loss(network, held))
        if loss < best:
            best, state, waited = loss, copy.deepcopy(network.state_dict()), 0
        elif (waited := waited + 1) >= PATIENCE:
            break
    if state is not None:
        network.load_state_dict(state)


def _batches(
    rows: Sequence[np.ndarray], rng: np.random.Generator
) -> Iterator[list[np.ndarray]]:
    """Texts of about equal length together, in random order."""
    noise = rng.random(len(rows))
    order = sorted(range(len(rows)), key=lambda k: (len(rows[k]) // 8, noise[k]))
    starts = np.arange(0, len(order), BATCH)
    for start in rng.permutation(starts).tolist():
        yield [rows[k][:LONGEST] for k in order[start : start + BATCH]]


def _loss(network: Any, rows: Sequence[np.ndarray]) -> torch.Tensor:
    """Mean over all words, nats."""
    logs, real = _logs(network, rows)
    return -(logs * real).sum() / real.sum()


def _logs(
    network: Any, rows: Sequence[np.ndarray]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log p of each word but the first, and which places are words: (texts, words)."""
    import torch

    longest = max(len(row) for row in rows)
    ids = np.zeros((len(rows), longest), np.int64)
    real = np.zeros((len(rows), longest), np.float32)
    for k, row in enumerate(rows):
        ids[k, : len(row)], real[k, : len(row)] = row, 1
    tokens = torch.from_numpy(ids)
    found = network(tokens[:, :-1], tokens[:, 1:])
    return found, torch.from_numpy(real[:, 1:])


def _network(size: int) -> Any:
    """Words and those that follow them in, log p of these out: (texts, words)."""
    import torch
    from torch import nn

    never = torch.zeros(size, dtype=torch.bool)
    never[START] = True

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.uniform = SHARES[0]
            self.words = nn.Embedding(size, WIDTH)
            self.lstm = nn.LSTM(WIDTH, HIDDEN, batch_first=True)
            self.back = nn.Linear(HIDDEN, WIDTH)
            self.bias = nn.Parameter(torch.zeros(size))
            self.dropout = nn.Dropout(DROPOUT)
            nn.init.normal_(self.words.weight, std=0.1)

        def forward(self, ids: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
            states, _ = self.lstm(self.dropout(self.words(ids)))
            vectors = self.back(self.dropout(states))
            bias = self.bias.masked_fill(never, -torch.inf)
            z = nn.functional.linear(vectors, self.words.weight, bias)
            # Of the next words alone: all others would take most of the time.
            lost = nn.functional.cross_entropy(
                z.flatten(0, 1), following.flatten(), reduction="none"
            )
            logs = np.log1p(-self.uniform) - lost.view_as(following)
            uniform = torch.tensor(np.log(self.uniform / (size - 1)), dtype=logs.dtype)
            return torch.logaddexp(logs, uniform)

    return Network()
