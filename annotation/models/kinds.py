"""What a page asks people to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db import models


class KindFacts(NamedTuple):
    """What a kind of page asks for, as far as a study differs by it."""

    asks_aspects: bool = True  # the study's questions are answered
    judges_texts: bool = True  # a text, not a comparison, is what an answer is about
    gives_ratings: bool = False  # answers are points of scales
    rates_single_texts: bool = False  # ... of texts that stand by themselves
    compares_texts: bool = False  # texts with each other
    corrects_texts: bool = False  # texts are rewritten


_labels: dict[str, str] = {}
_facts: dict[str, KindFacts] = {}


def register_facts(key: str, label: str, facts: KindFacts) -> None:
    """Kinds register above the models: see `annotation.page_kinds`."""
    _labels[key], _facts[key] = label, facts


def facts_of(kinds: Iterable[str]) -> list[KindFacts]:
    """Of kinds by their keys. Raises KeyError where there is none."""
    return [_facts[key] for key in kinds]


def choices() -> list[tuple[str, str]]:
    """Called by models, so that a new kind needs no migration."""
    return list(_labels.items())


DEFAULT_KIND = "ratings"  # unless somebody chooses otherwise


def only_ratings() -> list[str]:
    return [DEFAULT_KIND]


class HasKinds(models.Model):
    """What follows from the kinds of a study's pages."""

    page_kinds: models.JSONField[list[str], list[str]]

    class Meta:
        abstract = True

    @property
    def asks_aspects(self) -> bool:
        """Whether anybody answers its questions."""
        return any(kind.asks_aspects for kind in facts_of(self.page_kinds))

    @property
    def gives_ratings(self) -> bool:
        return any(kind.gives_ratings for kind in facts_of(self.page_kinds))

    @property
    def rates_single_texts(self) -> bool:
        return any(kind.rates_single_texts for kind in facts_of(self.page_kinds))

    @property
    def compares_texts(self) -> bool:
        return any(kind.compares_texts for kind in facts_of(self.page_kinds))

    @property
    def corrects_texts(self) -> bool:
        return any(kind.corrects_texts for kind in facts_of(self.page_kinds))

    @property
    def judges_texts(self) -> bool:
        """Whether its pages ask for more than comparisons."""
        return any(kind.judges_texts for kind in facts_of(self.page_kinds))
