"""Rows from when keys of outputs had hyphens, and people who still write them so."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.metrics import Output
from scoring.models import (
    Chunk,
    MetricRun,
)
from scoring.results import study_arrays
from scoring.results.forms.analyses import AnalysisForm
from scoring.scores import evaluator_files
from tests.support.scored import rate, score

pytestmark = pytest.mark.django_db

ASPECT = "attribute-relevance"
OLD = Output(ASPECT, "Attribute relevance", "share", True, measures=ASPECT)
NEW = Output("attribute_relevance", "Attribute relevance", "share", True, ASPECT)
VALUES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, None]


@pytest.fixture
def study(make_study):
    study = make_study(aspects=(ASPECT, "coherence"))
    rate(study, ASPECT, [[n % 5 + 1] for n in range(8)])
    return study


class TestOldSpelling:
    def test_of_an_address(self, client, study, alice):
        client.force_login(alice)
        signature = score(study, NEW, VALUES)
        address = f"/studies/ferry/results/{signature.pk}/{ASPECT}"
        pages = [client.get(f"{address}/{one.key}/") for one in (OLD, NEW)]
        assert [page.status_code for page in pages] == [200, 200]
        files = [
            client.get(f"{address}/{one.key}.csv").getvalue() for one in (OLD, NEW)
        ]
        assert files[0] == files[1]

    def test_of_the_options_of_an_analysis(self, study):
        score(study, NEW, VALUES)
        [output] = [o for o in study_arrays.outputs(study=study) if o.key == NEW.key]
        old = output.id.replace("_", "-")
        form = AnalysisForm(study, "drift", {"outputs": [old]})
        assert form.is_valid() and form.options().outputs == (output.id,)
        form = AnalysisForm(study, "comparison", {"first": old})
        assert form.is_valid() and form.options().first == output.id
        assert "selected" in str(form["first"]).split(output.id)[1].split(">")[0]

    def test_of_an_option_that_the_study_lacks(self, study):
        assert not AnalysisForm(study, "drift", {"outputs": ["x-y"]}).is_valid()

    def test_of_evaluators_on_disk(self, study, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        texts = list(study.generations.order_by("pk"))
        signature = score(study, NEW, VALUES)
        run = MetricRun.objects.create(study=study, metric="m", signature=signature)
        ids = [text.pk for text in texts]
        chunk = Chunk.objects.create(run=run, index=0, generations=ids, state="done")
        parts = {f"{OLD.key}.s": np.ones((8, 2)), f"{OLD.key}.w": np.full((8, 2), 2.0)}
        evaluator_files.keep(chunk=chunk, texts=texts, parts=parts)
        found = evaluator_files.evaluators(study=study, ids=np.array(ids))
        assert found[signature.pk, NEW.key][1].tolist() == [[2.0, 2.0]] * 8
        rows = evaluator_files.find(runs=[run], generation_id=ids[0]).rows
        assert set(rows) == {f"{NEW.key}.s", f"{NEW.key}.w"}
        assert [
            one.output.split(":")[1]
            for one in study_arrays.load(
                study=study, needs=("scores", "evaluators")
            ).evaluators
        ] == [NEW.key]
