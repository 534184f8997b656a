from __future__ import annotations

import hashlib
import json
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation import storable
from annotation.models import Import, Study, System
from evalapp.work.models import Loading, waits_on
from evalapp.work.queues import GPU
from scoring.models.checkpoints import Checkpoint
from scoring.models.corpora import Corpus
from scoring.models.judges import Spending


class Signature(models.Model):
    """Everything that determines a score: metric, options, contents of its models.

    Scores point here, so two runs with the same signature share their scores, and a
    page can show how a number came about.
    """

    digest = models.CharField(max_length=64, unique=True, editable=False)
    text = models.TextField()  # "ctrleval|model:sha256:53aa..|weighting:nisf|v:1"
    metric = models.CharField(max_length=64)
    outputs = models.JSONField()  # list of Output as dictionaries
    # Of its one model; NULL: it has several or none, or its files do not tell.
    parameters = models.PositiveBigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text

    @staticmethod
    def digest_of(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()


class MetricRun(Spending):
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
    # What systems are compared with. Its content is part of the signature.
    corpus = models.ForeignKey(
        Corpus, models.SET_NULL, null=True, blank=True, related_name="runs"
    )
    # The file that its scores came with; NULL: computed here, or before this was kept.
    imported = models.ForeignKey(
        Import, models.CASCADE, null=True, blank=True, related_name="runs"
    )
    # Taken by the first worker that loads the metric; later chunks must agree.
    signature = models.ForeignKey(
        Signature, models.PROTECT, null=True, blank=True, related_name="runs"
    )
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    error = models.TextField(blank=True)
    # Sentences of the metric that readers of the scores must know.
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


class Chunk(Loading):
    """A part of the work that one worker does: some texts, or one system's texts, of a
    run; or some minutes of the training of a checkpoint.

    The table is the truth and the broker only a wake-up call: a worker that dies loses
    its message, but not its chunk, which the reaper queues again.
    """

    TASK = "scoring.tasks.score_chunk"
    KIND = "chunk"

    queue = waits_on(GPU)
    run = models.ForeignKey(
        MetricRun, models.CASCADE, null=True, blank=True, related_name="chunks"
    )
    checkpoint = models.ForeignKey(
        Checkpoint, models.CASCADE, null=True, blank=True, related_name="chunks"
    )
    index = models.PositiveIntegerField()
    generations = models.JSONField(
        default=list
    )  # ids, in order; of negatives where the run is
    system = models.ForeignKey(System, models.CASCADE, null=True, blank=True)
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(default=0)
    # What a metric costs: seconds of scoring, and how many texts had no score before.
    seconds = models.FloatField(null=True, blank=True)
    scored = models.PositiveIntegerField(default=0)
    # What a metric of systems gives beside numbers: curves, seconds of each stage.
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["run", "index"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "index"], name="one_chunk_per_index"
            ),
            models.UniqueConstraint(
                fields=["checkpoint", "index"], name="one_slice_per_index"
            ),
            models.CheckConstraint(
                condition=models.Q(run=None) ^ models.Q(checkpoint=None),
                name="chunk_of_a_run_or_of_a_training",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_chunks"),
            # Read for each chunk that a worker takes: see affinity.py.
            models.Index(fields=["state", "queue", "loads"], name="waiting_chunks"),
        ]

    def in_words(self) -> str:
        if self.run:
            return f"{self.run.metric} of {self.run.study}"
        of = self.checkpoint
        return f"training {of.name} of {of.study}" if of else str(self)

    def get_absolute_url(self) -> str:
        of = self.run or self.checkpoint
        return of.get_absolute_url() if of else ""

    def on_behalf(self) -> tuple[Any, Study] | None:
        """Only of a run that spends: others may go on when a colleague leaves."""
        run = self.run
        if run is None or run.agreed_at is None:
            return None
        return run.agreed_by or run.created_by, run.study

    def retry_address(self) -> str:
        return f"{self.get_absolute_url()}retry/"

    def __str__(self) -> str:
        if self.checkpoint_id:
            return f"slice {self.index} of training {self.checkpoint_id}"
        return f"chunk {self.index} of run {self.run_id}"


class EvaluatorTable(models.Model):
    """A study's own pattern evaluators for CTRLEval.

    Either prompts, with words for labels, or pairs of patterns for a control.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="evaluator_tables")
    name = models.SlugField(max_length=64)
    labels = models.JSONField()  # list of names
    prompts = models.JSONField()  # list, each with <gen_result> and <mask_token>
    words = models.JSONField()  # list of rows, each with one word per label
    # Instead of these: list of pairs, what the model reads and what fills the gap.
    patterns = models.JSONField(default=list)
    # The name of the control that they take; empty: the label.
    control = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="one_evaluator_table_per_name"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def n_evaluators(self) -> int:
        return len(self.patterns) or len(self.prompts) * len(self.words)

    @classmethod
    def from_db(cls, db: str | None, names: Any, values: Any) -> Self:
        """Tables that were stored before their texts were checked open their pages."""
        found = super().from_db(db, names, values)
        for name in {"labels", "prompts", "words", "patterns"} & set(names):
            written = json.dumps(getattr(found, name), ensure_ascii=False)
            setattr(found, name, json.loads(storable.cleaned(written)))
        return found
