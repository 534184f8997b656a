from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models import Aspect, Study
from scoring.models.corpora import Corpus


class Checkpoint(models.Model):
    """A trained metric: under training, or finished and never changed again.

    Its slices are chunks, one after the other, each of some minutes.
    """

    NAMED = ("trained metric", "trained metrics")

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ENDED = (State.DONE, State.FAILED, State.CANCELLED)

    study = models.ForeignKey(Study, models.CASCADE, related_name="checkpoints")
    name = models.SlugField(max_length=64)
    metric = models.CharField(max_length=64)
    options = models.JSONField(default=dict)  # of the training
    corpus = models.ForeignKey(
        Corpus, models.SET_NULL, null=True, blank=True, related_name="checkpoints"
    )
    # Never learned from: figures are taken of it in the end.
    test = models.ForeignKey(
        Corpus, models.SET_NULL, null=True, blank=True, related_name="tested"
    )
    # Whose ratings it learns from, where it learns from ratings: of another study.
    aspect = models.ForeignKey(
        Aspect, models.SET_NULL, null=True, blank=True, related_name="checkpoints"
    )
    # Data, options, contents of the models it begins with, code version.
    signature = models.TextField(blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    stage = models.CharField(max_length=60, blank=True)  # "training"
    step = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)  # of this stage; 0: not known yet
    seconds = models.FloatField(default=0.0)  # spent on this stage
    loss = models.FloatField(null=True, blank=True)
    held_out_loss = models.FloatField(null=True, blank=True)
    # Points of the loss curve: {"stage", "step", "loss", "held_out", "seconds"}.
    log = models.JSONField(default=list)
    # The finished checkpoint's card: what it learned from, and how good it is.
    card = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="one_checkpoint_per_name"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("training", args=[self.study.name, self.name])

    @property
    def ended(self) -> bool:
        return self.state in self.ENDED

    @property
    def key(self) -> str:
        """What an option that asks for a model takes."""
        return f"checkpoint:{self.study.name}/{self.name}"

    @property
    def stored_as(self) -> str:
        """The folder of the training; the finished checkpoint lies in it."""
        return f"checkpoints/{self.study.name}/{self.name}"
