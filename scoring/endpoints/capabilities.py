"""What a model's server takes: as the operator says, or as its refusals teach.

Servers speak one protocol in different ways. Newer ones of OpenAI want another name for
the token limit and no temperature; others give 5 log-probabilities where 20 are asked
for. A test question is asked again in the way that its refusal names, before any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.endpoints import requests
from scoring.endpoints.model_settings import LIMIT_NAMES, NOT_SENT, ModelSettings
from scoring.endpoints.requests import Request

USUAL_NAME, OTHER_NAME = LIMIT_NAMES
FEWEST_LIKELIEST = 5  # enough for a scale of five points
MOST_CHANGES = 5  # of the way in which a test question is asked
REFUSALS = (400, 422)
# That a field is not known, and not that its value is too large.
UNKNOWN_FIELD = re.compile(
    r"support|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed)|extra"
)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Of one model behind one address."""

    settings: ModelSettings = ModelSettings()
    limit_name: str = USUAL_NAME
    takes_temperature: bool = True
    top_logprobs: int | None = None  # at most; None: as many as are asked for

    def fitted(self, request: Request) -> Request:
        """The request as this server takes it.

        A text to be continued is left as it is: that is the older protocol.
        """
        if request.continued:
            return request
        sent = {
            self.limit_name if name == USUAL_NAME else name: value
            for name, value in request.parameters.items()
        }
        if self.settings.max_tokens:
            sent[self.limit_name] = self.settings.max_tokens
        temperature = self.settings.temperature
        if temperature == NOT_SENT or not self.takes_temperature:
            sent.pop("temperature", None)
        elif temperature is not None:
            sent["temperature"] = temperature
        if self.top_logprobs and "top_logprobs" in sent:
            sent["top_logprobs"] = min(sent["top_logprobs"], self.top_logprobs)
        if self.settings.reasoning_effort:
            sent["reasoning_effort"] = self.settings.reasoning_effort
        return replace(request, parameters={**sent, **self.settings.body})

    def after(
        self, status: int | None, body: str, sent: Request
    ) -> Capabilities | None:
        """What a refusal teaches; None where it teaches nothing, or nothing new.

        Args:
            status: Of the refusal.
            body: All that the server said.
            sent: What it refused.
        """
        if status not in REFUSALS or sent.continued:
            return None
        refused, words, settings = _field(body), body.lower(), self.settings
        likeliest = sent.parameters.get("top_logprobs", 0)
        if "logprobs" in refused and likeliest > FEWEST_LIKELIEST:
            return replace(self, top_logprobs=_highest(words, likeliest))
        unknown = USUAL_NAME in refused and UNKNOWN_FIELD.search(words)
        is_open = self.limit_name == USUAL_NAME and settings.limit_name is None
        if is_open and (unknown or OTHER_NAME in words):
            return replace(self, limit_name=OTHER_NAME)
        is_sent = "temperature" in sent.parameters and settings.temperature is None
        if "temperature" in refused and is_sent:
            return replace(self, takes_temperature=False)
        return None

    @property
    def lessons(self) -> str:
        """What a test question has shown that nobody had said, in a sentence, or ""."""
        phrases = []
        if self.limit_name != (self.settings.limit_name or USUAL_NAME):
            phrases.append(f"calls the limit of an answer {self.limit_name}")
        if not self.takes_temperature:
            phrases.append("takes no temperature (its own is used)")
        if self.top_logprobs != self.settings.top_logprobs:
            phrases.append(f"gives at most {self.top_logprobs} log-probabilities")
        if not phrases:
            return ""
        *first, last = phrases
        listed = f"{', '.join(first)} and {last}" if first else last
        return f"A test question showed that the server {listed}."

    def signed(self, parameters: Mapping[str, Any]) -> dict[str, object]:
        """Of a call's own parameters, what changes numbers: the name of a limit not."""
        sent = self.fitted(Request("", parameters)).parameters
        return {
            USUAL_NAME if name == self.limit_name else name: value
            for name, value in sent.items()
        }


def of(settings: ModelSettings) -> Capabilities:
    """As the operator says, before anything is known."""
    name = settings.limit_name or USUAL_NAME
    return Capabilities(settings, name, top_logprobs=settings.top_logprobs)


def of_probe(settings: ModelSettings, written: str) -> Capabilities:
    """As a test question showed that was answered.

    Args:
        settings: Of the operator.
        written: The parameters of that question, as they were sent.
    """
    start, sent = of(settings), json.loads(written)
    name = OTHER_NAME if OTHER_NAME in sent else USUAL_NAME
    likeliest = sent.get("top_logprobs", requests.MOST_LIKELIEST)
    fewer = likeliest < (settings.top_logprobs or requests.MOST_LIKELIEST)
    return replace(
        start,
        limit_name=settings.limit_name or name,
        takes_temperature="temperature" in sent or settings.temperature is not None,
        top_logprobs=likeliest if fewer else settings.top_logprobs,
    )


def difference(default: Mapping[str, Any], sent: Mapping[str, Any]) -> str:
    """What is sent otherwise than EvalApp would, in short: "temperature=none"."""
    fields = sorted({*default, *sent} - {"response_format"})
    return ",".join(
        f"{name}={_signature_value(sent.get(name, NOT_SENT))}"
        for name in fields
        if default.get(name) != sent.get(name)
    )


def _signature_value(value: object) -> str:
    """Without the separator of signatures."""
    return json.dumps(value, sort_keys=True).strip('"').replace("|", "_")


def _field(body: str) -> str:
    """The field that a server calls wrong; all its words where it has no place for it.

    OpenAI names it in `param`; servers with FastAPI in `loc`, beside all that was sent.
    """
    try:
        refusal = json.loads(body)
        detail = refusal.get("detail")
        named = detail[0]["loc"][-1] if detail else refusal["error"]["param"]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        named = None
    return named.lower() if isinstance(named, str) else body.lower()


def _highest(words: str, requested: int) -> int:
    """How many log-probabilities a refusal allows: a number in it, or the fewest."""
    numbers = [int(number) for number in re.findall(r"\b\d{1,2}\b", words)]
    return max(
        (number for number in numbers if FEWEST_LIKELIEST <= number < requested),
        default=FEWEST_LIKELIEST,
    )
