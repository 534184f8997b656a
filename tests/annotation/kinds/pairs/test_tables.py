from __future__ import annotations

import csv
import json

import pytest

from annotation import answering, exports
from annotation.archive.columns import Row
from annotation.kinds.pairs.tables import CHOICES
from annotation.models import Item, comparing
from annotation.models.surveys import pseudonym
from tests.annotation.pairing import (
    careless_choices,
    choices,
    compare,
    open_pairs,
)
from tests.annotation.seating import NOON, hand_in, lay_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """One page of three pairs and a damaged twin, with two places."""
    study = make_study(prompts=1, systems=("a", "b", "c"))
    return open_pairs(study, pair_strength=True)


def rows(study) -> list[Row]:
    return list(CHOICES.rows(study=study))


def real(study) -> list[Row]:
    return [row for row in rows(study) if row["second"]]


def test_each_answer_is_a_row_with_texts_systems_and_fate(study):
    seat = compare(sit(study, "ann"), first=comparing.MUCH_FIRST)
    found = rows(study)
    assert len(found) == 4 * 3
    one = next(row for row in found if row["second"])
    pair = study.surveys.get().pairs.get(pk=one["pair"])
    assert (one["first"], one["second"]) == (pair.first.key, pair.second.key)
    assert (one["first_system"], one["second_system"]) == (
        pair.first.system.name,
        pair.second.system.name,
    )
    assert (one["prefix"], one["label"]) == (pair.prompt.prefix, "positive")
    assert (one["answer"], one["value"], one["strength"]) == ("first much better", 2, 2)
    assert (one["state"], one["survey"], one["probability"]) == ("valid", 1, 1.0)
    assert one["rater"] == pseudonym(study, seat.worker_id)
    assert {row["position"] for row in found} == {1, 2, 3, 4}


def test_answers_are_seen_from_the_first_text_whatever_stood_on_the_left(study):
    for name in ("ann", "ben"):
        compare(sit(study, name), first=comparing.SECOND)
    found = real(study)
    assert {row["value"] for row in found} == {-1}
    assert {row["answer"] for row in found} == {"second better"}
    for pair in {row["pair"] for row in found}:
        assert {row["left"] for row in found if row["pair"] == pair} == {
            "first",
            "second",
        }


def test_the_left_text_is_the_one_that_the_seat_had_there(study):
    seat = compare(sit(study, "ann"))
    for row in rows(study):
        item = Item.objects.get(pk=seat.order[row["position"] - 1])
        assert row["left"] == ("second" if item.pk in seat.flipped else "first")


def test_a_hidden_check_names_its_damage_and_no_second_text(study):
    seat = sit(study, "careless")
    answering.submit(seat=seat, answers=careless_choices(seat), now=NOON)
    (row, *_) = [row for row in rows(study) if not row["second"]]
    negative = seat.survey.negative
    assert row["first"] == negative.source.key
    assert row["perturbation"] == negative.perturbation
    assert row["negative_text"] == negative.text
    assert row["answer"] == "second better"  # the damaged one
    assert row["state"] == "discarded" and "damaged" in row["reason"]
    assert {row["perturbation"] for row in real(study)} == {""}


def test_cannot_say_is_no_number(study):
    study.aspects.update(cannot_say=True)
    seat = sit(study, "ann")
    answering.submit(seat=seat, answers=dict.fromkeys(choices(seat)), now=NOON)
    for row in rows(study):
        assert (row["answer"], row["cannot_say"]) == ("cannot say", True)
        assert row["value"] is row["strength"] is None


def test_strength_is_not_told_where_it_was_not_asked(study):
    study.pair_strength = False
    study.save()
    compare(sit(study, "ann"))
    assert {row["strength"] for row in rows(study)} == {None}


def test_the_time_in_view_is_that_of_the_pair(study):
    seat = sit(study, "ann")
    visible = {1: 1000, 2: 2000, 3: 3000}
    later = NOON.replace(hour=13)
    answering.submit(seat=seat, answers=choices(seat), now=later, visible=visible)
    by_place = {row["position"]: row["milliseconds"] for row in rows(study)}
    assert by_place == {1: 1000, 2: 2000, 3: 3000, 4: None}


def test_a_pair_with_an_excluded_text_says_so(study):
    compare(sit(study, "ann"))
    study.generations.filter(system__name="a").update(excluded_at=NOON)
    assert {row["excluded"] for row in real(study)} == {True, False}


def test_answers_on_pairs_are_no_annotations_and_the_other_way_round(study, make_study):
    compare(sit(study, "ann"))
    assert list(exports.annotations(study=study)) == []
    other = make_study(name="other")
    lay_out(other)
    hand_in(sit(other, "ann"))
    assert rows(other) == []


def test_both_formats_hold_the_same(study):
    compare(sit(study, "platform-id-of-a-person"))
    lines = "".join(exports.as_jsonl(CHOICES.rows(study=study)))
    assert "platform-id" not in lines
    first = json.loads(lines.splitlines()[0])
    told = next(iter(csv.DictReader(exports.as_csv(CHOICES.rows(study=study)))))
    assert told.keys() == first.keys() and told["answer"] == first["answer"]


def test_queries_do_not_grow_with_the_answers(study, django_assert_num_queries):
    for name in ("ann", "ben"):
        compare(sit(study, name))
        with django_assert_num_queries(2):
            rows(study)
