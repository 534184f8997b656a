from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models.policies import Policy
from annotation.models.studies import Study
from evalapp.work.models import Leased


class Rejudging(Leased):
    """A worker applies a policy to the pages that are in. One for each study.

    The row stays when it has ended: the page says what the last one did.
    """

    TASK = "annotation.quality.tasks.apply_policy"
    KIND = "quality check"

    study = models.OneToOneField(Study, models.CASCADE, related_name="rejudging")
    policy = models.ForeignKey(Policy, models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )  # who asked
    # Pages that were submitted from then on are checked by this policy as they come.
    asked_at = models.DateTimeField()
    # The pages of all surveys up to this id have been checked.
    last_survey = models.PositiveBigIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)  # pages
    total = models.PositiveIntegerField(default=0)  # 0: not known yet
    # What has changed so far; a worker that takes over continues to count.
    moves = models.JSONField(default=list, blank=True)  # state, state, pages
    newly = models.JSONField(default=list, blank=True)  # workers who lost a page
    blocked = models.PositiveIntegerField(default=0)  # workers
    unblocked = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_rejudgings")
        ]

    def __str__(self) -> str:
        return f"rejudging of {self.study_id}"

    def in_words(self) -> str:
        return f"quality control of {self.study}"

    def get_absolute_url(self) -> str:
        return reverse("study_quality", args=[self.study.name])
