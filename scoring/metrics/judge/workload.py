"""How much would be asked of a judge behind an address, before anything is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scoring.endpoints import admission, call_records, requests, text_requests
from scoring.endpoints.capabilities import Capabilities
from scoring.endpoints.requests import Request
from scoring.endpoints.text_requests import ScoredText
from scoring.metrics._engine.base import Example
from scoring.metrics.judge import network_metric, pairwise, stored_answers


class Sent(NamedTuple):
    """A question as it would be sent, with the numbers of the answers wanted."""

    request: Request
    samples: range = range(1, 2)

    @property
    def bytes_in(self) -> int:
        """Of the message, in UTF-8, each time."""
        return len(self.request.message.encode())

    @property
    def tokens_out(self) -> int:
        """At most, each time."""
        return self.request.most_tokens

    def keys(self, endpoint: str, model: str) -> list[str]:
        """Under which answers would be kept."""
        asked = self.request.prompt_hash, self.request.written
        return [call_records.key(endpoint, model, *asked, n) for n in self.samples]


class Size(NamedTuple):
    """Of calls that are not made yet."""

    calls: int
    bytes_in: int  # of all messages, in UTF-8
    most_tokens_out: int  # what the calls allow; answers are mostly shorter
    longest: admission.TokenBound = admission.TokenBound(0, 0)  # call of these
    sent: tuple[Sent, ...] = ()  # the calls
    fresh: bool = False  # whether answers that are kept do not count

    def fitted(self, capabilities: Capabilities) -> Size:
        """Of the same calls as a server takes them; unchanged if it names none."""
        if not self.sent:
            return self
        fit = capabilities.fitted
        calls = [one._replace(request=fit(one.request)) for one in self.sent]
        return of(calls)._replace(fresh=self.fresh)


def of(sent: Sequence[Sent]) -> Size:
    """What these would take if none fails."""
    times = [len(one.samples) for one in sent]
    return Size(
        calls=sum(times),
        bytes_in=sum(one.bytes_in * k for one, k in zip(sent, times, strict=True)),
        most_tokens_out=sum(
            one.tokens_out * k for one, k in zip(sent, times, strict=True)
        ),
        longest=max(
            (admission.token_bound(one.request) for one in sent),
            default=admission.TokenBound(0, 0),
        ),
        sent=tuple(sent),
    )


def of_texts(options: Any, examples: Sequence[Example], again: int = 0) -> Size:
    """What an LLM judge with these options would ask about some texts.

    Every text gets every question, `samples` times in the mode of that name; `again`
    is how often they were asked before, as of a scorer. Blank texts are not asked
    about. Calls that fail and are made again do not count.
    """
    found = [
        one for example in examples for one in stored_answers.asked(options, example)
    ]
    return of([Sent(one.request, _later(one.samples, again)) for one in found])


def of_pairs(pairs: Sequence[pairwise.Pair], mode: str, samples: int) -> Size:
    """What a judge would be asked about pairs of texts, in both orders.

    Pairs that are not asked about, such as two equal texts, do not count.
    """
    each = pairwise.n_calls(mode, samples) // len(pairwise.ORDERS)
    shown = [
        order
        for one in pairs
        if not pairwise.why_not(one)
        for order in (one, one.turned())
    ]
    numbers = range(1, each + 1)
    return of([Sent(pairwise.request(one, mode), numbers) for one in shown])


def of_requests(asked: Sequence[Request]) -> Size:
    """What these would take, each sent once."""
    return of([Sent(one) for one in asked])


def of_probe() -> Size:
    """The test question that every run begins with: its answer is never kept."""
    return of_requests([requests.PROBE])._replace(fresh=True)


def of_metric(metric: Any, examples: Sequence[Example]) -> dict[str, Size]:
    """What a metric would ask about some texts, by endpoint:NAME/MODEL.

    Of log-probabilities, each text is asked for once, however often it stands there.
    """
    models = network_metric.models(metric.options)
    if not isinstance(metric, network_metric.OverNetwork):
        return {model: of_texts(metric.options, examples) for model in models}
    given = text_requests.distinct(
        one for text in examples for one in metric.given(text)
    )
    return dict.fromkeys(models, _of_given(given))


def of_first(metric: Any) -> dict[str, Size]:
    """What it would ask before any text, tests aside. Raises as `given_first` does."""
    if not isinstance(metric, network_metric.OverNetwork):
        return {}
    size = _of_given(metric.given_first())
    return dict.fromkeys(network_metric.models(metric.options), size)


def of_tests(metric: Any) -> Size:
    """The most that each of its models is asked to know who answers, and what it can.

    That a server gives log-probabilities of texts is tried twice: where somebody waits
    for the run to start, and where it is done.
    """
    if not isinstance(metric, network_metric.OverNetwork):
        return of_probe()
    asked = max(text_requests.PROBES, key=len)
    return of([Sent(_whole(asked), range(2 * text_requests.MOST_TESTS))])._replace(
        fresh=True
    )


def together(sizes: Iterable[Size]) -> Size:
    """Their sum."""
    found = list(sizes)
    return Size(
        sum(one.calls for one in found),
        sum(one.bytes_in for one in found),
        sum(one.most_tokens_out for one in found),
        max((one.longest for one in found), default=admission.TokenBound(0, 0)),
        tuple(call for one in found for call in one.sent),
        any(one.fresh for one in found),
    )


def _of_given(given: Sequence[ScoredText]) -> Size:
    # Which way the server takes is not known yet, so nor is the key of an answer.
    return of_requests([_whole(one.whole) for one in given])._replace(fresh=True)


def _whole(text: str) -> Request:
    """In whichever way: the message is the same."""
    return text_requests.request(text, max(text_requests.WAYS, key=len))


def _later(samples: range, again: int) -> range:
    more = again * len(samples)
    return range(samples.start + more, samples.stop + more)
