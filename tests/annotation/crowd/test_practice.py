from __future__ import annotations

import pytest
from django.utils import translation

from annotation.crowd import practice
from annotation.crowd.practice import Missing, Over, PracticeError, Text
from annotation.kinds.ratings.practice import in_words
from annotation.models import Event, PracticeTry, Study, Worker
from tests.annotation.seating import NOON, hire, in_threads

pytestmark = pytest.mark.django_db

GOOD = Text("A ferry left at seven.", {"coherence": (4, 5)}, "One thing follows.")
BAD = Text("Gulls. Seven. Bread.", {"coherence": (1, 2), "relevance": (1, 3)})


def define(study: Study, texts=(GOOD, BAD), attempts: int = 2):
    return practice.define(
        study=study, prefix="", label="", attempts=attempts, texts=texts
    )


@pytest.fixture
def study(make_study):
    """Open, with a practice page of two texts and two tries."""
    study = make_study()
    define(study)
    study.state = Study.State.OPEN
    study.save()
    return study


@pytest.fixture
def worker(study):
    return hire(study, "w1")


def answers(first: int = 5, second: int = 1) -> dict[tuple[int, str], int]:
    keys = ("coherence", "consistency", "relevance")
    return {(at, key): value for at, value in ((1, first), (2, second)) for key in keys}


def attempt(worker: Worker, number: int = 1, **values) -> PracticeTry:
    return practice.attempt(
        worker=worker, number=number, answers=answers(**values), now=NOON
    )


class TestDefine:
    def test_a_new_page_replaces_the_old_one(self, make_study):
        study = make_study()
        define(study)
        page = define(study, texts=[BAD], attempts=3)
        assert [text.text for text in page.texts.all()] == [BAD.text]
        assert practice.of(study).attempts == 3

    @pytest.mark.parametrize(
        "texts, said",
        [
            ([], "1 to 6 texts"),
            ([GOOD] * 7, "1 to 6 texts"),
            ([Text("a", {"humour": (1, 2)})], "no aspect humour"),
            ([Text("a", {"coherence": (4, 6)})], "within 1 to 5"),
            ([Text("a", {"coherence": (4, 2)})], "the lower number first"),
            ([Text("a", {})], "Otherwise everyone passes"),
        ],
    )
    def test_it_refuses_a_page_that_nobody_can_pass_or_fail(
        self, make_study, texts, said
    ):
        study = make_study()
        with pytest.raises(PracticeError, match=said):
            define(study, texts=texts)
        assert practice.of(study) is None

    def test_after_opening_it_stays_as_it_is(self, study):
        with pytest.raises(PracticeError, match="fixed when the study opened"):
            define(study, texts=[BAD])
        with pytest.raises(PracticeError):
            practice.remove(study=study)
        assert practice.of(study).texts.count() == 2


