from __future__ import annotations

import hashlib

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models import Aspect, Generation, Negative, Policy, Study, System


class Signature(models.Model):
    """Everything that determines a score: metric, options, contents of its models.

    Scores point here, so two runs with the same signature share their scores, and a
    page can show how a number came about.
    """

    digest = models.CharField(max_length=64, unique=True, editable=False)
    text = models.TextField()  # "ctrleval|model:sha256:53aa..|weighting:nisf|v:1"
    metric = models.CharField(max_length=64)
    outputs = models.JSONField()  # list of Output as dictionaries
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text

    @staticmethod
    def digest_of(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()


class MetricRun(models.Model):
    """One wish: score these texts with this metric and these options."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class On(models.TextChoices):
        TEXTS = "texts"
        NEGATIVES = "negatives"  # the damaged texts that raters saw

    ENDED = (State.DONE, State.FAILED, State.CANCELLED)

    study = models.ForeignKey(Study, models.CASCADE, related_name="runs")
    metric = models.CharField(max_length=64)
    on = models.CharField(max_length=9, choices=On, default=On.TEXTS)
    options = models.JSONField(default=dict)
    # Taken by the first worker that loads the metric; later chunks must agree.
    signature = models.ForeignKey(
        Signature, models.PROTECT, null=True, blank=True, related_name="runs"
    )
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    error = models.TextField(blank=True)
    # Sentences of the metric that whoever reads the scores must know.
    notes = models.JSONField(default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)  # first chunk taken
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.metric} on {self.study}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.study.name, self.pk])

    @property
    def ended(self) -> bool:
        return self.state in self.ENDED


class Chunk(models.Model):
    """A part of a run that one worker does: some texts, or one system's texts.

    The table is the truth and the broker only a wake-up call: a worker that dies loses
    its message, but not its chunk, which the reaper queues again.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    UNFINISHED = (State.QUEUED, State.RUNNING)

    run = models.ForeignKey(MetricRun, models.CASCADE, related_name="chunks")
    index = models.PositiveIntegerField()
    generations = models.JSONField()  # ids, in order; of negatives where the run is
    system = models.ForeignKey(System, models.CASCADE, null=True, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(default=0)
    # What a metric costs: seconds of scoring, and how many texts had no score before.
    seconds = models.FloatField(null=True, blank=True)
    scored = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["run", "index"]
        constraints = [
            models.UniqueConstraint(fields=["run", "index"], name="one_chunk_per_index")
        ]
        indexes = [
            # worker.take and runs.reap look for unfinished chunks only.
            models.Index(fields=["state", "lease_until"], name="unfinished_chunks")
        ]

    def __str__(self) -> str:
        return f"chunk {self.index} of run {self.run_id}"


class EvaluatorTable(models.Model):
    """A study's own prompts and words for its labels: CTRLEval's pattern evaluators."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="evaluator_tables")
    name = models.SlugField(max_length=64)
    labels = models.JSONField()  # list of names
    prompts = models.JSONField()  # list, each with <gen_result> and <mask_token>
    words = models.JSONField()  # list of rows, each with one word per label

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="one_evaluator_table_per_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class WorkerBeat(models.Model):
    """A sign of life of a worker process, wherever it runs.

    Celery's own way of asking needs a broker with remote control, and a solo worker
    answers nothing while it scores.
    """

    owner = models.CharField(max_length=100, unique=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.owner


class Score(models.Model):
    """One number of a metric for one text; NULL with a reason where undefined."""

    signature = models.ForeignKey(Signature, models.CASCADE, related_name="scores")
    generation = models.ForeignKey(Generation, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["signature", "generation", "output"],
                name="one_score_per_signature_text_and_output",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"


class SystemScore(models.Model):
    """One number of a metric for all texts of a system."""

    signature = models.ForeignKey(
        Signature, models.CASCADE, related_name="system_scores"
    )
    system = models.ForeignKey(System, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    seed = models.PositiveIntegerField(default=0)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["signature", "system", "output", "seed"],
                name="one_score_per_signature_system_output_and_seed",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"


class NegativeScore(models.Model):
    """One number of a metric for one damaged text; NULL with a reason where undefined.

    Apart from `Score`: no statistic on texts may ever count a negative in.
    """

    signature = models.ForeignKey(
        Signature, models.CASCADE, related_name="negative_scores"
    )
    negative = models.ForeignKey(Negative, models.CASCADE, related_name="scores")
    output = models.CharField(max_length=64)
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["signature", "negative", "output"],
                name="one_score_per_signature_negative_and_output",
            )
        ]

    def __str__(self) -> str:
        return f"{self.output}: {self.value}"


class Analysis(models.Model):
    """The result of one statistic page with its options, as of the data it was made of.

    Made by a worker, never while somebody waits for a page. A row is kept while newer
    ratings or scores are worked in, so that there is always something to show.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    study = models.ForeignKey(Study, models.CASCADE, related_name="analyses")
    name = models.CharField(max_length=30)  # of the module in scoring.stats.analyses
    options = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)  # of the options
    state = models.CharField(max_length=7, choices=State, default=State.QUEUED)
    # What the result was made of, and what is asked for: equal where it is fresh.
    stamp = models.CharField(max_length=200, blank=True)
    wanted = models.CharField(max_length=200, blank=True)
    result = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # asked for by somebody
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
            # analysing.refresh looks for what is unfinished, and for what was seen.
            models.Index(fields=["state", "lease_until"], name="unfinished_analyses"),
            models.Index(fields=["seen_at"], name="analyses_seen_lately"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.study}"


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
