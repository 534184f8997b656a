"""Drift, evaluators and variants: the pages that test one metric from all sides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from annotation.models import Study
from scoring.metrics import Output
from scoring.models import Chunk, MetricRun, Signature
from scoring.scores import evaluator_files
from tests.scoring import analysed
from tests.support.scored import COHERENCE, rate, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]
RELEVANCE = Output(
    "attribute_relevance", "Attribute relevance", "share", True, "coherence"
)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def study(make_study):
    study = make_study(prompts=8, systems=("a", "<b>b</b>"))
    rate(study, "coherence", [[n * 7 % 5 + 1, n * 3 % 4 + 1] for n in range(16)])
    score(study, COHERENCE, [n * 5 % 7 / 7 for n in range(16)])
    return study


def run(
    study: Study, signature: Signature, s: np.ndarray | None = None, **options: Any
):
    """The run that left the scores, and the parts of them."""
    made = MetricRun.objects.create(
        study=study, metric=signature.metric, signature=signature, options=options
    )
    texts = list(study.generations.order_by("pk"))
    ids = [text.pk for text in texts]
    chunk = Chunk.objects.create(
        run=made, index=0, generations=ids, state=Chunk.State.DONE
    )
    if s is not None:
        evaluator_files.keep(
            chunk=chunk, texts=texts, parts={"attribute_relevance.s": s}
        )


def test_drift_is_shown_by_system_and_by_quality(client, study):
    page = analysed.page(client, study, "drift", repeats=2)
    assert "<b>b</b>" not in page and "&lt;b&gt;b&lt;/b&gt;" in page
    assert "pearson|aspect:coherence|" in page and "texts:quality=3" in page
    assert "Subset 3, highest" in page


def test_its_options_are_in_the_address(client, study):
    page = analysed.page(client, study, "drift", coefficient="kendall", repeats=2)
    assert "Kendall τ-b with Coherence by system" in page
    assert "kendall-b|aspect:coherence|" in page


def test_without_evaluators_the_page_leads_to_the_metrics(client, study):
    page = analysed.page(client, study, "evaluators")
    assert "No metric of this study has such evaluators" in page
    assert f'href="/studies/{study.name}/metrics/">Metrics</a>' in page


def test_evaluators_are_read_from_the_parts_of_runs(client, study):
    signature = score(
        study,
        RELEVANCE,
        np.arange(16) / 16,
        metric="ctrleval",
        signature="ctrleval|v:1",
    )
    s = np.random.default_rng(1).random((16, 72))
    run(study, signature, s)
    page = analysed.page(client, study, "evaluators")
    assert "Each evaluator alone" in page and "evaluator:72" in page
    assert "CTRLEval: attribute relevance" in page


def test_without_variants_the_page_leads_to_the_metrics(client, study):
    page = analysed.page(client, study, "variants")
    assert "Run a metric a second time" in page


def test_variants_are_told_apart_by_their_options(client, study):
    for k, model in enumerate(("<i>large</i>", "small")):
        signature = score(
            study,
            RELEVANCE,
            [(n * (3 + 2 * k)) % 11 for n in range(16)],
            metric="fill",
            signature=f"fill|model:{k}",
        )
        run(study, signature, model=model, dtype="float32")
    page = analysed.page(client, study, "variants")
    assert "model: &lt;i&gt;large&lt;/i&gt;" in page and "<i>large" not in page
    assert "model: small" in page and "dtype: float32" not in page
    assert "Run a metric a second time" not in page
    assert "Adjusted p" in page
