from __future__ import annotations

from typing import Any

from django.db import models

from annotation.models.studies import Study
from evalapp.work.models import Leased


class Summary(Leased):
    """Figures of a large study that take too long to work out while someone waits.

    A row is kept while newer ratings are worked in, so that a page has something to
    show. Small studies have none: their pages work everything out at once.
    """

    TASK = "annotation.kept.tasks.summarize"
    KIND = "summary"

    study = models.ForeignKey(Study, models.CASCADE, related_name="summaries")
    name = models.CharField(max_length=30)  # in `kept.SUMMARIES`
    variant = models.CharField(max_length=1000, blank=True)  # of a question, say
    # What the result was made of, and what is asked for: equal where it is fresh.
    stamp = models.CharField(max_length=200, blank=True)
    wanted = models.CharField(max_length=200, blank=True)
    result: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    computed_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "summaries"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "variant"], name="one_summary_per_variant"
            )
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_summaries")
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.study_id}"

    def in_words(self) -> str:
        return f"{self.name} of {self.study}"

    def get_absolute_url(self) -> str:
        return self.study.get_absolute_url()
