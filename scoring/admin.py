from __future__ import annotations

from django.contrib import admin

from annotation.admin import ReadOnly
from scoring.models import (
    Checkpoint,
    Chunk,
    Corpus,
    EvaluatorTable,
    MetricRun,
    Probe,
    Score,
    Signature,
    SystemScore,
    WorkerBeat,
)


@admin.register(MetricRun)
class MetricRunAdmin(ReadOnly):
    list_display = ("id", "study", "metric", "state", "created_by", "created_at")
    list_filter = ("state", "metric")
    list_select_related = ("study", "created_by")


@admin.register(Chunk)
class ChunkAdmin(ReadOnly):
    list_display = ("id", "of", "index", "state", "attempt", "owner", "lease_until")
    list_filter = ("state",)
    list_select_related = ("run__study", "checkpoint")
    exclude = ("generations",)

    def of(self, chunk: Chunk) -> str:
        return str(chunk.run or chunk.checkpoint)


@admin.register(Signature)
class SignatureAdmin(ReadOnly):
    list_display = ("id", "metric", "text", "created_at")
    list_filter = ("metric",)


@admin.register(Score)
class ScoreAdmin(ReadOnly):
    list_display = ("id", "signature", "generation", "output", "value", "reason")
    list_select_related = ("signature", "generation")
    show_full_result_count = False  # counting millions of rows takes seconds


@admin.register(SystemScore)
class SystemScoreAdmin(ReadOnly):
    list_display = ("id", "signature", "system", "output", "seed", "value", "reason")
    list_select_related = ("signature", "system")


@admin.register(Corpus)
class CorpusAdmin(ReadOnly):
    list_display = ("name", "study", "n_texts", "created_by", "created_at")
    list_select_related = ("study", "created_by")


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnly):
    list_display = ("name", "study", "metric", "state", "step", "steps", "created_at")
    list_filter = ("state", "metric")
    list_select_related = ("study",)


@admin.register(EvaluatorTable)
class EvaluatorTableAdmin(ReadOnly):
    list_display = ("name", "study", "labels")
    list_select_related = ("study",)


@admin.register(WorkerBeat)
class WorkerBeatAdmin(ReadOnly):
    list_display = ("owner", "seen_at")


@admin.register(Probe)
class ProbeAdmin(ReadOnly):
    list_display = ("id", "study", "protocol", "corpus", "state", "attempt", "owner")
    list_filter = ("state", "protocol")
    list_select_related = ("study", "corpus")
