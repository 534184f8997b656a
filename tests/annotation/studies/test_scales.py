"""Which scale a question can have, and what it says of it."""

from __future__ import annotations

import pytest

from annotation import studies
from annotation.models import Aspect
from annotation.studies import scales
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db


def made(**fields):
    fields = {"key": "truth", **fields}
    return studies.create(name="lake", owner=None, aspects=[fields]).aspects.get()


def test_without_its_own_a_question_has_the_scale_of_its_study():
    study = studies.create(name="lake", owner=None, scale_min=1, scale_max=7)
    aspect = study.aspects.first()
    assert (aspect.ends, aspect.has_own_scale, aspect.level) == (
        (1, 7),
        False,
        "ordinal",
    )


def test_a_slider_goes_from_0_to_100_and_is_interval_unless_it_says_otherwise():
    assert (made(kind="slider").ends, made_level("slider")) == ((0, 100), "interval")
    other = studies.draft(
        name="sea",
        owner=None,
        aspects=[{"key": "x", "kind": "slider", "level": "ordinal"}],
    )
    assert other.aspects[0].level == "ordinal"


def made_level(kind):
    (aspect,) = studies.draft(
        name="pond", owner=None, aspects=[{"key": "x", "kind": kind}]
    ).aspects
    return aspect.level


def test_a_slider_drops_what_belongs_to_points():
    aspect = made(kind="slider", scale_min=1, scale_max=5, words={"2": "Poor"})
    assert (aspect.scale_min, aspect.words, aspect.middle) == (None, {}, "")


@pytest.mark.parametrize("ends", [(0, 1), (1, 11), (0, 10), (90, 100)])
def test_2_to_11_points_are_a_scale(ends):
    assert made(scale_min=ends[0], scale_max=ends[1]).ends == ends


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"scale_min": 1, "scale_max": 12}, "2 to 11 points"),
        ({"scale_min": 5, "scale_max": 5}, "2 to 11 points"),
        ({"scale_min": 5, "scale_max": 1}, "2 to 11 points"),
        ({"scale_min": 1}, "both ends"),
        ({"words": {"6": "Great"}}, "“6” is no answer on the scale from 1 to 5"),
        ({"words": {"2": "x" * 101}}, "101 characters"),
        ({"words": ["Poor"]}, "labels by number"),
        ({"level": "nominal"}, "level"),
        ({"kind": "stars"}, "kind"),
    ],
)
def test_what_will_not_do_is_refused_in_words(fields, said):
    with pytest.raises(studies.StudyError, match="truth") as refused:
        made(**fields)
    assert said in str(refused.value)


def test_labels_go_from_the_lowest_answer_to_the_highest():
    aspect = made(
        low="Bad", middle="Fair", high="Good", words={"4": "Fine", "2": "Poor"}
    )
    assert aspect.labels == {1: "Bad", 2: "Poor", 3: "Fair", 4: "Fine", 5: "Good"}


def test_labels_are_read_as_people_type_them():
    read = scales.read_words("2 Poor\n\n 4: Good, nearly\n10 - Best")
    assert read == {"2": "Poor", "4": "Good, nearly", "10": "Best"}
    assert scales.written_words(read) == "2 Poor\n4 Good, nearly\n10 Best"


@pytest.mark.parametrize("text", ["Poor", "2", "2 Poor\n2 Bad"])
def test_lines_that_say_nothing_are_refused(text):
    with pytest.raises(scales.ScaleError):
        scales.read_words(text)


def test_a_copy_has_the_same_scales(make_study, alice):
    source = make_study()
    source.aspects.filter(key="coherence").update(kind="slider", cannot_say=True)
    copy = studies.copy(
        source=source, name="twin", user=alice, now=NOON, with_texts=False
    )
    aspect = copy.aspects.get(key="coherence")
    assert (aspect.kind, aspect.cannot_say) == (Aspect.Kind.SLIDER, True)
