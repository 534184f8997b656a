"""Rows from when keys of outputs had hyphens, and people who still write them so."""

from __future__ import annotations

import importlib
from dataclasses import asdict

import numpy as np
import pytest
from django.apps import apps

from annotation.models import Negative
from scoring.metrics import Output
from scoring.models import (
    Analysis,
    Chunk,
    MetricRun,
    NegativeScore,
    Plan,
    Score,
    SystemScore,
)
from scoring.results import overview, study_arrays
from scoring.results.forms.analyses import AnalysisForm
from scoring.scores import evaluator_files
from tests.annotation.seating import lay_out
from tests.support.scored import COHERENCE, rate, score, score_systems

pytestmark = pytest.mark.django_db

migration = importlib.import_module("scoring.migrations.0008_keys_of_outputs")
ASPECT = "attribute-relevance"
OLD = Output(ASPECT, "Attribute relevance", "share", True, measures=ASPECT)
NEW = Output("attribute_relevance", "Attribute relevance", "share", True, ASPECT)
VALUES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, None]


@pytest.fixture
def study(make_study):
    study = make_study(aspects=(ASPECT, "coherence"))
    rate(study, ASPECT, [[n % 5 + 1] for n in range(8)])
    return study


def migrate() -> None:
    for step in migration.Migration.operations:
        step.code(apps, None)


class TestMigration:
    def test_scores_and_signatures_are_spelled_anew(self, study):
        signature = score(study, OLD, VALUES)
        score(study, COHERENCE, VALUES)
        digest, text = signature.digest, signature.text
        migrate()
        signature.refresh_from_db()
        assert (signature.digest, signature.text) == (digest, text)
        assert signature.outputs == [asdict(NEW), asdict(COHERENCE)]
        found = Score.objects.filter(output="attribute_relevance")
        assert list(found.values_list("value", flat=True)) == VALUES
        assert Score.objects.count() == 2 * len(VALUES)
        assert not Score.objects.filter(output__contains="-").exists()

    def test_scores_of_systems_keep_their_seeds(self, study):
        kl = Output("forward-kl", "Forward KL", "nats", False)
        score_systems(study, kl, {"a": [1.0, 2.0], "b": 3.0}, metric="divergence")
        migrate()
        rows = SystemScore.objects.values_list("output", "seed", "value")
        expected = [("forward_kl", 0, 1.0), ("forward_kl", 1, 2.0)]
        assert list(rows) == [*expected, ("forward_kl", 0, 3.0)]

    def test_scores_of_negatives_too(self, study):
        lay_out(study)
        signature = score(study, OLD, VALUES)
        NegativeScore.objects.create(
            signature=signature, negative=Negative.objects.first(), output=OLD.key
        )
        migrate()
        assert NegativeScore.objects.get().output == NEW.key

    def test_a_second_time_changes_nothing(self, study):
        score(study, OLD, VALUES)
        migrate()
        before = list(Score.objects.values())
        migrate()
        assert list(Score.objects.values()) == before

    def test_texts_scored_by_an_upgraded_worker_have_one_score(self, study):
        signature = score(study, OLD, VALUES)
        for generation in study.generations.all()[:3]:
            Score.objects.create(
                signature=signature, generation=generation, output=NEW.key, value=9
            )
        migrate()
        rows = Score.objects.order_by("generation_id")
        assert [row.value for row in rows] == [9, 9, 9, *VALUES[3:]]

    def test_two_outputs_of_a_file_stay_two(self, study):
        for number, key in enumerate(("a-b", "a_b", "a-b_2")):
            output = Output(key, key, "as uploaded", True)
            signature = score(study, output, [float(number)] * 8)
        migrate()
        signature.refresh_from_db()
        keys = [output["key"] for output in signature.outputs]
        assert len(set(keys)) == 3 and "a_b" in keys
        values = dict(Score.objects.values_list("output", "value"))
        assert [values[key] for key in keys] == [0, 1, 2]

    def test_few_queries_however_many_texts(
        self, make_study, django_assert_num_queries
    ):
        score(make_study(prompts=30), OLD, [0.5] * 120)
        with django_assert_num_queries(1 + 3 * 2 + 1):
            migration.spell(apps, None)

    def test_plans_name_what_there_is(self, study):
        plan = Plan.objects.create(
            study=study,
            policy=study.current_policy(),
            aspect=study.aspects.get(key=ASPECT),
            coefficient="pearson",
            grouping="none",
            metrics=[{"metric": "ctrleval", "output": OLD.key, "options": {}}],
        )
        migrate()
        plan.refresh_from_db()
        assert plan.metrics[0]["output"] == NEW.key
        assert plan.aspect.key == ASPECT

    def test_analyses_are_computed_anew(self, study):
        Analysis.objects.create(study=study, name="drift", result={"kept": 1})
        migrate()
        assert not Analysis.objects.exists()

    def test_numbers_stay_as_they_were(self, study):
        score(study, OLD, VALUES)

        def numbers():
            return [
                [row[key] for key in "human_aspect n pearson kendall matching".split()]
                for row in overview.now(study=study)["correlations"]
            ]

        before = numbers()
        migrate()
        assert numbers() == before
        assert numbers()[0][:2] == [ASPECT, 7] and numbers()[0][-1]


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
