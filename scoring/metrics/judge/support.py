"""What an endpoint can do, found out by asking it a test question in each way."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from scoring.endpoints import event_loop
from scoring.endpoints.configuration import Endpoint
from scoring.metrics._engine.base import Example
from scoring.metrics.judge.questions import Question

if TYPE_CHECKING:
    from scoring.endpoints.admission import Admission
    from scoring.endpoints.call_records import Keeper
    from scoring.endpoints.client import Client, Waits
    from scoring.metrics.judge.likelihood import Engine
    from scoring.metrics.judge.marking_scorer import MarkingScorer
    from scoring.metrics.judge.scorer import EndpointScorer
    from scoring.metrics.llm_judge import LLMJudge

SECONDS = 30.0
TEXT = Example("The ferry left the harbour at seven.")
QUESTION = Question("quality", "How good is the text?")


TEXTS = "texts"  # beside the modes: the log-probabilities of texts


class Support(NamedTuple):
    """Who answered, and by mode "" or why the test question got no score."""

    model: str
    fingerprint: str | None
    problems: dict[str, str]
    lessons: str = ""  # what its server does not take, in a sentence


def ask(
    endpoint: Endpoint,
    model: str,
    *,
    keeper: Keeper | None = None,
    waits: Waits | None = None,
) -> Support:
    """Ask for an answer, log-probabilities and a form, and for those of a text.

    Raises:
        MetricError: If nobody answers; says why, without the key.
    """
    # Only here: whoever lists metrics needs no network.
    from scoring.endpoints.client import Client, Waits

    waits = waits or Waits(seconds=SECONDS, attempts=1)
    client = Client(endpoint, model, keeper=keeper, waits=waits)
    return event_loop.run(_asked(client))


async def _asked(client: Client) -> Support:
    from scoring.endpoints import probe, readings, text_logprobs
    from scoring.metrics.judge import rating_requests

    async with client.line() as line:
        model, fingerprint = await client.probe(line)
        problems = {}
        for mode in ("answer", "logprobs", "form"):
            read = partial(readings.MODES[mode], scale=QUESTION)
            request = rating_requests.request(TEXT, QUESTION, "", mode)
            found = await probe.ask_adapting(client, line, request, read)
            problems[mode] = found.reason if math.isnan(found.score) else ""
        _, problems[TEXTS] = await text_logprobs.detect(client, line)
    return Support(model, fingerprint, problems, client.capabilities.lessons)


def client(
    endpoint: Endpoint, model: str, *, admission: Admission, waits: Waits | None = None
) -> Client:
    """A client with an admission of its own.

    Raises:
        MetricError: If the variable of the key is not set.
    """
    from scoring.endpoints.client import Client

    return Client(endpoint, model, waits=waits, admission=admission)


def engine(client: Client, tick: Callable[[], None] | None = None) -> Engine:
    """Log-probabilities of texts, asked for by a client that has asked nothing yet.

    Args:
        client: Of one model.
        tick: Called a few times a second until it is known what the server gives. What
            it raises stops the work.

    Raises:
        MetricError: The server does not answer, or gives none.
    """
    from scoring.metrics.judge import likelihood

    return likelihood.over(client, tick)


def quick(seconds: float) -> Waits:
    """One attempt for each call, of so many seconds: somebody waits."""
    from scoring.endpoints.client import Waits

    return Waits(seconds=seconds, attempts=1)


def scorer(
    metric: LLMJudge, *, admission: Admission, waits: Waits | None = None
) -> EndpointScorer | MarkingScorer:
    """As `metric.load` gives it, with an admission of its own.

    Raises:
        MetricError, OptionError: As `metric.load`.
    """
    from scoring.metrics.judge import scorer

    metric.check()
    return scorer.load(
        metric._setup(), metric.version, waits=waits, admission=admission
    )
