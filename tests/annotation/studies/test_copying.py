from __future__ import annotations

import pytest

from annotation import studies
from annotation.crowd import practice
from annotation.models import Annotation, Import, Policy, Study
from annotation.studies import StudyError
from annotation.studies.copying import ANEW
from scoring.models import Plan
from tests.annotation.seating import NOON, lay_out, sit
from tests.support.scored import rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    study = make_study(title="Ferries", pay_per_page="1.50", completion_code="OLD")
    imported = Import.objects.create(study=study, format="csv", file_name="a.csv")
    study.generations.update(imported=imported)
    study.prompts.first().references.create(text="A reference.", position=0)
    text = study.generations.last()
    text.references.create(kind="targeted", text="A correction.", position=0)
    practice.define(
        study=study,
        prefix="The sea",
        label="",
        attempts=2,
        texts=[
            practice.Text(text="It was wet.", expected={"coherence": [4, 5]}, why="so")
        ],
    )
    Plan.objects.create(
        study=study,
        policy=study.current_policy(),
        aspect=study.aspects.first(),
        coefficient="pearson",
        grouping="none",
        metrics=[],
        locked_at=NOON,
    )
    lay_out(study)
    sit(study, "w1")
    rate(study, "coherence", [[1], [2]])
    return study


def copy(study, name="second", with_texts=True, user=None):
    return studies.copy(
        source=study, name=name, user=user, now=NOON, with_texts=with_texts
    )


def test_a_copy_has_the_set_up_and_begins_anew(study, alice, bob):
    made = copy(study, user=bob)
    for field in Study._meta.concrete_fields:
        if field.name not in ANEW:
            assert getattr(made, field.name) == getattr(study, field.name)
    assert (made.state, made.owner) == (Study.State.DRAFT, bob)
    assert made.completion_code not in ("", "OLD")
    assert made.public_id != study.public_id
    keys = list(study.aspects.values_list("key", "title", "question", "position"))
    assert (
        list(made.aspects.values_list("key", "title", "question", "position")) == keys
    )


def test_quality_control_practice_and_plan_come_along(study):
    Policy.objects.create(study=study, version=2, block_after=4)
    made = copy(study)
    policy = made.policies.get()
    assert (policy.version, policy.block_after) == (1, 4)
    (text,) = made.practice.texts.all()
    assert text.expected == {"coherence": [4, 5]}
    assert (made.plan.policy, made.plan.aspect.study) == (policy, made)
    assert made.plan.locked_at is None


def test_texts_come_along_where_they_are_wanted(study):
    made = copy(study)
    before = study.generations.select_related("prompt__label", "system", "imported")
    after = made.generations.select_related("prompt__label", "system", "imported")
    for old, new in zip(before, after, strict=True):
        assert (new.key, new.full_text) == (old.key, old.full_text)
        assert (new.system.name, new.system.study) == (old.system.name, made)
        assert new.prompt.label.study == new.prompt.study == made
        assert new.imported.study == made
    assert made.prompts.first().references.get().text == "A reference."
    own = made.generations.last().references.get()
    assert (own.text, own.kind, own.prompt) == ("A correction.", "targeted", None)


def test_or_stay_away(study):
    made = copy(study, with_texts=False)
    assert not (made.generations.exists() or made.systems.exists())
    assert made.labels.count() == study.labels.count()


def test_nobody_and_no_rating_is_copied(study):
    made = copy(study)
    assert not (made.workers.exists() or made.surveys.exists())
    assert not Annotation.objects.filter(aspect__study=made).exists()
    assert made.events.get().verb == "copied"


def test_a_copy_can_be_opened(study):
    from annotation import surveys

    made = copy(study)
    surveys.open_study(study=made)
    assert made.surveys.count() == study.prompts.count()


def test_its_name_must_be_free(study):
    with pytest.raises(StudyError, match="is already used"):
        copy(study, name="ferry")
    with pytest.raises(StudyError, match="without spaces"):
        copy(study, name="a b")
