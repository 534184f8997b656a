from __future__ import annotations

import pytest

from annotation import answering, assigning
from annotation.models import Annotation, Generation, Import, Negative, Seat
from annotation.watching import one_text, reports
from tests.annotation.seating import NOON, hire, lay_out, page
from tests.support.scored import give_means, rate


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1, ratings_per_text=3)
    lay_out(study)
    return study


@pytest.fixture
def text(study) -> Generation:
    """The first text; the damaged one was made from it."""
    return Negative.objects.get().source


def submit(study, name: str, real: int = 4, negative: int = 1) -> Seat:
    seat = assigning.claim(worker=hire(study, name), now=NOON)
    answers = page(seat, real=real, negative=negative)
    return answering.submit(seat=seat, answers=answers, now=NOON)


def read(study, text) -> one_text.OneText:
    return one_text.read(study=study, text=text)


def test_it_tells_who_gave_what_with_those_that_count_first(study, text):
    careless = submit(study, "careless", real=2, negative=5)
    ann = submit(study, "ann", real=4)
    found = read(study, text).raters
    assert [(r.seat, r.values, r.counts) for r in found] == [
        (ann, [4, 4, 4], True),
        (careless, [2, 2, 2], False),
    ]
    item = text.items.get()
    assert found[0].position == ann.order.index(item.pk) + 1


def test_mean_and_spread_are_of_ratings_that_count(study, text):
    for name, value in (("ann", 5), ("ben", 3)):
        submit(study, name, real=value)
    submit(study, "careless", real=2, negative=5)
    (coherence, *_) = read(study, text).summaries
    assert (coherence.mean.value, coherence.n) == (4, 2)
    assert coherence.spread.value == pytest.approx(2**0.5)


def test_a_text_nobody_has_rated_has_reasons_instead_of_numbers(study, text):
    (coherence, *_) = read(study, text).summaries
    assert coherence.mean.reason == "no valid rating"
    assert coherence.spread.reason


def test_an_excluded_text_still_shows_its_numbers(study, text):
    submit(study, "ann", real=4)
    Generation.objects.filter(pk=text.pk).update(excluded_at=NOON)
    assert read(study, text).summaries[0].mean.value == 4


def test_ratings_from_files_stand_with_their_rater_or_without_a_name(study, text):
    rate(study, "coherence", [[2, 5]] + [[3]] * 3)
    Annotation.objects.filter(generation=text, value=5).update(rater="")
    Annotation.objects.filter(generation=text, value=2).update(rater="Ann")
    found = read(study, text)
    assert [(rater.name, rater.values[0]) for rater in found.raters] == [
        ("Ann", 2),
        ("", 5),
    ]
    assert all(rater.counts and rater.file for rater in found.raters)
    assert (found.summaries[0].mean.value, found.summaries[0].n) == (3.5, 2)


def test_unnamed_ratings_of_several_aspects_are_put_side_by_side_in_order(study, text):
    source = Import.objects.create(study=study, format="csv", file_name="x.csv")
    aspects = list(study.aspects.all())[:2]
    for aspect, values in zip(aspects, ([1, 2], [3, 4]), strict=True):
        for value in values:
            Annotation.objects.create(
                imported=source,
                generation=text,
                aspect=aspect,
                value=value,
                updated_at=NOON,
            )
    found = read(study, text).raters
    assert [rater.values for rater in found] == [[1, 3, None], [2, 4, None]]


def test_a_mean_from_a_file_is_named(study, text):
    give_means(study, "relevance", [2.5] * 4)
    ((_, aspect, mean, _),) = read(study, text).means
    assert (aspect.key, mean) == ("relevance", 2.5)


def test_damaged_versions_made_from_it_stand_beside_it(study, text):
    submit(study, "ann", negative=1)
    submit(study, "careless", real=2, negative=5)
    (damaged,) = read(study, text).damaged
    assert [(mean.value, n) for mean, n in damaged.means] == [(1, 1)] * 3


def test_reports_are_told_with_a_pseudonym(study, text):
    seat = submit(study, "ann")
    position = seat.order.index(text.items.get().pk) + 1
    reports.report(seat=seat, position=position, reason="It insults.", now=NOON)
    (found,) = read(study, text).reports
    assert found.reason == "It insults." and found.pseudonym.startswith("w-")


def test_as_many_queries_for_many_raters_as_for_one(
    study, text, django_assert_num_queries
):
    def queries() -> int:
        with django_assert_num_queries(9):
            read(study, text)

    submit(study, "ann")
    queries()
    submit(study, "ben")
    submit(study, "cat")
    queries()
