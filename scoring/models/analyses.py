from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models import Aspect, Policy, Study
from evalapp.work.models import Leased


class Analysis(Leased):
    """The result of one statistic page with its options, as of the data it was made of.

    Made by a worker, never while someone waits for a page. A row is kept while newer
    ratings or scores are worked in, so that there is always something to show.
    """

    TASK = "scoring.tasks.analyse"
    KIND = "analysis"
    REMEDY = "Try fewer metrics or fewer texts"

    study = models.ForeignKey(Study, models.CASCADE, related_name="analyses")
    name = models.CharField(max_length=30)  # of the folder in scoring.analyses
    options = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)  # of the options
    # What the result was made of, and what is asked for: equal where it is fresh.
    stamp = models.CharField(max_length=200, blank=True)
    wanted = models.CharField(max_length=200, blank=True)
    result = models.JSONField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # asked for by someone
    computed_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "analyses"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "digest"], name="one_analysis_per_options"
            )
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_analyses"),
            # analysing.refresh looks for what was seen.
            models.Index(fields=["seen_at"], name="analyses_seen_lately"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.study}"

    def get_absolute_url(self) -> str:
        page = reverse("analysis", args=[self.study.name, self.name])
        return f"{page}?{urlencode(self.options, doseq=True)}".rstrip("?")


class ComparedOutput(models.Model):
    """An output of a metric that was compared with people in a study, or chosen for it.

    It stays when its run is deleted: claims are corrected for all that was ever tried,
    and the best of ten useless metrics would else be "significant" in a fifth of
    studies.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="compared_outputs")
    output = models.CharField(max_length=200)  # "3fa9c1d2:coherence", as analyses have
    shown_at = models.DateTimeField(null=True, blank=True)  # first, beside people
    chosen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "output"], name="one_row_per_compared_output"
            )
        ]

    def __str__(self) -> str:
        return f"{self.output} of {self.study}"


class DataSet(Leased):
    """The newest data set of a study, for others to load: a packed folder.

    The file lies in DATA_DIR, which worker and site share, for a day at most.
    """

    TASK = "scoring.tasks.data_set"
    KIND = "data set"

    study = models.OneToOneField(Study, models.CASCADE, related_name="data_set")
    # Of the data that it was made of: another one where they have changed since.
    stamp = models.CharField(max_length=64, blank=True)
    file = models.CharField(max_length=200, blank=True)  # its name, once there is one

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_data_sets")
        ]

    def __str__(self) -> str:
        return f"data set of {self.study}"

    def get_absolute_url(self) -> str:
        return reverse("data_set", args=[self.study.name])

    def retry_address(self) -> str:
        return reverse("data_set_make", args=[self.study.name])


class Plan(models.Model):
    """What will be reported, locked before the first rating; the rest explores."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="plan")
    policy = models.ForeignKey(Policy, models.PROTECT)
    aspect = models.ForeignKey(Aspect, models.PROTECT)  # the primary one
    coefficient = models.CharField(max_length=8)
    grouping = models.CharField(max_length=10)
    metrics = models.JSONField()  # list of {"metric", "output", "options"}
    note = models.TextField(blank=True)
    locked_at = models.DateTimeField(null=True, blank=True)
    locked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"plan of {self.study}"
