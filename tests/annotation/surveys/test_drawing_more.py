"""Texts that are excluded, and texts that come when workers have already begun."""

import io

import pytest

from annotation import imports, surveys
from annotation.models import Generation, Item, Place, Seat
from annotation.surveys import planning
from tests.annotation.seating import NOON
from tests.annotation.surveys.test_drawing import content, sit

pytestmark = pytest.mark.django_db


def test_excluded_texts_are_neither_drawn_nor_damaged(make_study):
    study = make_study(prompts=4)
    study.generations.filter(system__name="b").update(excluded_at=NOON)
    surveys.draw(study=study)
    assert not Item.objects.filter(generation__system__name="b").exists()
    assert not study.surveys.filter(negative__source__system__name="b").exists()


def test_opening_draws_again_where_a_text_was_excluded_since(make_study):
    study = make_study()
    surveys.draw(study=study)
    study.generations.filter(system__name="b").update(excluded_at=NOON)
    surveys.open_study(study=study)
    assert {survey.items.count() for survey in study.surveys.all()} == {4}


def add_system(study, name="late", prompts=None):
    system = study.systems.create(name=name)
    for prompt in prompts or study.prompts.all():
        Generation.objects.create(
            study=study,
            key=f"{prompt.position}-{name}",
            prompt=prompt,
            system=system,
            text=f"{prompt.prefix}. {name} came. It sat down by the sea. All was well.",
        )


@pytest.fixture
def begun(make_study):
    """A paused study that a worker has begun, and a system that came since."""
    study = make_study(prompts=4)
    surveys.open_study(study=study)
    sit(study)
    surveys.pause(study=study)
    add_system(study)
    return study


def test_a_system_added_later_gets_surveys_of_its_own(begun):
    before, places = content(begun), set(Place.objects.values_list("pk", flat=True))
    surveys.open_study(study=begun)
    assert content(begun)[:4] == before
    new = begun.surveys.filter(number__gt=4)
    assert [survey.number for survey in new] == [5, 6, 7, 8]
    for survey in new:
        real = [item.generation for item in survey.items.all() if item.generation]
        assert [text.system.name for text in real] == ["late"]
        assert real[0].prompt == survey.prompt
        assert [place.number for place in survey.places.all()] == [1, 2]
    assert places < set(Place.objects.values_list("pk", flat=True))
    assert Seat.objects.get().survey.number <= 4


def test_their_negatives_come_from_the_whole_study(begun):
    surveys.open_study(study=begun)
    sources = begun.surveys.filter(number__gt=4).values_list(
        "negative__source__system__name", flat=True
    )
    assert set(sources) & set("abcd")


def test_surveys_drawn_on_are_the_same_for_the_same_seed(begun):
    drawn = surveys.draw_more(study=begun)
    found = content(begun)[4:]
    for survey in drawn:
        survey.delete()
    surveys.draw_more(study=begun)
    assert content(begun)[4:] == found


def test_drawing_on_twice_adds_nothing(begun):
    assert len(surveys.draw_more(study=begun)) == 4
    assert surveys.draw_more(study=begun) == []


def test_two_clicks_at_once_draw_on_once(begun, monkeypatch):
    plan = planning.plan

    def overtaken(*args):
        monkeypatch.setattr("annotation.surveys.planning.plan", plan)
        assert surveys.draw_more(study=begun)
        return plan(*args)

    monkeypatch.setattr("annotation.surveys.planning.plan", overtaken)
    assert surveys.draw_more(study=begun) == []
    assert begun.surveys.count() == 8


def test_nothing_is_drawn_on_while_workers_may_come(begun):
    surveys.open_study(study=begun)
    add_system(begun, "later-still")
    with pytest.raises(surveys.DrawError, match="is open.*Pause it first"):
        surveys.draw_more(study=begun)


def test_a_prompt_that_lacks_the_later_system_gets_no_more_surveys(make_study):
    study = make_study(prompts=4)
    surveys.open_study(study=study)
    sit(study)
    surveys.pause(study=study)
    add_system(study, prompts=study.prompts.all()[:3])
    surveys.open_study(study=study)
    assert study.surveys.count() == 7


def test_texts_can_be_uploaded_into_a_paused_study(make_study):
    study = make_study(prompts=4)
    surveys.open_study(study=study)
    sit(study)
    surveys.pause(study=study)
    rows = "".join(
        f"{prompt.prefix},{prompt.label},late,Rain fell. The road was wet.\n"
        for prompt in study.prompts.all()
    )
    file = io.BytesIO(f"prefix,label,system,text\n{rows}".encode())
    imports.into(study=study, format="csv", file=file, file_name="late.csv")
    surveys.open_study(study=study)
    assert study.surveys.count() == 8
    assert study.prompts.count() == 4
