"""Ratings from files on the scales of their questions."""

from __future__ import annotations

import io

import pytest

from annotation import imports
from annotation.models import Annotation

pytestmark = pytest.mark.django_db

HEADER = "prefix,label,system,text,rating:coherence,rating:consistency\n"


def made(content: str, **options):
    return imports.run(
        study_name="lake",
        format="csv",
        file=io.BytesIO((HEADER + content).encode()),
        file_name="lake.csv",
        owner=None,
        options=options,
    ).study


def test_a_file_from_0_to_100_makes_sliders():
    study = made("The sea,,a,One.,70,0\n", scale="0-100")
    kinds = {(one.kind, one.level, one.ends) for one in study.aspects.all()}
    assert kinds == {("slider", "interval", (0, 100))}


def test_a_file_on_points_makes_points():
    study = made("The sea,,a,One.,4,5\n")
    kinds = {(one.kind, one.level, one.scale_min) for one in study.aspects.all()}
    assert kinds == {("points", "ordinal", None)}


def test_more_ratings_are_held_against_the_scale_of_each_question():
    study = made("The sea,,a,One.,4,5\n")
    study.aspects.filter(key="consistency").update(scale_min=0, scale_max=10)

    def add(row):
        file = io.BytesIO((HEADER + row).encode())
        imports.into(study=study, format="csv", file=file, file_name="b.csv", user=None)

    add("The sea,,b,Two.,5,10\n")
    with pytest.raises(imports.UploadError) as refused:
        add("The sea,,c,Three.,6,10\n")
    assert "coherence: 6 is outside the scale from 1 to 5" in refused.value.lines[0]
    assert sorted(Annotation.objects.values_list("value", flat=True)) == [4, 5, 5, 10]
