"""Rated texts that a judge is shown again and again, to see whether it still agrees."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models import Study


class AnchorSet(models.Model):
    """Frozen texts, one judge, and what somebody has agreed to for each asking.

    Each asking is a JudgeTrial, whose setup names this row.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="anchor_sets")
    # Of the metric llm_judge, with one question: all askings have the same.
    options = models.JSONField(default=dict)
    # Each with id, digest of what the judge sees, prompt, and mean human score or null.
    texts = models.JSONField(default=list)
    looks = models.PositiveSmallIntegerField()  # at most, the first asking aside
    most_calls = models.PositiveIntegerField()  # of one asking, as is most_cost
    most_cost = models.FloatField(null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    agreed_at = models.DateTimeField()
    # What pages say beside the judge's scores, if the last asking shows a change.
    mark = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)  # by a researcher
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{len(self.texts)} anchors of {self.study}"

    @property
    def judge(self) -> str:
        """Its name, as options have it."""
        return str(self.options.get("model", ""))
