"""Any text can be excluded, whether or not anyone reported it."""

from __future__ import annotations

import pytest

from annotation import human_scores
from annotation.models import Report
from annotation.watching import reports, reviewing
from tests.annotation.seating import LATER, NOON, hand_in, lay_out, sit
from tests.support.scored import rate


@pytest.fixture
def study(make_study):
    """A study whose ratings came with a file: no page, no report."""
    study = make_study(prompts=1)
    rate(study, "coherence", [[4]] * 4)
    return study


@pytest.fixture
def text(study):
    return study.generations.first()


def exclude(text, user, reason="Names a real person.", now=NOON):
    reviewing.exclude(text=text, reason=reason, user=user, now=now)


def rated(study) -> int:
    return len(human_scores.means(study=study).generations)


def test_an_imported_text_leaves_statistics_and_comes_back(study, text, alice):
    exclude(text, alice)
    assert rated(study) == 3
    assert len(human_scores.means(study=study, with_excluded=True).generations) == 4
    reviewing.include(text=text, note="Checked.", user=alice, now=LATER)
    assert rated(study) == 4
    text.refresh_from_db()
    assert text.excluded_reason == ""


def test_both_stand_in_the_log_with_their_reason(study, text, alice):
    exclude(text, alice)
    reviewing.include(text=text, note="Checked.", user=alice, now=LATER)
    found = study.events.values_list("verb", "about", "detail", "user")
    assert list(found) == [
        ("included-text", text.key, "Checked.", alice.pk),
        ("excluded-text", text.key, "Names a real person.", alice.pk),
    ]


def test_it_needs_a_reason(study, text, alice):
    with pytest.raises(reviewing.ReviewError, match="Enter a reason"):
        exclude(text, alice, reason=" \n")
    assert rated(study) == 4 and not study.events.exists()


def test_it_is_done_once(study, text, alice):
    exclude(text, alice)
    with pytest.raises(reviewing.ReviewError, match="excluded already"):
        exclude(text, alice, reason="Another reason.")
    text.refresh_from_db()
    assert text.excluded_reason == "Names a real person."
    assert study.events.count() == 1


def test_what_is_not_excluded_cannot_be_included(study, text, alice):
    with pytest.raises(reviewing.ReviewError, match="counts already"):
        reviewing.include(text=text, note="", user=alice, now=NOON)


def test_a_reason_that_cannot_be_stored_is_cleaned(study, text, alice):
    exclude(text, alice, reason="bad\x00 words " + "x" * 900)
    text.refresh_from_db()
    assert "\x00" not in text.excluded_reason and len(text.excluded_reason) == 500


def test_reports_of_the_text_are_resolved_with_it(make_study, alice):
    study = make_study(name="reported", prompts=1)
    lay_out(study)
    seat = hand_in(sit(study, "ann"))
    for position in (1, 2, 3, 4, 5):
        reports.report(seat=seat, position=position, reason="Bad.", now=NOON)
    text = study.generations.first()
    exclude(text, alice)
    assert Report.objects.get(item__generation=text).state == "excluded"
    assert Report.objects.filter(state="open").count() == 4


class TestReading:
    def test_a_text_is_read_once_and_by_whom(self, study, text, alice, bob):
        reviewing.mark_read(text=text, user=alice, now=NOON)
        reviewing.mark_read(text=text, user=bob, now=LATER)
        text.refresh_from_db()
        assert (text.reviewed_by, text.reviewed_at) == (alice, NOON)
        assert reviewing.n_read(study=study) == (1, 4)

    def test_who_excludes_a_text_has_read_it(self, study, text, alice):
        exclude(text, alice)
        assert reviewing.n_read(study=study) == (1, 4)

    def test_reading_changes_no_score(self, study, text, alice):
        before = human_scores.stamp(study=study)
        reviewing.mark_read(text=text, user=alice, now=NOON)
        assert human_scores.stamp(study=study) == before


def test_a_text_without_words_stays_excluded(study, text, alice):
    exclude(text, alice, reason="no output")
    study.generations.filter(pk=text.pk).update(text="")
    with pytest.raises(reviewing.ReviewError, match="gave no output"):
        reviewing.include(text=text, note="", user=alice, now=LATER)
    text.refresh_from_db()
    assert text.excluded_reason == "no output" and rated(study) == 3
