"""A large study is opened by a worker, in pieces, and is never half open."""

import pytest

from annotation import surveys
from annotation.models import Generation, Negative, Opening, Place, Study
from annotation.surveys import drawing, opening
from evalapp.celery import app
from evalapp.work import dispatch, leases
from tests.annotation.seating import LATER, NOON
from tests.annotation.surveys.test_drawing import content, sit
from tests.annotation.surveys.test_drawing_more import add_system

pytestmark = pytest.mark.django_db

State = Opening.State


@pytest.fixture
def sent(monkeypatch):
    """Messages that went out. Every study is a large one, of pieces of two pages."""
    found = []
    monkeypatch.setattr(
        dispatch, "send", lambda task, pk, queue: found.append((task, pk))
    )
    monkeypatch.setattr(opening, "MAX_TEXTS", 0)
    monkeypatch.setattr(opening, "PIECE", 2)
    monkeypatch.setattr(
        opening, "wake_on_commit", lambda kind, ids: dispatch.wake(kind, ids, now=NOON)
    )
    return found


@pytest.fixture
def large(make_study, sent):
    return make_study(prompts=6)


def work(row, now=NOON, owner="me"):
    opening.OPENINGS.perform(pk=row.pk, owner=owner, clock=lambda: now)
    row.refresh_from_db()
    row.study.refresh_from_db()
    return row


def places(study):
    rows = Place.objects.filter(study=study).order_by("survey__number", "number")
    return list(rows.values_list("survey__number", "number", "shuffle"))


@pytest.fixture
def in_the_middle(monkeypatch):
    """Have something happen once the second piece is about to be written."""

    def have(happen):
        add, calls = drawing.add_surveys, []

        def watched(*args):
            calls.append(args)
            if len(calls) == 2:
                happen()
            return add(*args)

        monkeypatch.setattr(drawing, "add_surveys", watched)

    return have


class TestAsking:
    def test_a_small_study_opens_at_once(self, make_study):
        study = make_study()
        assert surveys.start_opening(study=study) is None
        assert study.state == Study.State.OPEN
        assert not Opening.objects.exists()

    @pytest.mark.parametrize("limit", ["MAX_TEXTS", "MAX_CHARACTERS"])
    def test_a_study_of_many_or_long_texts_waits_for_a_worker(
        self, make_study, monkeypatch, sent, limit
    ):
        monkeypatch.setattr(opening, "MAX_TEXTS", 300)
        monkeypatch.setattr(opening, limit, 7)
        study = make_study()  # of eight texts
        row = surveys.start_opening(study=study)
        assert (row.state, sent) == (State.QUEUED, [(Opening.TASK, row.pk)])
        study.refresh_from_db()
        assert study.state == Study.State.DRAFT

    def test_a_second_click_asks_for_nothing_more(self, large, sent):
        first = surveys.start_opening(study=large)
        assert surveys.start_opening(study=large) == first
        assert len(sent) == 1

    def test_a_study_that_cannot_be_opened_is_refused_at_once(self, make_study, sent):
        with pytest.raises(surveys.TransitionError, match="no texts"):
            surveys.start_opening(study=make_study(prompts=0))
        assert not sent

    def test_who_only_resumes_does_not_wait(self, large, sent):
        work(surveys.start_opening(study=large))
        surveys.pause(study=large)
        assert surveys.start_opening(study=large) is None
        assert len(sent) == 1

    def test_nobody_opens_it_beside_the_worker(self, large):
        surveys.start_opening(study=large)
        with pytest.raises(surveys.TransitionError, match="being prepared. Wait"):
            surveys.open_study(study=large)

    def test_celery_finds_the_task(self):
        app.loader.import_default_modules()
        assert Opening.TASK in app.tasks


