"""A test question before any text: who answers, and how the server is to be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.endpoints import capabilities, readings
from scoring.endpoints.admission import AT_ONCE
from scoring.endpoints.answers import Answer
from scoring.endpoints.readings import Reading
from scoring.endpoints.requests import Request
from scoring.errors import MetricError

if TYPE_CHECKING:
    from scoring.endpoints.client import Client, Read
    from scoring.endpoints.respondents import Identity
    from scoring.endpoints.transport import Connection


async def identity(
    client: Client, line: Connection, request: Request, mode: str
) -> Identity:
    """Who answers. What the client's server takes is known afterwards.

    Args:
        client: That will ask about texts.
        line: Open.
        request: The test question, with the parameters of the others.
        mode: In which answers will be read; "" where they are not.

    Raises:
        MetricError: If nobody answers, or no answer could be read; says why.
    """

    def read(answer: Answer) -> Reading:
        client.respondents.first = client.respondents.of(answer)
        return readings.usable(answer, mode) if mode else Reading(1.0)

    answered = await ask_adapting(client, line, request, read)
    name, model = client.endpoint.name, client.model
    if client.limit_reached:
        raise MetricError(AT_ONCE)
    if answered.reason == readings.CUT_OFF:
        n = client.capabilities.fitted(request).most_tokens
        raise MetricError(
            f"the model {model} of the endpoint {name} did not end its answer to a test"
            f" question within {n:,} tokens. Ask your administrator to allow more:"
            f' max_tokens in the table [judges.{name}.model."{model}"] of the file that'
            " JUDGES_FILE names"
        )
    if client.identity is None:
        raise MetricError(
            f"the endpoint {name} does not answer for the model {model}:"
            f" {answered.reason}"
        )
    if answered.reason:
        raise MetricError(
            f"the model {model} of the endpoint {name} cannot be asked in the mode"
            f" {mode}, as a test question shows: {answered.reason}"
        )
    return client.identity


async def ask_adapting(
    client: Client, line: Connection, request: Request, read: Read
) -> Reading:
    """Ask again in the way that a refusal names, as long as it names another.

    Raises:
        MetricError: If the key was refused.
    """
    for _ in range(capabilities.MOST_CHANGES):
        score, response, sent = await client.settle(line, request, 0, read)
        if not score.reason or response is None:
            return score
        better = client.capabilities.after(response.status, response.body, sent)
        if better is None:
            return score
        client.capabilities = better
    score, _, _ = await client.settle(line, request, 0, read)
    return score
