"""How many calls were answered before, so that asking again costs nothing.

An answer is found by its key, which has the parameters as the server took them last.
Where the operator wants answers of other models apart, those of the last count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from django.db.models import Q

from annotation.models import Study
from scoring.endpoints import configuration
from scoring.judging import call_log
from scoring.metrics.judge import workload
from scoring.models import JudgeCall, JudgeIdentity

LOOKED_UP = 10_000  # answers; of more, those to some of the questions
AT_ONCE = 2000  # keys in a query
GOLDEN = (math.sqrt(5) - 1) / 2  # its multiples are spread evenly between whole numbers
Z = 2.0  # standard errors, for what a sample of the keys leaves open
Row = TypeVar("Row")


class CachedAnswers(NamedTuple):
    """Of the questions that were looked up: how many answers are there."""

    asked: int = 0  # questions
    calls: int = 0
    kept: int = 0  # calls
    bytes_in: int = 0  # of the calls that are kept
    tokens_out: int = 0

    def without(self, size: workload.Size, scale: float) -> workload.Size:
        """What is left of a size, of so many times the texts."""
        times = size.calls / self.calls if self.calls else 0.0
        return workload.Size(
            calls=_left(size.calls, self.kept * times, scale),
            bytes_in=_left(size.bytes_in, self.bytes_in * times, scale),
            most_tokens_out=_left(size.most_tokens_out, self.tokens_out * times, scale),
        )

    def unsure(self, size: workload.Size, scale: float) -> int:
        """Calls that may not be kept after all, where only a sample was looked up.

        By the lower limit of Wilson (1927) for the share that is kept,
        (p + z^2/2n - z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n).
        """
        if not self.kept or (self.calls == size.calls and scale == 1):
            return 0
        p, n = self.kept / self.calls, self.asked
        root = math.sqrt(p * (1 - p) / n + (Z / (2 * n)) ** 2)
        low = (p + Z**2 / (2 * n) - Z * root) / (1 + Z**2 / n)
        return math.ceil((p - max(0.0, low)) * size.calls * scale)


def of(
    endpoint: configuration.Endpoint,
    last: JudgeIdentity | None,
    sent: Sequence[workload.Sent],
    study: Study | None,
) -> CachedAnswers:
    """What is kept of the answers to some questions. At most five queries.

    Args:
        endpoint: Who would be asked.
        last: Who was the last to answer for the model, which it names.
        sent: As the server takes them.
        study: Which asks; without one, nothing is used again.
    """
    if last is None or not sent or study is None:
        return CachedAnswers()
    split = endpoint.changes == configuration.SPLIT
    calls = sum(len(call.samples) for call in sent)
    sampled = spread(sent, max(1, LOOKED_UP * len(sent) // calls))
    keys = [call.keys(endpoint.name, last.model_asked) for call in sampled]
    whose = call_log.open_to(study) & (_answered_by(last) if split else Q())
    cached_keys = _cached_keys([key for call_keys in keys for key in call_keys], whose)
    times = [sum(key in cached_keys for key in call_keys) for call_keys in keys]
    counted = list(zip(sampled, times, strict=True))
    return CachedAnswers(
        asked=len(sampled),
        calls=sum(map(len, keys)),
        kept=sum(times),
        bytes_in=sum(call.bytes_in * k for call, k in counted),
        tokens_out=sum(call.tokens_out * k for call, k in counted),
    )


def spread(rows: Sequence[Row], n: int) -> list[Row]:
    """At most n rows, one from each of n equal parts, at another place in each.

    Steps of one length would take texts of the same system again and again, where those
    of all systems follow each other.
    """
    n = min(len(rows), n)
    places = (k + k * GOLDEN % 1 for k in range(n))
    return [rows[int(place * len(rows) / n)] for place in places]


def _answered_by(who: JudgeIdentity) -> Q:
    """Calls have NULL where identities have nothing."""
    name, fingerprint = who.model_answered or None, who.fingerprint or None
    return Q(model_answered=name, fingerprint=fingerprint)


def _cached_keys(keys: Sequence[str], whose: Q) -> set[str]:
    """Those of the keys under which a valid answer is kept."""
    valid = JudgeCall.objects.filter(whose, status=200, problem="").order_by()
    parts = [keys[k : k + AT_ONCE] for k in range(0, len(keys), AT_ONCE)]
    return {
        key
        for batch in parts
        for key in valid.filter(key__in=batch).values_list("key", flat=True)
    }


def _left(all_: int, saved: float, scale: float) -> int:
    return max(0, math.ceil((all_ - saved) * scale))
