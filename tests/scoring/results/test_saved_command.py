"""`manage.py saved`: what a metric saves, from a terminal."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation import surveys
from annotation.models import Annotation
from scoring import analyses
from scoring.analyses.saved.numbers import Options
from scoring.results import study_arrays
from scoring.stats import folder
from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.django_db


def said(*given: str) -> str:
    out = StringIO()
    call_command("saved", *given, stdout=out)
    return out.getvalue()


@pytest.fixture
def study(make_study):
    """Sixty prompts of two systems, all rated, and a metric that follows people."""
    study = make_study(prompts=60, systems=("a", "b"), aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = rng.integers(2, 5, size=study.generations.count())
    rate(study, "coherence", [[int(q)] * 2 for q in quality])
    score(study, COHERENCE, [float(q + rng.normal(0, 0.5)) for q in quality])
    return study


def test_it_says_the_sentence_and_what_each_metric_saves_with_its_range(study):
    text = said("ferry", "--share", "60")
    assert text.splitlines()[0].startswith("Coherence: Next time, let judge")
    assert "Ratings saved" in text
    row = next(line for line in text.splitlines() if line.startswith("judge: "))
    assert row.count("[") == 1


def test_json_has_the_numbers_behind_it(study):
    found = json.loads(said("ferry", "--json", "--share", "60", "--target", "texts"))
    one = found["aspects"][0]
    assert found["target"] == "texts" and one["kind"] == "tried"
    assert one["systems"][0]["corrected"]["low"] is not None
    assert one["metrics"][0]["saved"]["value"] > 0


def test_a_share_beyond_the_bounds_is_refused(study):
    with pytest.raises(CommandError, match="share: expected a number from 5 to 90"):
        said("ferry", "--share", "95")


def test_a_study_without_ratings_is_told_what_is_missing(make_study):
    make_study()
    with pytest.raises(CommandError, match="No ratings yet"):
        said("ferry")


@pytest.fixture
def part(make_study):
    """Half of each system's texts, drawn when the study opened, all of them rated."""
    study = make_study(
        prompts=120, systems=("a", "b"), aspects=("coherence",), rated_share=50
    )
    surveys.open_study(study=study)
    rng = np.random.default_rng(0)
    texts = list(study.generations.order_by("pk"))
    quality = rng.integers(2, 5, size=len(texts))
    score(study, COHERENCE, [float(q + rng.normal(0, 0.5)) for q in quality])
    ratings = [[int(q)] * 2 for q in quality]
    rate(study, "coherence", ratings)
    Annotation.objects.filter(generation__asked=False).delete()
    return study


def test_what_the_study_drew_itself_is_corrected(part):
    found = json.loads(said("ferry", "--json"))
    one = found["aspects"][0]
    assert (found["drawn"], one["kind"], one["refused"]) == ("system", "drawn", "")
    assert (one["n_rated"], one["n_texts"]) == (120, 240)
    assert one["metrics"][0]["saved"]["value"] > 0
    text = said("ferry")
    assert text.startswith("Coherence: Report the means with judge")
    row = next(line for line in text.splitlines() if line.startswith("a "))
    assert row.count("[") == 2 and "EvalApp did not choose" not in text


def test_a_part_that_somebody_else_chose_is_not_corrected(study):
    some = study.generations.order_by("pk")[:30].values("pk")
    Annotation.objects.filter(generation__in=some).delete()
    assert "people alone: EvalApp did not choose the rated texts" in said("ferry")


def test_a_bundle_of_the_data_gives_the_same_result(part, tmp_path):
    data = study_arrays.load(study=part)
    folder.write(data, tmp_path)
    again = folder.read(tmp_path)
    assert again.digest() == data.digest()
    assert (tmp_path / "drawn.csv").exists()
    found = [
        analyses.run("saved", folder.part(one, {"ratings", "scores"}), Options())
        for one in (again, data)
    ]
    assert found[0] == found[1] and found[0]["drawn"] == "system"
