"""What a page asks of its reader: pay, leases and the checklist estimate time by it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from django.db.models import QuerySet

from annotation.models import Item, Study, Survey


class Load(NamedTuple):
    """To read and to answer, on one page."""

    characters: int
    answers: int


class Workload(Protocol):
    """How much there is to do on pages of one kind."""

    def of_page(self, survey: Survey) -> Load:
        """On this very page, with what is shown beside its texts."""

    def of_pages(self, study: Study, items: QuerySet[Item]) -> Load | None:
        """On the average page of these items; None without any. Two queries."""

    def expected(self, study: Study) -> Load | None:
        """On a usual page, before any is drawn; None without texts for one."""
