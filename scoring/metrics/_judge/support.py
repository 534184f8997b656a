"""What an endpoint can do, found out by asking it a test question in each way."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from scoring.metrics._engine.base import Example
from scoring.metrics._engine.judging import Question
from scoring.metrics._judge import running
from scoring.metrics._judge.endpoints import Endpoint

if TYPE_CHECKING:
    from scoring.metrics._judge.client import Client, Waits
    from scoring.metrics._judge.desk import Desk
    from scoring.metrics._judge.records import Keeper
    from scoring.metrics._judge.scorer import EndpointScorer
    from scoring.metrics.llm_judge import LLMJudge

SECONDS = 30.0
TEXT = Example("The ferry left the harbour at seven.")
QUESTION = Question("quality", "How good is the text?")


class Support(NamedTuple):
    """Who answered, and by mode "" or why the test question got no score."""

    model: str
    fingerprint: str | None
    problems: dict[str, str]


def ask(
    endpoint: Endpoint,
    model: str,
    *,
    keeper: Keeper | None = None,
    waits: Waits | None = None,
) -> Support:
    """Ask once each for an answer, log-probabilities and a form; nothing is repeated.

    Raises:
        MetricError: If nobody answers; says why, without the key.
    """
    # Only here: whoever lists metrics needs no network.
    from scoring.metrics._judge.client import Client, Waits

    waits = waits or Waits(seconds=SECONDS, attempts=1)
    client = Client(endpoint, model, keeper=keeper, waits=waits)
    return running.run(_asked(client))


async def _asked(client: Client) -> Support:
    from scoring.metrics._judge import asking, reading

    async with client.line() as line:
        model, fingerprint = await client.probe(line)
        problems = {}
        for mode in ("answer", "logprobs", "form"):
            read = partial(reading.MODES[mode], question=QUESTION)
            request = asking.request(TEXT, QUESTION, "", mode)
            found = await client.ask(line, request, 1, read)
            problems[mode] = found.reason if math.isnan(found.score) else ""
    return Support(model, fingerprint, problems)


def client(
    endpoint: Endpoint, model: str, *, desk: Desk, waits: Waits | None = None
) -> Client:
    """A client at a desk.

    Raises:
        MetricError: If the variable of the key is not set.
    """
    from scoring.metrics._judge.client import Client

    return Client(endpoint, model, waits=waits, desk=desk)


def scorer(
    metric: LLMJudge, *, desk: Desk, waits: Waits | None = None
) -> EndpointScorer:
    """As `metric.load` gives it, at a desk.

    Raises:
        MetricError, OptionError: As `metric.load`.
    """
    from scoring.metrics._judge import scorer

    metric.check()
    return scorer.load(metric._setup(), metric.version, waits=waits, desk=desk)
