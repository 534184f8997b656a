"""Practice of marked errors, as researchers define it and workers go through it."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation import surveys
from annotation.crowd import practice
from annotation.crowd.forms import pages
from annotation.crowd.practice import Text
from annotation.kinds.spans.answers import MARKED
from annotation.models import PracticeTry, Study

pytestmark = pytest.mark.django_db

URL = "/studies/ferry/practice/"
WORDS = "The gulls left at seven."
GULLS = {"start": 4, "end": 9, "category": "", "severity": "major", "side": "text"}
EXPECTED = {MARKED: [{**GULLS, "words": "gulls"}]}
KEYS = ("coherence", "consistency", "relevance")


@pytest.fixture
def draft(make_study):
    study = make_study(page_kinds=["spans"])
    return study


@pytest.fixture
def client_of_researcher(as_alice, client):
    return client


def form(**fields: str) -> dict[str, str]:
    given = {"prefix": "", "source": "", "label": "", "attempts": "2"}
    given |= {"texts-TOTAL_FORMS": "1", "texts-INITIAL_FORMS": "0"}
    return {**given, "texts-0-text": WORDS, **fields}


def marks(*rows: dict) -> str:
    return json.dumps(list(rows))


class TestResearchers:
    def test_marks_are_saved_and_shown_again(self, client_of_researcher, draft):
        of_text = marks({**GULLS, "words": "gulls"})
        sent = form(**{"marks-1": of_text, "texts-0-coherence-from": "2"})
        assert client_of_researcher.post(URL, sent).status_code == 302
        stored = draft.practice.texts.get().expected
        assert stored == {**EXPECTED, "coherence": [2, 5]}
        first, *_ = client_of_researcher.get(URL).context["texts"]
        assert [row.words for row in first.expectation.card.marking.rows] == ["gulls"]

    def test_a_mark_is_added_without_a_script(self, client_of_researcher, draft):
        added = {"about": "", "marks-1": "[]", "from-1-text": "2"}
        added |= {"severity-1-text": "minor"}
        answer = client_of_researcher.post(URL, form(**added))
        assert answer.status_code == 200 and not hasattr(draft, "practice")
        first, *_ = answer.context["texts"]
        (row,) = first.expectation.card.marking.rows
        assert (row.words, row.severity) == ("gulls", "Minor")

    def test_marks_on_words_that_are_gone_are_left_out_with_a_word(
        self, client_of_researcher, draft
    ):
        of_text = marks({**GULLS, "words": "gulls"})
        sent = form(**{"marks-1": of_text, "texts-0-text": "It left."})
        answer = client_of_researcher.post(URL, sent)
        assert answer.status_code == 400
        assert "no longer has" in answer.content.decode()

    def test_nothing_to_mark_is_an_expectation(self, client_of_researcher, draft):
        sent = form(**{"marks-1": "[]", "clean-1": "1"})
        assert client_of_researcher.post(URL, sent).status_code == 302
        assert draft.practice.texts.get().expected == {MARKED: []}


def test_a_mark_that_does_not_stand_in_its_text_is_refused(draft):
    text = Text("Bread.", EXPECTED)
    with pytest.raises(practice.PracticeError, match="Text 1"):
        practice.define(study=draft, prefix="", label="", attempts=1, texts=[text])


@pytest.fixture
def study(draft):
    practice.define(
        study=draft,
        prefix="",
        source="Die Fähre",
        label="",
        attempts=2,
        texts=[Text(WORDS, EXPECTED, "Gulls fly.")],
    )
    surveys.open_study(study=draft)
    return draft


@pytest.fixture
def worker(study):
    """A browser of somebody who has agreed."""
    browser = Client()
    browser.get(study.get_worker_url(), {"PROLIFIC_PID": "a" * 24})
    agreed = {"agree": "on", "version": pages.ConsentForm(study).digest}
    browser.post(url("start", study), agreed)
    return browser


def url(name: str, study: Study) -> str:
    return reverse(f"worker:{name}", args=[study.public_id])


def answer(number: int = 1, **fields: str) -> dict[str, str]:
    return {"number": str(number), **{f"a-1-{key}": "3" for key in KEYS}, **fields}


class TestWorkers:
    def test_the_source_stands_beside_the_texts(self, worker, study):
        assert "Die Fähre" in worker.get(url("practice", study)).content.decode()

    def test_who_marks_the_expected_words_passes(self, worker, study):
        own = {**GULLS, "severity": "minor", "start": 6, "words": "lls"}
        sent = answer(**{"marks-1": marks(own)})
        page = worker.post(url("practice_try", study), sent, follow=True)
        assert PracticeTry.objects.get().passed
        (card,) = page.context["feedback"]
        ((_, met, other),) = card.expected_rows
        assert met.is_met and other == "Minor" and "Gulls fly." in page.content.decode()

    def test_who_marks_nothing_is_shown_what_they_missed(self, worker, study):
        sent = answer(**{"marks-1": "[]", "clean-1": "1"})
        page = worker.post(url("practice_try", study), sent, follow=True)
        assert not PracticeTry.objects.get().passed
        assert "You missed this." in page.content.decode()
        (card,) = page.context["feedback"]
        assert not card.met and not card.extra_rows

    def test_a_text_without_marks_or_a_tick_is_asked_for(self, worker, study):
        sent = answer(**{"marks-1": "[]"})
        page = worker.post(url("practice_try", study), sent)
        assert page.status_code == 400 and not PracticeTry.objects.exists()
        assert [asked.name for asked in page.context["missing"]] == ["marking-1"]

    def test_a_mark_is_added_without_a_script_and_no_try_is_used(self, worker, study):
        sent = answer(**{"about": "", "marks-1": "[]", "from-1-text": "2"})
        sent |= {"severity-1-text": "major"}
        page = worker.post(url("practice_try", study), sent)
        assert page.status_code == 200 and not PracticeTry.objects.exists()
        (card,) = page.context["cards"]
        assert [row.words for row in card.marking.rows] == ["gulls"]

    def test_what_a_mark_still_needs_is_said_and_its_words_stay(self, worker, study):
        sent = answer(**{"about": "list-1-text", "marks-1": "[]", "from-1-text": "2"})
        page = worker.post(url("practice_try", study), sent)
        (card,) = page.context["cards"]
        (words,) = card.marking.lists
        assert card.marking.rows == [] and words.is_open and words.problem
        assert words.chosen == {"from": "2"}
