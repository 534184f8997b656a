"""Which signatures a study has scores of: its own, whatever else the site has."""

from __future__ import annotations

import pytest

from scoring.models import Score, Signature
from scoring.scores import present

pytestmark = pytest.mark.django_db


def signature(name: str) -> Signature:
    return Signature.objects.create(
        digest=Signature.digest_of(name), text=name, metric=name, outputs=[]
    )


def names(study) -> set[str]:
    return {one.metric for one in present.signatures(study=study)}


def test_those_of_other_studies_and_those_without_a_score_are_left_out(make_study):
    first, second = make_study(), make_study(name="lake")
    late = make_study(name="late", prompts=0)
    here, there, both, _ = map(signature, ("here", "there", "both", "nowhere"))
    for study, of in ((first, (here, both)), (second, (there, both))):
        text = study.generations.order_by("pk").last()
        for one in of:
            Score.objects.create(signature=one, generation=text, output="x", value=None)
    assert names(first) == {"here", "both"}
    assert names(second) == {"there", "both"}
    assert names(late) == set()


def test_texts_of_another_study_between_its_own_are_none_of_its(make_study):
    first, second = make_study(), make_study(name="lake")
    between = second.generations.order_by("pk").first()
    first.generations.filter(pk=first.generations.order_by("pk").last().pk).delete()
    moved = second.generations.order_by("pk").last()
    type(moved).objects.filter(pk=moved.pk).update(
        study=first, prompt=first.prompts.first(), key="moved"
    )
    Score.objects.create(
        signature=signature("there"), generation=between, output="x", value=1.0
    )
    assert names(first) == set()
    assert names(second) == {"there"}
