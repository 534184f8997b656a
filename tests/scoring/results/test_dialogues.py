"""Statistics of a study with dialogues: each question at its own level."""

from __future__ import annotations

import io

import numpy as np
import pytest

from annotation import human_scores, imports
from annotation.models import Generation
from annotation.watching import monitor, progress, summary
from scoring import analyses, metrics
from scoring.metrics import Output
from scoring.results import study_arrays
from scoring.runs import starting
from scoring.stats import folder
from tests.support import fed
from tests.support.scored import score

pytestmark = pytest.mark.django_db

GOODNESS = Output("goodness", "Goodness", "", True)
WHOLE = "overall-dialogue"


@pytest.fixture
def study(alice):
    return imports.run(
        study_name="talks",
        format="columns",
        file=io.BytesIO(fed.content()),
        file_name="fed.json",
        owner=alice,
        options={"scale": imports.AUTO},
    ).study


@pytest.fixture
def scored(study):
    """By a metric that gives whole dialogues far more than turns, and both as people
    do: pooled, the levels would correlate with anything."""
    means = human_scores.means(study=study)
    value = np.nanmean(means.values, axis=1)
    of = dict(zip(means.generations.tolist(), value.tolist(), strict=True))
    texts = list(study.generations.order_by("pk"))
    score(study, GOODNESS, [of[t.pk] + 100 * t.is_dialogue for t in texts])
    return study


def found(study, name, **options):
    data = study_arrays.load(study=study)
    kind = analyses.get(name)
    return analyses.run(name, data, kind.Options(**options))


def test_alpha_is_over_turns_or_over_dialogues(study):
    found = summary.agreement(study=study)
    alphas = {row.aspect.key: dict(row.levels)["ordinal"] for row in found}
    turns, wholes = alphas["overall"], alphas[WHOLE]
    assert (turns.n_units, turns.n_ratings) == (375, 1875)
    assert (wholes.n_units, wholes.n_ratings) == (125, 625)
    assert turns.value > 0.7 and wholes.value > 0.7


def test_the_analysis_of_agreement_says_the_same_and_of_which_level(study):
    rows = found(study, "overview")["agreement"]
    own = {row["title"]: row["n_texts"] for row in rows if row["own"]}
    assert own["Overall quality (turn)"] == 375
    assert own["Overall dialogue (whole dialogue)"] == 125


def test_correlations_take_the_scores_of_their_own_level(scored):
    rows = found(scored, "overview")["correlations"]
    n = {r["human_aspect"]: r["n"] for r in rows if r["metric"] == "judge"}
    assert (n["overall"], n[WHOLE]) == (375, 125)


def test_turns_of_a_dialogue_are_drawn_together(study):
    data = study_arrays.load(study=study, needs=())
    assert len(np.unique(data.texts.prompt)) == 125
    assert np.bincount(data.texts.prompt).tolist() == [4] * 125
    assert data.whole.sum() == 125


@pytest.mark.slow
def test_answers_count_dialogues_as_units(scored):
    aspects = found(scored, "answer")["aspects"]
    units = {one["key"]: (one["n_texts"], one["n_prompts"]) for one in aspects}
    assert units["overall"] == (375, 125)
    assert units[WHOLE] == (125, 125)


@pytest.mark.slow
def test_metrics_are_compared_with_each_other_on_turns(scored):
    other = Output("other", "Other", "", True)
    texts = list(scored.generations.order_by("pk"))
    rng = np.random.default_rng(3)
    noise = rng.normal(size=len(texts)).tolist()
    score(
        scored,
        other,
        [n + 100 * t.is_dialogue for n, t in zip(noise, texts, strict=True)],
        metric="other",
        signature="other|v:1",
    )
    result = found(scored, "correlations")
    labels = [one["label"] for one in result["outputs"]]
    one, two = (k for k, label in enumerate(labels) if not label.startswith("Length"))
    cell = result["matrix"][one][two]
    assert cell["n"] == 375
    assert abs(cell["value"]) < 0.2  # 0.99 if dialogues stood among turns


def test_means_of_systems_are_of_turns(scored):
    ranked = found(scored, "systems")["metrics"]
    (judge,) = (one for one in ranked if one["label"].endswith("Goodness"))
    assert all(mean["value"] < 10 for mean in judge["means"])
    assert sum(mean["n"] for mean in judge["means"]) == 375


def test_a_question_on_dialogues_alone_ranks_dialogues(scored):
    data = study_arrays.load(study=scored)
    rated = np.isfinite(data.human_scores()[:, data.aspect(WHOLE)])
    assert data.of_one_level(rated).tolist() == data.whole.tolist()


def test_the_files_of_the_bundle_say_which_texts_are_whole(study, tmp_path):
    data = study_arrays.load(study=study)
    folder.write(data, tmp_path)
    assert folder.read(tmp_path).digest() == data.digest()


def test_metrics_of_systems_read_each_turn_once(study):
    by_system = starting._parts(study, metrics.get("corpus_distinct")(), 1)
    ids = {pk for _, ids in by_system for pk in ids}
    assert len(ids) == 375
    assert not Generation.objects.filter(pk__in=ids, turn=None).exists()


def test_texts_are_counted_at_the_level_of_their_questions(study):
    assert progress.coverage(study=study).texts == 500
    turns, wholes = 375 * 4, 125 * 3  # texts and questions
    ratings = summary.table_1(study=study).ratings
    assert ratings == (5 * (turns + wholes) - 125) / (turns + wholes)
    assert monitor.filled(study=study)[0].units == [500]
