"""An expert and an amateur behind addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.endpoints import configuration, text_requests
from scoring.endpoints.text_requests import ScoredText as Asked
from scoring.metrics._cdm.contrast import Contrast, Given
from scoring.metrics._engine.base import MetricError, OptionError

if TYPE_CHECKING:
    from scoring.metrics.judge.likelihood import Engine


def check(expert: str, amateur: str) -> bool:
    """Whether both are behind addresses.

    Raises:
        OptionError: If only one is, or one is not named as it must be.
    """
    named = [one for one in (expert, amateur) if one.startswith(configuration.PREFIX)]
    if len(named) == 1:
        raise OptionError(
            f"{named[0][:100]}: expert and amateur must both be on this machine, or"
            " both behind an address"
        )
    for one in named:
        configuration.split_name(one)
    return bool(named)


def over(expert: Engine, amateur: Engine, context: str) -> Contrast:
    """Of two engines.

    Raises:
        MetricError: If both are the same model.
    """
    if expert.signature == amateur.signature:
        raise MetricError(
            "expert and amateur are the same model: choose two different ones"
        )
    amateur.like = expert
    return Contrast(Asker(expert), expert, amateur, context=context)


class Asker:
    """What stands before each text; tokens are made by the server."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def reason(self, given: Given) -> None:
        """There is nothing that a causal model could not read."""

    def __call__(self, given: Sequence[Given]) -> list[Asked]:
        return [asked(one) for one in given]

    def ends(self, given: Sequence[Given]) -> list[list[int]]:
        """Of each scored token, in characters of the text."""
        return [self._engine.places[asked(one)].ends.tolist() for one in given]


def asked(given: Given) -> Asked:
    """What both are asked about a text."""
    if given.source:
        return text_requests.following(given.source, given.text)
    return Asked(given.text, given.prefix)
