import threading
from collections import Counter

import pytest
from django.db import connections
from django.utils import timezone

from annotation import platforms, surveys
from annotation.models import Generation, Item, Place, Seat, Study, Worker
from tests.annotation.seating import LATER, NOON

pytestmark = pytest.mark.django_db


def content(study):
    """What stands on the pages, whatever the ids."""
    return [
        (
            survey.number,
            survey.seed,
            survey.negative.perturbation,
            survey.negative.seed,
            survey.negative.source.key,
            [
                item.generation.key if item.generation else "-"
                for item in items_of(survey)
            ],
            [item.text for item in items_of(survey)],
        )
        for survey in study.surveys.order_by("number")
    ]


def items_of(survey):
    return survey.items.order_by("id")


def sit(study, state=Seat.State.CLAIMED):
    """Put a worker on the first place."""
    place = Place.objects.filter(study=study).first()
    worker = Worker.objects.create(study=study, platform="direct", external_id="w")
    Place.objects.filter(pk=place.pk).update(free=False)
    return Seat.objects.create(
        survey=place.survey,
        place=place,
        worker=worker,
        state=state,
        order=[],
        claimed_at=timezone.now(),
    )


# Drawing


def test_each_survey_has_a_text_of_each_system_and_one_negative(make_study):
    study = make_study(prompts=2, samples=2)
    drawn = surveys.draw(study=study)
    assert [survey.number for survey in drawn] == [1, 2, 3, 4]
    for survey in drawn:
        real = [item.generation for item in survey.items.all() if item.generation]
        assert {text.system.name for text in real} == {"a", "b", "c", "d"}
        assert {text.prompt for text in real} == {survey.prompt}
        assert len({text.sample for text in real}) == 1
        assert survey.items.count() == 5
        assert survey.items.filter(negative=survey.negative).count() == 1


def test_every_text_is_drawn_once(make_study):
    study = make_study(prompts=3, samples=2, texts_per_survey=3)
    surveys.draw(study=study)
    drawn = Item.objects.filter(survey__study=study, generation__isnull=False)
    assert sorted(drawn.values_list("generation", flat=True)) == sorted(
        study.generations.values_list("pk", flat=True)
    )


def test_more_systems_than_fit_are_spread_over_pages(make_study):
    study = make_study(prompts=2, systems=tuple("abcdefg"), texts_per_survey=4)
    drawn = surveys.draw(study=study)
    assert sorted(survey.items.count() for survey in drawn) == [4, 4, 5, 5]


def test_texts_of_unknown_systems_are_drawn_too(make_study):
    study = make_study(prompts=2, samples=2)
    study.generations.update(system=None)
    drawn = surveys.draw(study=study)
    assert [survey.items.count() for survey in drawn] == [5, 5, 5, 5]


def test_the_same_seed_draws_the_same_surveys(make_study):
    one = make_study(name="one", prompts=4, samples=2, texts_per_survey=3)
    # Other ids, other order of rows: what counts is what was uploaded.
    other = make_study(
        name="other",
        prompts=4,
        samples=2,
        texts_per_survey=3,
        systems=("d", "c", "b", "a"),
    )
    for text in other.generations.select_related("system"):
        twin = one.generations.get(key=text.key)
        Generation.objects.filter(pk=text.pk).update(text=twin.text)
    surveys.draw(study=one)
    surveys.draw(study=other)
    assert content(one) == content(other)


def test_another_seed_draws_others(make_study):
    study = make_study(prompts=4, samples=2)
    surveys.draw(study=study)
    before = content(study)
    Study.objects.update(seed=8)
    surveys.draw(study=study)
    assert content(study) != before


def test_drawing_again_replaces_the_draw(make_study):
    study = make_study()
    surveys.draw(study=study)
    before = content(study)
    surveys.draw(study=study)
    assert content(study) == before


def test_the_negative_can_be_any_row_of_its_page(make_study):
    study = make_study(prompts=20, samples=2)
    surveys.draw(study=study)
    places = Counter(
        list(items_of(survey).values_list("negative", flat=True)).index(
            survey.negative.pk
        )
        for survey in study.surveys.all()
    )
    assert set(places) == {0, 1, 2, 3, 4}
    assert max(places.values()) < 20


def test_negatives_are_damaged_in_all_ways_about_equally_often(make_study):
    study = make_study(prompts=10, samples=2)
    surveys.draw(study=study)
    kinds = Counter(study.surveys.values_list("negative__perturbation", flat=True))
    assert len(kinds) >= 8
    assert set(kinds.values()) == {2, 3}


