"""How much would be asked of a judge behind an address, before anything is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from scoring.metrics._engine.base import Example
from scoring.metrics._judge import asking, desk, finding, pairwise


class Size(NamedTuple):
    """Of calls that are not made yet."""

    calls: int
    bytes_in: int  # of all messages, in UTF-8
    most_tokens_out: int  # what the calls allow; answers are mostly shorter
    longest: desk.Most = desk.Most(0, 0)  # call of these


def of_texts(options: Any, examples: Sequence[Example]) -> Size:
    """What an LLM judge with these options would ask about some texts.

    Every text gets every question, `samples` times in the mode of that name. Blank
    texts are not asked about. Calls that fail and are made again do not count.
    """
    found = [one for example in examples for one in finding.asked(options, example)]
    sent = [len(one.request.message.encode()) for one in found]
    times = [len(one.samples) for one in found]
    tokens = [int(one.request.parameters["max_tokens"]) for one in found]
    most = [desk.most(one.request) for one in found]
    return Size(
        calls=sum(times),
        bytes_in=sum(n * k for n, k in zip(sent, times, strict=True)),
        most_tokens_out=sum(n * k for n, k in zip(tokens, times, strict=True)),
        longest=max(most, default=desk.Most(0, 0)),
    )


def of_pairs(pairs: Sequence[pairwise.Pair], mode: str, samples: int) -> Size:
    """What a judge would be asked about pairs of texts, in both orders.

    The two orders of a pair take the same bytes. Pairs that are not asked about, such
    as two equal texts, do not count.
    """
    times = pairwise.n_calls(mode, samples)
    asked = [pairwise.request(one, mode) for one in pairs if not pairwise.why_not(one)]
    return Size(
        calls=times * len(asked),
        bytes_in=times * sum(len(one.message.encode()) for one in asked),
        most_tokens_out=times * sum(one.parameters["max_tokens"] for one in asked),
    )


def of_probe() -> Size:
    """The test question that every run begins with."""
    asked = asking.PROBE
    sent = len(asked.message.encode())
    return Size(1, sent, int(asked.parameters["max_tokens"]), desk.most(asked))
