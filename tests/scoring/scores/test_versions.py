"""Scores that were made with an earlier version of their metric are marked."""

from __future__ import annotations

import pytest

from scoring import metrics
from scoring.metrics.judge import pairwise
from scoring.models import MetricRun, Score, Signature
from scoring.scores import option_sets, versions

NOW = metrics.get("llm_judge").version


@pytest.mark.parametrize(
    ("signature", "made_with"),
    [
        ("llm_judge|aspects:q|v:2", 2),
        ("fidelity|v:3|corpus:sha256:aa|seed:7", 3),
        ("llm_judge|v:1|file:sha256:aa", 1),
        ("uploaded|sha256:aa", None),
        ("ctrleval|v:x", None),
    ],
)
def test_the_version_is_read_from_the_signature(signature, made_with):
    assert versions.version(signature) == made_with


def test_only_other_versions_of_metrics_that_are_known_are_old():
    assert versions.old(f"llm_judge|v:{NOW}") is None
    assert versions.old("uploaded|v:1") is None
    assert versions.old("llm_judge|v:2") == versions.Old("llm_judge", 2, NOW)
    assert versions.old(f"{pairwise.NAME}|v:1") is not None
    assert versions.old(f"{pairwise.NAME}|v:{pairwise.VERSION}") is None


@pytest.fixture
def study(make_study):
    return make_study(prompts=1)


def scored(study, version: int) -> Signature:
    """A run with a score of one text."""
    text = f"llm_judge|model:sha256:aa|v:{version}"
    signature = Signature.objects.create(
        digest=Signature.digest_of(text),
        text=text,
        metric="llm_judge",
        outputs=[
            {
                **{"key": "coherence", "title": "Coherence", "unit": "rating"},
                **{"higher_is_better": True, "measures": "coherence"},
            }
        ],
    )
    MetricRun.objects.create(
        study=study,
        metric="llm_judge",
        signature=signature,
        state="done",
        options={"model": "m"},
    )
    text = study.generations.first()
    Score.objects.create(
        generation=text, signature=signature, output="coherence", value=3.0
    )
    return signature


@pytest.mark.django_db
class TestMarks:
    @pytest.mark.parametrize("version", [2, NOW])
    def test_pages_with_scores_say_so(self, client, study, version):
        client.force_login(study.owner)
        signature, key = scored(study, version), study.generations.first().key
        run = signature.runs.get()
        for where in (
            *("results/", "metrics/", "results/correlations/"),
            f"results/explain/{signature.pk}/?key={key}",
            run.get_absolute_url().removeprefix(f"/studies/{study.name}/"),
        ):
            answer = client.get(f"/studies/{study.name}/{where}")
            assert answer.status_code == 200, where
            said = "scores here were made with version 2 of this metric"
            assert (said in answer.content.decode()) == (version != NOW), where

    def test_the_api_says_so(self, client, study):
        client.force_login(study.owner)
        run = scored(study, 2).runs.get()
        found = client.get(f"/api/studies/{study.name}/runs/{run.pk}/").json()
        assert found["old_version"] == (
            "made with version 2 of this metric, which now gives other numbers"
            f" (version {NOW}): run it again"
        )
        MetricRun.objects.update(signature=scored(study, NOW))
        found = client.get(f"/api/studies/{study.name}/runs/{run.pk}/").json()
        assert found["old_version"] is None

    def test_tables_name_the_version_beside_the_number(self, study):
        old, new = scored(study, 2), scored(study, NOW)
        told = option_sets.told_apart(study=study, signatures=[old, new])
        assert told == {old.pk: f"made with version 2, now {NOW}", new.pk: ""}
