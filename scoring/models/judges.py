"""Judges over the network: what was asked, what it cost, and how much is allowed."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models import Study
from evalapp.work.models import Leased, waits_on
from evalapp.work.queues import JUDGES


class Spending(models.Model):
    """What whoever asks a judge has agreed to, and what was spent of it.

    `most_calls` NULL: no judge over the network is asked, and nothing is spent.
    """

    agreed_at = models.DateTimeField(null=True, blank=True)
    # Asked again before each run whether they may spend. NULL: at a command line.
    agreed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    most_calls = models.PositiveIntegerField(null=True, blank=True)
    # NULL: the operator has named no price, and only the calls are limited.
    most_cost = models.FloatField(null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    n_calls = models.PositiveIntegerField(default=0)
    n_kept = models.PositiveIntegerField(
        default=0
    )  # answers of earlier runs, used again
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0.0)
    # For calls on their way, at the most that they may cost. A worker that dies leaves
    # its part here: nobody knows what the server took for it.
    held_cost = models.FloatField(default=0.0)

    class Meta:
        abstract = True


class JudgeTrial(Leased, Spending):
    """A judge is asked more than for scores: pairs, its stability, anchors, steps."""

    TASK: ClassVar = "scoring.tasks.try_judge"
    KIND: ClassVar = "trial of a judge"

    class Kind(models.TextChoices):
        PAIRS = "pairs"
        STRESS = "stress"
        ANCHORS = "anchors"
        STEPS = "steps"

    queue = waits_on(JUDGES)
    study = models.ForeignKey(Study, models.CASCADE, related_name="judge_trials")
    kind = models.CharField(max_length=7, choices=Kind)
    # Of the metric llm_judge, as of a run; and what this kind of trial needs besides.
    options = models.JSONField(default=dict)
    setup = models.JSONField(default=dict)
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(default=0)
    signature = models.TextField(blank=True)  # of whoever answered
    result = models.JSONField(default=dict)
    notes = models.JSONField(default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_trials")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.study}"

    def on_behalf(self) -> tuple[Any, Study]:
        return self.agreed_by or self.created_by, self.study

    def get_absolute_url(self) -> str:
        return reverse("judge_trial", args=[self.study.name, self.pk])

    def retry_address(self) -> str:
        return reverse("judge_retry", args=[self.study.name, self.pk])


class JudgeCall(models.Model):
    """One attempt to get one answer, successful or not. Without key and address."""

    run = models.ForeignKey(
        "MetricRun", models.CASCADE, null=True, blank=True, related_name="calls"
    )
    trial = models.ForeignKey(
        JudgeTrial, models.CASCADE, null=True, blank=True, related_name="calls"
    )
    endpoint = models.CharField(max_length=50)
    model_asked = models.CharField(max_length=200)
    model_answered = models.CharField(max_length=200, null=True, blank=True)
    fingerprint = models.CharField(max_length=200, null=True, blank=True)
    prompt_hash = models.CharField(max_length=71)
    parameters = models.TextField()  # JSON with sorted keys
    # Of everything that an answer is kept and used again for, in one word.
    key = models.CharField(max_length=64)
    sample = models.PositiveSmallIntegerField()  # 0 is the probe
    attempt = models.PositiveSmallIntegerField()
    status = models.PositiveSmallIntegerField(null=True)  # NULL: no response
    answer = models.TextField(blank=True)  # as it came, bounded
    finish_reason = models.CharField(max_length=200, null=True, blank=True)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    milliseconds = models.PositiveIntegerField()
    problem = models.TextField(blank=True)  # empty: the answer has a score
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["key"], name="calls_of_one_question")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(run=None) | models.Q(trial=None),
                name="call_of_a_run_or_of_a_trial",
            )
        ]

    def __str__(self) -> str:
        return f"{self.endpoint}/{self.model_asked}, sample {self.sample}"


class JudgeIdentity(models.Model):
    """Who has answered under a name, and since when: servers change their models."""

    endpoint = models.CharField(max_length=50)
    model_asked = models.CharField(max_length=200)
    model_answered = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=200, blank=True)
    # Of the last test question that it answered, as its server takes them: JSON.
    parameters = models.TextField(blank=True)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    class Meta:
        ordering = ["first_seen", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["endpoint", "model_asked", "model_answered", "fingerprint"],
                name="one_row_per_judge_identity",
            )
        ]

    def __str__(self) -> str:
        return f"{self.endpoint}/{self.model_asked}: {self.model_answered}"


class JudgeGate(models.Model):
    """One row for each endpoint: whoever books calls locks it first."""

    endpoint = models.CharField(max_length=50, unique=True)
    # The server said that all of us ask too much.
    not_before = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["endpoint"]

    def __str__(self) -> str:
        return self.endpoint


class JudgeSecond(models.Model):
    """What was booked at an endpoint within one second, by all workers together."""

    gate = models.ForeignKey(JudgeGate, models.CASCADE, related_name="seconds")
    second = models.PositiveBigIntegerField()  # since 1970
    calls = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["second"]
        constraints = [
            models.UniqueConstraint(
                fields=["gate", "second"], name="one_row_per_second_of_a_gate"
            )
        ]

    def __str__(self) -> str:
        return f"{self.gate}, {self.second}"
