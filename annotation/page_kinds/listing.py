"""What researchers read of a page itself, whoever worked on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from annotation.models import Survey


class Listing(Protocol):
    """How the pages of one kind are listed."""

    @property
    def own_prompts(self) -> str:
        """In place of a page's prompt, where each thing on it has its own."""

    @property
    def template(self) -> str:
        """All that stands on a page, with its damaged text."""

    @property
    def more(self) -> str:
        """A template that asks for more pages, of `study`; empty: there is no way."""

    def context(self, survey: Survey) -> Mapping[str, object]:
        """Of the template. One query, which may be made when the page is rendered."""
