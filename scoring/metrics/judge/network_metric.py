"""Metrics that may ask models behind addresses for log-probabilities of texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scoring.endpoints import configuration
from scoring.endpoints.text_requests import ScoredText
from scoring.metrics._engine.base import Example, Scorer
from scoring.option_fields import option_fields

if TYPE_CHECKING:
    from scoring.metrics.judge.likelihood import Engine


class OverNetwork(ABC):
    """A metric that asks models behind addresses about texts, if it is told to."""

    options: Any

    @abstractmethod
    def given(self, example: Example) -> list[ScoredText]:
        """What each of its models is asked about a text: nothing, if it is blank."""

    def given_first(self) -> list[ScoredText]:
        """What they are asked before any text.

        Raises:
            MetricError: If a file that the options name cannot be read.
        """
        return []

    @abstractmethod
    def asking(self, engine: Callable[[str], Engine]) -> Scorer:
        """The scorer. `engine` asks endpoint:NAME/MODEL what it gives.

        Raises:
            MetricError: As `engine`, and as loading does.
        """


def models(options: Any) -> list[str]:
    """Those behind addresses, as options name them: endpoint:NAME/MODEL."""
    kind: type = type(options)
    names = [field.name for field in option_fields(kind) if field.network]
    given = [str(getattr(options, name)).strip() for name in names]
    return [one for one in given if one.startswith(configuration.PREFIX)]