class TestAttempt:
    def test_who_meets_every_range_passes_and_is_let_on(self, worker):
        assert practice.is_due(worker)
        assert attempt(worker).passed
        assert not practice.is_due(worker)

    def test_without_a_practice_page_nobody_has_to_pass_it(self, make_study):
        assert not practice.is_due(hire(make_study(), "w1"))

    @pytest.mark.parametrize("values", [{"first": 3}, {"second": 3}])
    def test_one_answer_outside_its_range_fails_the_try(self, worker, values):
        assert not attempt(worker, **values).passed
        assert practice.is_due(worker)
        assert attempt(worker, 2).passed

    def test_after_the_last_try_the_worker_is_screened_out(self, worker):
        attempt(worker, first=1)
        attempt(worker, 2, first=1)
        worker.refresh_from_db()
        assert (worker.state, worker.state_at) == (Worker.State.SCREENED, NOON)
        assert Event.objects.get().verb == "screened-out-worker"
        with pytest.raises(Over):
            attempt(worker, 3)

    def test_a_form_that_is_sent_twice_counts_once(self, worker):
        first = attempt(worker, first=1)
        again = attempt(worker, first=5)
        assert again == first and not again.passed
        assert worker.tries.count() == 1

    def test_it_counts_tries_itself(self, worker):
        for number in (0, 2, 9):
            with pytest.raises(Over):
                attempt(worker, number)
        assert practice.is_due(worker)

    def test_a_page_with_open_questions_is_no_try(self, worker):
        some = answers()
        del some[2, "relevance"]
        with pytest.raises(Missing):
            practice.attempt(worker=worker, number=1, answers=some, now=NOON)
        assert not worker.tries.exists()

    def test_a_paused_study_takes_no_tries(self, study, worker):
        Study.objects.update(state="paused")
        with pytest.raises(Over):
            attempt(worker)

    def test_an_aspect_that_was_removed_is_asked_no_more(self, make_study):
        study = make_study()
        define(study)
        study.aspects.filter(key="relevance").delete()
        Study.objects.update(state="open")
        worker = hire(study, "w1")
        given = {at: v for at, v in answers().items() if at[1] != "relevance"}
        kept = practice.attempt(worker=worker, number=1, answers=given, now=NOON)
        assert kept.passed


@pytest.mark.django_db(transaction=True)
def test_a_double_click_is_one_try(study, worker):
    tries = in_threads(4, lambda _: attempt(worker, first=1))
    assert len({tried.pk for tried in tries}) == 1
    assert worker.tries.count() == 1


class TestFeedback:
    def test_it_says_what_was_expected_and_why(self, study, worker):
        tried = attempt(worker, first=2)
        first, second = practice.feedback(practice=practice.of(study), tried=tried)
        assert (first.met, second.met) == (False, True)
        assert first.why == "One thing follows."
        coherence, consistency, _ = first.answers
        assert (coherence.words, coherence.expected, coherence.met) == (
            "2",
            "4 or 5",
            False,
        )
        assert (consistency.expected, consistency.met) == ("", True)

    def test_cannot_say_stands_in_the_quotes_of_the_language(self, study, worker):
        tried = practice.attempt(
            worker=worker,
            number=1,
            answers=answers() | {(1, "coherence"): None},
            now=NOON,
        )
        with translation.override("de"):
            first, _ = practice.feedback(practice=practice.of(study), tried=tried)
        assert first.answers[0].words == "„Kann ich nicht sagen“"

    @pytest.mark.parametrize(
        "range_, words", [((3, 3), "3"), ((4, 5), "4 or 5"), ((1, 3), "1 to 3")]
    )
    def test_ranges_are_said_in_words(self, range_, words):
        assert in_words(*range_) == words


def test_an_answer_is_expected_on_the_scale_of_its_question(make_study):
    study = make_study()
    study.aspects.filter(key="coherence").update(kind="slider")
    expected = {"coherence": (60, 100)}
    page = define(study, texts=[practice.Text("One.", expected)])
    assert page.texts.get().expected == {"coherence": [60, 100]}
    with pytest.raises(practice.PracticeError, match="within 1 to 5"):
        define(study, texts=[practice.Text("One.", {"consistency": (60, 100)})])


def test_who_cannot_say_has_not_met_what_was_expected(make_study):
    study = make_study()
    define(study, texts=[practice.Text("One.", {"coherence": (4, 5)})])
    Study.objects.update(state=Study.State.OPEN)
    study.refresh_from_db()
    given = {(1, key): None for key in study.aspects.values_list("key", flat=True)}
    tried = practice.attempt(
        worker=hire(study, "ann"), number=1, answers=given, now=NOON
    )
    assert not tried.passed
    (found,) = practice.feedback(practice=practice.of(study), tried=tried)
    met = {answer.title: (answer.words, answer.met) for answer in found.answers}
    assert met["Coherence"] == ("“Cannot say”", False)
    assert met["Consistency"] == ("“Cannot say”", True)
