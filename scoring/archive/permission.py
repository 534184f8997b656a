"""Whose single ratings may be published: what each rater agreed to decides.

A researcher names the consent texts that allow it. Who agreed to other words, or whose
words are not known, is in means only. Nobody was asked where ratings are simulated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from annotation import events
from annotation.models import Seat, Study, Worker
from annotation.models.surveys import digest_of
from scoring.models import Publication

FILES = "files"  # ratings and votes that came in files
JUDGED = (Seat.State.VALID, Seat.State.DISCARDED)
Level = Literal["all", "some", "none"]


@dataclass(frozen=True, slots=True)
class Consent:
    """Words that some raters agreed to; none are known of the empty one."""

    digest: str
    words: str
    n_raters: int
    allowed: bool


@dataclass(frozen=True, slots=True)
class Permission:
    """What may be published of single ratings."""

    level: Level
    digests: frozenset[str]
    files: bool
    everyone: bool = False  # simulated: there is nobody to ask

    def of_page(self, digest: str) -> bool:
        return self.everyone or digest in self.digests


def consents(*, study: Study) -> list[Consent]:
    """What raters of pages agreed to, and files with ratings. Four queries at most."""
    given = _given(study)
    seats = Seat.objects.filter(survey__study=study, state__in=JUDGED).order_by()
    raters: dict[str, set[int]] = {}
    for digest, worker in seats.values_list("consent", "worker_id").distinct():
        raters.setdefault(digest, set()).add(worker)
    words = {digest_of(one): one for one in _words(study)}
    found = [
        Consent(
            digest, words.get(digest, ""), len(who), digest in given and digest != ""
        )
        for digest, who in sorted(raters.items())
    ]
    if _has_files(study):
        found.append(Consent(FILES, "", 0, FILES in given))
    return found


def of(*, study: Study) -> Permission:
    """What the consent texts that were named allow."""
    if study.simulated:
        return Permission("all", frozenset(), files=True, everyone=True)
    asked = consents(study=study)
    allowed = [one.digest for one in asked if one.allowed]
    level: Level = "some" if allowed else "none"
    if len(allowed) == len(asked):
        level = "all"  # also where there is no rating at all
    return Permission(level, frozenset(allowed) - {FILES}, FILES in allowed)


def allow(*, study: Study, digests: Iterable[str]) -> None:
    """Name the consent texts that allow it; others are no longer named."""
    known = {one.digest for one in consents(study=study)} - {""}
    row, _ = Publication.objects.get_or_create(study=study)
    row.consents = sorted(known & set(digests))
    row.save(update_fields=["consents"])


def log_change(*, study: Study, user: Any, now: datetime) -> None:
    """Who may publish single ratings is told in the log, however it was changed."""
    events.log(
        study=study,
        verb="changed-publication",
        now=now,
        user=user,
        detail=f"Single ratings to be published: {of(study=study).level}.",
    )


def _given(study: Study) -> set[str]:
    row = Publication.objects.filter(study=study).first()
    return set(row.consents) if row else set()


def _words(study: Study) -> list[str]:
    workers = Worker.objects.filter(study=study).exclude(consent="").order_by()
    return list(workers.values_list("consent", flat=True).distinct())


def _has_files(study: Study) -> bool:
    imports = study.imports.all()
    return imports.filter(annotations__isnull=False).exists() or study.votes.exists()
