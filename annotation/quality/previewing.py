"""What another policy would do to the pages that are in.

It reads every page that was submitted: of a large study, a worker does.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

from django.utils import timezone

from annotation import kept
from annotation.kept import Kept
from annotation.models import Policy, Study
from annotation.quality import diagnosing, rejudging
from annotation.quality.diagnosing import SystemShift

NOT_SETTINGS = ("id", "study", "version", "created_at")
MOST_LETTERS = 1000  # of a variant


class Preview(NamedTuple):
    """Nothing of it is written anywhere but here."""

    n_pages: int
    moves: list[tuple[str, str, int]]  # from, to, pages; also those that stay
    shifts: list[SystemShift]

    @property
    def changes(self) -> rejudging.Changes:
        return rejudging.Changes(Counter({(old, new): n for old, new, n in self.moves}))


def read(*, study: Study, policy: Policy) -> Kept[Preview]:
    """Of a policy, saved or not."""
    variant = _variant(policy)
    if len(variant) > MOST_LETTERS:  # dozens of chosen aspects
        return Kept(_preview(study, policy))
    return kept.read(study=study, name="preview", variant=variant)


def preview(study: Study, variant: str) -> Preview:
    """For `kept`: the variant is the settings of the policy."""
    return _preview(study, Policy(study=study, **json.loads(variant)))


def _preview(study: Study, policy: Policy) -> Preview:
    now = timezone.now()
    pages = rejudging.pages_for(study=study, policy=policy, now=now)
    after = rejudging.preview(study=study, policy=policy, pages=pages, now=now)
    moves = rejudging.changes(pages, after).moves
    return Preview(
        n_pages=len(pages),
        moves=[(str(old), str(new), n) for (old, new), n in sorted(moves.items())],
        shifts=diagnosing.system_shifts(
            study=study,
            pages=[page for page in pages if page.is_rated],
            after=after,
            with_discarded=False,
        ),
    )


def _variant(policy: Policy) -> str:
    """The settings that are not those of a new row."""
    new = Policy()
    settings: dict[str, Any] = {
        field.attname: value
        for field in Policy._meta.concrete_fields
        if field.name not in NOT_SETTINGS
        and (value := getattr(policy, field.attname)) != getattr(new, field.attname)
    }
    return json.dumps(settings, sort_keys=True, separators=(",", ":"))
