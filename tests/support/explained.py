"""A metric with evaluators and the parts that its worker left, for tests of pages."""

from __future__ import annotations

import dataclasses

import numpy as np

from annotation.models import Study
from scoring import metrics
from scoring.metrics import Evaluator, Example, Metric, Output
from scoring.metrics._engine.base import GAP, option
from scoring.models import Chunk, MetricRun, Score, Signature
from scoring.scores import evaluator_files

VERDICT = Output("verdict", "Verdict", "points, [0, 1]", True, measures="coherence")
S, W = np.array([0.2, 0.8, 0.5]), np.array([1.0, 2.0, 1.0])
VALUE = 0.575  # (0.2 + 1.6 + 0.5) / 4


@dataclasses.dataclass(frozen=True)
class Options:
    weighting: str = option("nisf", "how", ("nisf", "mean", "max", "min"))
    tables: str = option("", "own evaluators", fill="evaluators")


class Judge(Metric):
    """Three evaluators; `asks` and `version` are for tests to change."""

    title = "Judge"
    source = "Doe (2020), eq. 1"
    Options = Options
    outputs = (VERDICT,)
    asks = 3

    @classmethod
    def name(cls) -> str:
        return "judge"

    def load(self, device: str = "cpu"):
        raise NotImplementedError

    def explain(self, example: Example) -> dict[str, list[Evaluator]]:
        asked = [
            Evaluator(f"{example.text} It was {GAP}.", "<b>good</b>"),
            Evaluator(f"{example.prefix} {GAP}", "rest"),
            Evaluator(f"{GAP} <script>alert(1)</script>", example.label),
        ]
        return {"verdict": asked[: self.asks]}


def offer(monkeypatch) -> None:
    """Let the judge be a metric beside the real ones."""
    real = metrics.get
    monkeypatch.setattr(
        metrics, "get", lambda name: Judge if name == "judge" else real(name)
    )


def judge(
    study: Study, *, s=S, w=W, value: float | None = VALUE, reason="", **options
) -> MetricRun:
    """A finished run: every text of the study has the same score and parts."""
    signature, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of("judge|v:1"),
        defaults={
            "text": "judge|v:1",
            "metric": "judge",
            "outputs": [dataclasses.asdict(VERDICT)],
        },
    )
    run = MetricRun.objects.create(
        study=study,
        metric="judge",
        signature=signature,
        options=options,
        state=MetricRun.State.DONE,
    )
    texts = list(study.generations.all())
    ids = [text.pk for text in texts]
    chunk = Chunk.objects.create(
        run=run, index=0, generations=ids, state=Chunk.State.DONE
    )
    # One NaN behind, as where another text of the chunk has more evaluators.
    table = {
        f"verdict.{name}": np.tile(np.append(row, np.nan), (len(texts), 1))
        for name, row in (("s", s), ("w", w))
    }
    evaluator_files.keep(chunk=chunk, texts=texts, parts=table)
    Score.objects.bulk_create(
        [
            Score(
                signature=signature,
                generation=text,
                output="verdict",
                value=value,
                reason=reason,
            )
            for text in texts
        ],
        ignore_conflicts=True,
    )
    return run
