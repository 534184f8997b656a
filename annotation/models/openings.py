from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.studies import Study
from evalapp.work.models import Leased


class Opening(Leased):
    """A worker draws the pages of a large study and opens it. One for each study."""

    TASK = "annotation.surveys.tasks.open_study"
    KIND = "opening"

    study = models.OneToOneField(Study, models.CASCADE, related_name="opening")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )  # who asked
    first = models.PositiveIntegerField(default=1)  # number of the first page to draw
    done = models.PositiveIntegerField(default=0)  # pages that are in the database
    total = models.PositiveIntegerField(default=0)  # 0: not known yet
    started_at = models.DateTimeField(null=True, blank=True)  # this attempt

    class Meta:
        indexes = [
            models.Index(fields=["state", "lease_until"], name="openings_to_reap")
        ]

    def __str__(self) -> str:
        return f"opening of {self.study_id}"

    def in_words(self) -> str:
        return f"opening of {self.study}"

    def get_absolute_url(self) -> str:
        return self.study.get_absolute_url()
