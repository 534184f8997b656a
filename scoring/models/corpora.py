from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from annotation.models import Study
from evalapp.navigation import address
from evalapp.work.models import Leased, waits_on
from evalapp.work.queues import GPU


class Corpus(models.Model):
    """Human texts to compare systems with. Never edited, like the texts of a study."""

    NAMED = ("corpus of human texts", "corpora of human texts")

    study = models.ForeignKey(Study, models.CASCADE, related_name="corpora")
    name = models.SlugField(max_length=64)
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)  # of the file
    # Of the texts, in order: part of the signature of what is computed from them.
    digest = models.CharField(max_length=64)
    attributes = models.JSONField(default=list)  # names of columns beside the text
    n_texts = models.PositiveIntegerField(default=0)
    n_duplicates = models.PositiveIntegerField(default=0)  # left out
    n_characters = models.PositiveBigIntegerField(default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="one_corpus_per_name"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("corpus", args=[self.study.name, self.name])


class CorpusText(models.Model):
    """One text of a corpus, with the values of its attributes."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="texts")
    position = models.PositiveIntegerField()
    text = models.TextField()
    attributes = models.JSONField(default=dict)  # by name: {"topic": "space"}

    class Meta:
        ordering = ["corpus", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "position"], name="one_corpus_text_per_position"
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def named(self) -> list[tuple[str, str]]:
        """Its attributes in the order of the file, which PostgreSQL does not keep."""
        found = ((name, self.attributes.get(name)) for name in self.corpus.attributes)
        return [(name, value) for name, value in found if value]


class Probe(Leased):
    """One probing of a corpus: what its clusters know of texts. A worker does it.

    As with chunks, the row is the truth and a message only a wake-up call.
    """

    TASK = "scoring.tasks.probe"
    KIND = "probe"
    REMEDY = "Try fewer texts or a smaller encoder"

    queue = waits_on(GPU)
    study = models.ForeignKey(Study, models.CASCADE, related_name="probes")
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="probes")
    protocol = models.CharField(max_length=30)  # of the file in probing/protocols
    options = models.JSONField(default=dict)
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(default=0)
    stage = models.CharField(max_length=60, blank=True)  # "embedding", "clustering"
    result = models.JSONField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="unfinished_probes")
        ]

    def __str__(self) -> str:
        return f"{self.protocol} on {self.corpus}"

    def get_absolute_url(self) -> str:
        return address("probe", self.study.name, self.pk)

    def retry_address(self) -> str:
        return address("probe_retry", self.study.name, self.pk)
