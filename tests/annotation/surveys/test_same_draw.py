"""The same texts and seed draw what they always drew: studies can be drawn again.

The digests were taken before the draw was made faster.
"""

import hashlib
import json

import pytest

from annotation import imports, surveys
from annotation.models import Generation, Place, Study
from annotation.simulation import sample
from tests.annotation.surveys.test_drawing import content, sit
from tests.annotation.surveys.test_drawing_more import add_system

pytestmark = pytest.mark.django_db


def digest(study):
    """Of pages, negatives, the order of texts and the order of places."""
    places = Place.objects.filter(study=study).order_by("survey__number", "number")
    all_of_it = [content(study), list(places.values_list("number", "shuffle"))]
    return hashlib.sha256(json.dumps(all_of_it).encode()).hexdigest()[:16]


def test_of_the_sample_study(alice):
    with sample.PATH.open("rb") as file:
        study = imports.run(
            study_name="sample",
            format=sample.FORMAT,
            file=file,
            file_name="texts.jsonl",
            owner=alice,
            options={"title": "Sample", "ratings_per_text": 3},
        ).study
    Study.objects.update(seed=2022)
    surveys.open_study(study=study)
    assert digest(study) == "329ac394266af6a9"


def test_of_small_pages_and_samples(make_study):
    study = make_study(prompts=6, samples=3, texts_per_survey=3)
    surveys.open_study(study=study)
    assert digest(study) == "508a1ddd6504a459"


def test_of_texts_without_labels_prefixes_or_systems(make_study):
    study = make_study(prompts=4, samples=2, systems=("a", "b"), aspects=("overall",))
    study.prompts.filter(position__lt=2).update(label=None, prefix="")
    study.prompts.update(source="A ferry leaves the harbour.")
    study.generations.filter(key__endswith="2").update(system=None)
    Generation.objects.filter(key="0-a-1").update(text="The end broke off in the")
    surveys.open_study(study=study)
    assert digest(study) == "e5c25ed563cdf63e"


def test_of_texts_that_came_later(make_study):
    study = make_study(prompts=4)
    surveys.open_study(study=study)
    sit(study)
    surveys.pause(study=study)
    add_system(study)
    surveys.open_study(study=study)
    assert digest(study) == "12e2baeac658f48b"