class TestWork:
    def test_it_draws_what_would_have_been_drawn_at_once(self, large, make_study):
        row = work(surveys.start_opening(study=large))
        assert (row.state, row.done, row.total) == (State.DONE, 6, 6)
        assert row.study.state == Study.State.OPEN
        found = content(large), places(large)
        Opening.objects.all().delete()
        Place.objects.all().delete()
        large.surveys.all().delete()
        Study.objects.update(state=Study.State.DRAFT)
        surveys.open_study(study=large)
        assert (content(large), places(large)) == found

    def test_who_asked_stands_in_the_log(self, large, alice):
        work(surveys.start_opening(study=large, user=alice))
        assert list(large.events.values_list("verb", "user")) == [("opened", alice.pk)]

    def test_after_a_worker_that_died_another_one_begins_anew(
        self, large, in_the_middle
    ):
        def die():
            raise SystemExit

        in_the_middle(die)
        row = surveys.start_opening(study=large)
        with pytest.raises(SystemExit):
            work(row)
        large.refresh_from_db()
        assert (large.state, large.surveys.count()) == (Study.State.DRAFT, 2)
        row = work(row, now=LATER + leases.LEASE, owner="another")
        assert (row.state, row.attempt) == (State.DONE, 2)
        assert [survey.number for survey in large.surveys.all()] == [1, 2, 3, 4, 5, 6]
        assert Place.objects.count() == 12

    def test_cancelled_it_leaves_nothing(self, large, in_the_middle):
        in_the_middle(lambda: surveys.OPENINGS.cancel(large.opening))
        row = work(surveys.start_opening(study=large))
        assert (row.state, row.study.state) == (State.CANCELLED, Study.State.DRAFT)
        assert not large.surveys.exists()
        assert not Negative.objects.exists()
        surveys.OPENINGS.cancel(large.opening)  # once more changes nothing
        assert work(surveys.start_opening(study=large)).state == State.DONE

    def test_texts_that_arrive_meanwhile_are_not_forgotten(self, large, in_the_middle):
        twin = large.generations.first()
        fields = {"study": large, "prompt": twin.prompt, "sample": 9, "text": "New."}
        in_the_middle(
            lambda: Generation.objects.create(key="n", system=twin.system, **fields)
        )
        row = work(surveys.start_opening(study=large))
        assert row.state == State.FAILED
        assert row.error.startswith("Texts or settings changed while the pages were")
        assert row.study.state == Study.State.DRAFT
        assert not large.surveys.exists()
        assert work(surveys.start_opening(study=large)).state == State.DONE
        assert large.surveys.count() == 7

    def test_what_no_negative_can_be_made_for_is_said(self, make_study, sent):
        study = make_study(prompts=1)
        row = work(surveys.start_opening(study=study))
        assert (row.state, row.study.state) == (State.FAILED, Study.State.DRAFT)
        assert row.error.startswith("No damaged text can be made. The prompt")

    def test_a_study_that_was_closed_meanwhile_stays_closed(self, large, in_the_middle):
        Study.objects.update(state=Study.State.PAUSED)
        in_the_middle(lambda: surveys.close(study=large))
        row = work(surveys.start_opening(study=large))
        assert (row.state, row.study.state) == (State.FAILED, Study.State.CLOSED)
        assert "is closed, so it cannot be opened" in row.error


class TestTextsThatComeLater:
    @pytest.fixture
    def begun(self, make_study, sent):
        """A paused study that a worker has begun, and a system that came since."""
        study = make_study(prompts=4)
        surveys.open_study(study=study)
        sit(study)
        surveys.pause(study=study)
        add_system(study)
        Study.objects.update(ratings_per_text=3)
        return study

    def test_they_get_the_pages_that_they_would_have_got_at_once(self, begun):
        first = content(begun)
        work(surveys.start_opening(study=begun))
        found = content(begun), places(begun)
        assert found[0][:4] == first
        assert len(places(begun)) == 8 * 3
        for survey in begun.surveys.filter(number__gt=4):
            survey.delete()
        surveys.pause(study=begun)
        surveys.open_study(study=begun)
        assert (content(begun), places(begun)) == found

    def test_cancelled_the_pages_of_before_stay(self, begun, in_the_middle):
        first = content(begun)
        in_the_middle(lambda: surveys.OPENINGS.cancel(begun.opening))
        row = work(surveys.start_opening(study=begun))
        assert (row.state, row.study.state) == (State.CANCELLED, Study.State.PAUSED)
        assert content(begun) == first


def test_what_a_dead_worker_left_of_a_cancelled_opening_is_removed(
    large, in_the_middle, monkeypatch
):
    def die():
        raise SystemExit

    in_the_middle(die)
    row = surveys.start_opening(study=large)
    with pytest.raises(SystemExit):
        work(row)
    opening.tidy(now=LATER)
    assert large.surveys.count() == 2  # it still runs, for all that anyone knows
    surveys.OPENINGS.cancel(large.opening)
    monkeypatch.setattr(opening, "PIECE", 1)
    monkeypatch.setattr(opening, "PIECES_TIDIED", 1)
    opening.tidy(now=LATER)
    assert large.surveys.count() == 1
    opening.tidy(now=LATER)
    opening.tidy(now=LATER)
    assert not large.surveys.exists()
    row.refresh_from_db()
    assert row.done == 0