def test_negatives_are_no_twins_of_texts_on_their_page(make_study):
    study = make_study(prompts=6, samples=3)
    for survey in surveys.draw(study=study):
        real = {i.generation_id for i in survey.items.all() if i.generation_id}
        assert survey.negative.source_id not in real
        assert survey.negative.text.startswith(survey.prompt.prefix)


def test_it_says_what_to_add_where_no_negative_can_be_made(make_study):
    study = make_study(prompts=1)
    with pytest.raises(surveys.DrawError, match="Add a second text"):
        surveys.draw(study=study)
    assert not study.surveys.exists()


def test_it_does_not_draw_again_once_somebody_sat_down(make_study):
    study = make_study()
    surveys.open_study(study=study)
    sit(study, Seat.State.DISCARDED)
    surveys.pause(study=study)
    with pytest.raises(surveys.DrawError, match="already started"):
        surveys.draw(study=study)


def test_it_does_not_draw_while_workers_may_come(make_study):
    study = make_study()
    surveys.open_study(study=study)
    with pytest.raises(surveys.DrawError, match="is open"):
        surveys.draw(study=study)


def test_drawing_takes_as_many_queries_for_many_texts(
    make_study, django_assert_max_num_queries
):
    study = make_study(prompts=30, samples=2)
    with django_assert_max_num_queries(40):
        surveys.draw(study=study)


# Opening, pausing, closing


def test_opening_draws_and_makes_the_places(make_study):
    study = make_study(ratings_per_text=3)
    surveys.open_study(study=study)
    assert study.state == Study.State.OPEN
    for survey in study.surveys.all():
        places = survey.places.all()
        assert [place.number for place in places] == [1, 2, 3]
        assert all(place.free and place.study == study for place in places)


def test_opening_keeps_surveys_that_are_drawn_already(make_study):
    study = make_study()
    drawn = surveys.draw(study=study)
    surveys.open_study(study=study)
    assert set(study.surveys.all()) == set(drawn)


def test_opening_draws_again_where_texts_came_since(make_study):
    study = make_study()
    surveys.draw(study=study)
    old = study.generations.first()
    Generation.objects.create(
        study=study, key="new", prompt=old.prompt, text=old.text + " Once more."
    )
    surveys.open_study(study=study)
    assert Item.objects.filter(generation__key="new").exists()


def test_opening_draws_again_where_aspects_changed_since(make_study):
    study = make_study()
    surveys.draw(study=study)
    study.aspects.all().delete()
    study.aspects.create(key="overall", title="Overall", question="?")
    surveys.open_study(study=study)
    hurts = study.surveys.values_list("negative__hurts", flat=True)
    assert all(keys == ["overall"] for keys in hurts)


def test_opening_draws_again_where_pages_became_too_long(make_study):
    study = make_study()
    surveys.draw(study=study)
    Study.objects.update(texts_per_survey=2)
    surveys.open_study(study=study)
    assert {survey.items.count() for survey in study.surveys.all()} == {3}


def test_places_are_handed_out_in_random_order(make_study):
    study = make_study(prompts=10)
    surveys.open_study(study=study)
    places = Place.objects.filter(study=study, number=1).order_by("shuffle")
    order = [place.survey.number for place in places.select_related("survey")]
    assert order != sorted(order)
    assert len(set(Place.objects.values_list("shuffle", flat=True))) == 20


def test_one_by_one_all_places_of_a_prompt_share_their_turn(make_study):
    study = make_study(prompts=10, one_by_one=True, ratings_per_text=3)
    surveys.open_study(study=study)
    rows = list(Place.objects.values_list("survey__prompt", "shuffle"))
    turns = dict(rows)
    assert len(rows) == 30 and all(turns[prompt] == turn for prompt, turn in rows)
    by_turn = sorted(turns, key=turns.get)
    assert len(set(turns.values())) == 10 and by_turn != sorted(turns)


def test_opening_twice_changes_nothing(make_study):
    study = make_study()
    surveys.open_study(study=study)
    before = list(Place.objects.values_list("pk", "shuffle"))
    surveys.open_study(study=study)
    assert list(Place.objects.values_list("pk", "shuffle")) == before


def test_opening_after_a_pause_keeps_the_seats(make_study):
    study = make_study()
    surveys.open_study(study=study)
    seat = sit(study)
    surveys.pause(study=study)
    surveys.open_study(study=study)
    seat.refresh_from_db()
    assert not seat.place.free
    assert Place.objects.count() == 4


def test_more_ratings_are_more_places(make_study):
    study = make_study(ratings_per_text=2)
    surveys.open_study(study=study)
    shuffles = set(Place.objects.values_list("shuffle", flat=True))
    surveys.pause(study=study)
    Study.objects.update(ratings_per_text=4)
    surveys.open_study(study=study)
    assert {survey.places.count() for survey in study.surveys.all()} == {4}
    assert shuffles < set(Place.objects.values_list("shuffle", flat=True))


