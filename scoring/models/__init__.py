"""Rows of scoring, by noun."""

from evalapp.work.models import ChoreRound, Claim, WorkerBeat
from scoring.models.analyses import Analysis, ComparedOutput, DataSet, Plan
from scoring.models.anchors import AnchorSet
from scoring.models.checkpoints import Checkpoint
from scoring.models.corpora import Corpus, CorpusText, Probe
from scoring.models.judges import (
    JudgeCall,
    JudgeGate,
    JudgeIdentity,
    JudgeSecond,
    JudgeTrial,
    Spending,
)
from scoring.models.marks import MetricReading
from scoring.models.publications import Publication
from scoring.models.runs import (
    Chunk,
    EvaluatorTable,
    MetricRun,
    Signature,
)
from scoring.models.scores import NegativeScore, Score, SystemScore

__all__ = [
    "Analysis",
    "AnchorSet",
    "Checkpoint",
    "ChoreRound",
    "Claim",
    "Chunk",
    "ComparedOutput",
    "DataSet",
    "Corpus",
    "CorpusText",
    "EvaluatorTable",
    "JudgeCall",
    "JudgeGate",
    "JudgeIdentity",
    "JudgeSecond",
    "JudgeTrial",
    "MetricReading",
    "MetricRun",
    "NegativeScore",
    "Plan",
    "Probe",
    "Publication",
    "Score",
    "Signature",
    "Spending",
    "SystemScore",
    "WorkerBeat",
]
