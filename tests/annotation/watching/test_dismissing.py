from __future__ import annotations

import pytest
from django.core.cache import cache

from annotation import answering, assigning
from annotation.models import Dismissal, Event, Policy
from annotation.watching import attention, dismissing
from annotation.watching.dismissing import DismissalError
from tests.annotation.seating import LATER, NOON, lay_out, page
from tests.annotation.watching.test_attention import work


@pytest.fixture
def study(make_study):
    study = make_study(prompts=6, ratings_per_text=8)
    lay_out(study)
    Policy.objects.update(worker_pages=3)
    return study


@pytest.fixture
def hasty(study):
    return work(study, "hasty", 3, seconds=2)


def entry_of(worker) -> str:
    return f"worker:{worker.public_id}"


def dismiss(study, worker, user, reason="A colleague who tested it."):
    return dismissing.dismiss(
        study=study, entry=entry_of(worker), reason=reason, user=user, now=LATER
    )


def test_a_dismissed_entry_leaves_the_list_and_its_counts(study, hasty, alice):
    before = attention.read(study=study)
    dismiss(study, hasty, alice)
    after = attention.read(study=study)
    assert after.of(hasty) is None
    assert after.n_urgent == before.n_urgent - 1
    (hidden,) = after.dismissed
    assert hidden.dismissal.reason == "A colleague who tested it."


def test_who_dismissed_what_and_why_is_in_the_log(study, hasty, alice):
    subject = dismiss(study, hasty, alice)
    event = Event.objects.get(verb="dismissed-attention")
    assert (event.user, event.about) == (alice, subject.name)
    assert event.detail == "A colleague who tested it."


def test_it_can_be_brought_back(study, hasty, alice):
    dismiss(study, hasty, alice)
    dismissing.bring_back(study=study, entry=entry_of(hasty), user=alice, now=LATER)
    assert attention.read(study=study).of(hasty) is not None
    assert Event.objects.filter(verb="brought-back-attention").exists()


def test_it_comes_back_by_itself_when_something_new_is_found(study, hasty, alice):
    dismiss(study, hasty, alice)
    work(study, "other", 1)  # says nothing of the first
    assert attention.read(study=study).of(hasty) is None
    kept = Dismissal.objects.get()
    kept.seen.pop("fast")
    kept.save()
    assert attention.read(study=study).of(hasty) is not None


def test_one_more_comment_is_news(study, alice):
    worker = work(study, "talker", 1, comment="The third text ends early.")
    dismiss(study, worker, alice)
    assert attention.read(study=study).of(worker) is None
    seat = assigning.claim(worker=worker, now=NOON)
    said = "So does this one."
    answering.submit(seat=seat, answers=page(seat), now=NOON, comment=said)
    cache.clear()  # new pages are seen after some seconds
    assert attention.read(study=study).of(worker) is not None


@pytest.mark.parametrize("reason", ["", "  ", "\x00"])
def test_without_a_reason_it_stays(study, hasty, alice, reason):
    with pytest.raises(DismissalError, match="Enter a reason"):
        dismiss(study, hasty, alice, reason)
    assert attention.read(study=study).of(hasty) is not None


def test_what_is_not_on_the_list_cannot_be_dismissed(study, alice):
    with pytest.raises(DismissalError, match="no longer on the list"):
        dismissing.dismiss(
            study=study, entry="worker:nobody", reason="x", user=alice, now=NOON
        )


def test_what_is_not_dismissed_cannot_be_brought_back(study, hasty, alice):
    with pytest.raises(DismissalError, match="not dismissed"):
        dismissing.bring_back(study=study, entry=entry_of(hasty), user=alice, now=NOON)