def test_fewer_ratings_close_the_places_beyond(make_study):
    study = make_study(ratings_per_text=3)
    surveys.open_study(study=study)
    sit(study)
    for wanted, n_free in ((1, 1), (3, 5)):
        surveys.pause(study=study)
        Study.objects.update(ratings_per_text=wanted)
        surveys.open_study(study=study)
        assert Place.objects.filter(free=True).count() == n_free


def test_a_study_without_texts_cannot_be_opened(make_study):
    study = make_study(prompts=0)
    with pytest.raises(surveys.TransitionError, match="no texts. Import some"):
        surveys.open_study(study=study)
    assert Study.objects.get().state == Study.State.DRAFT


def test_a_study_without_aspects_cannot_be_opened(make_study):
    study = make_study(aspects=())
    with pytest.raises(surveys.TransitionError, match="no question"):
        surveys.open_study(study=study)


def test_opening_leaves_a_draft_where_no_negative_can_be_made(make_study):
    study = make_study(prompts=1)
    with pytest.raises(surveys.TransitionError, match="No damaged text"):
        surveys.open_study(study=study)
    assert Study.objects.get().state == Study.State.DRAFT


def test_pausing_and_closing(make_study):
    study = make_study()
    surveys.open_study(study=study)
    surveys.pause(study=study)
    assert study.state == Study.State.PAUSED
    surveys.pause(study=study)
    surveys.close(study=study)
    assert study.state == Study.State.CLOSED
    surveys.close(study=study)


def test_refusals_name_the_state_and_what_is_possible(make_study):
    study = make_study()
    with pytest.raises(surveys.TransitionError) as refused:
        surveys.pause(study=study)
    assert str(refused.value) == (
        "This study is a draft, so it cannot be paused. It can be opened."
    )
    surveys.open_study(study=study)
    surveys.close(study=study)
    with pytest.raises(surveys.TransitionError, match="is closed, so it cannot be op"):
        surveys.open_study(study=study)
    with pytest.raises(surveys.TransitionError, match="Create a new study"):
        surveys.pause(study=study)


def test_a_stale_page_cannot_reopen_what_somebody_closed(make_study):
    study = make_study()
    surveys.open_study(study=study)
    stale = Study.objects.get()
    surveys.close(study=study)
    with pytest.raises(surveys.TransitionError, match="is closed"):
        surveys.pause(study=stale)
    assert Study.objects.get().state == Study.State.CLOSED


@pytest.mark.django_db(transaction=True)
def test_simultaneous_clicks_draw_once(make_study):
    study = make_study(prompts=4)
    start = threading.Barrier(4)
    errors = []

    def click():
        try:
            mine = Study.objects.get(pk=study.pk)
            start.wait()
            surveys.open_study(study=mine)
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    clicks = [threading.Thread(target=click) for _ in range(4)]
    for thread in clicks:
        thread.start()
    for thread in clicks:
        thread.join()
    assert not errors
    assert study.surveys.count() == 4
    assert Place.objects.count() == 8


def test_a_study_whose_workers_could_not_come_in_is_not_opened(make_study, monkeypatch):
    study = make_study(platform="mturk")
    monkeypatch.delitem(platforms.PLATFORMS, "mturk")
    with pytest.raises(surveys.TransitionError, match="cannot take workers from mturk"):
        surveys.open_study(study=study)
    study.refresh_from_db()
    assert study.state == Study.State.DRAFT


# The log, and the end


def test_transitions_are_logged_with_who_did_them(make_study, alice):
    study = make_study()
    surveys.open_study(study=study, user=alice, now=NOON)
    surveys.open_study(study=study, user=alice, now=NOON)  # changes nothing
    surveys.pause(study=study, now=NOON)
    surveys.close(study=study, user=alice, now=NOON)
    log = study.events.order_by("pk").values_list("verb", "user", "at")
    assert list(log) == [
        ("opened", alice.pk, NOON),
        ("paused", None, NOON),
        ("closed", alice.pk, NOON),
    ]


def test_closing_says_when_and_only_once(make_study):
    study = make_study()
    surveys.open_study(study=study, now=NOON)
    surveys.pause(study=study, now=NOON)
    assert study.closed_at is None
    surveys.close(study=study, now=NOON)
    surveys.close(study=study, now=LATER)
    study.refresh_from_db()
    assert study.closed_at == NOON


def test_spare_seats_are_places_beyond_those_that_count(make_study):
    study = make_study(ratings_per_text=2, spare_seats=1)
    surveys.open_study(study=study)
    for survey in study.surveys.all():
        assert [place.number for place in survey.places.all()] == [1, 2, 3]
