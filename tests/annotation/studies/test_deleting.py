from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps

from annotation import studies, workers
from annotation.models import FirstLook, Opening, Rejudging, Study, Survey
from annotation.studies import StudyError, deleting
from evalapp.work import deferred_deletion
from scoring import pulse
from scoring.models import Checkpoint
from tests.annotation.seating import NOON, lay_out, sit
from tests.pages.test_access import study as full_study  # noqa: F401 -- a fixture
from tests.support.learner import trained
from tests.support.looking import twice
from tests.support.scored import rate

pytestmark = pytest.mark.django_db
LONG_AFTER = NOON + deleting.GRACE


@pytest.fixture
def study(make_study):
    return make_study()


def delete(study, typed=None, now=NOON, user=None):
    studies.delete(study=study, typed=typed or study.name, user=user, now=now)
    study.refresh_from_db()


def rows() -> dict[str, int]:
    """How many rows each table of ours has."""
    ours = (*apps.get_app_config("annotation").get_models(),)
    ours += (*apps.get_app_config("scoring").get_models(),)
    return {kind.__name__: n for kind in ours if (n := kind._base_manager.count())}


def test_what_is_lost_is_counted(study):
    lay_out(study)
    sit(study, "w1")
    rate(study, "coherence", [[1], [2, 3]])
    told = {what: n for n, what in studies.losses(study=study)}
    assert told == {"texts": 8, "ratings": 3, "surveys": 2, "worker": 1}


def test_its_name_must_be_typed(study):
    with pytest.raises(StudyError, match="Type the name of the study, ferry"):
        delete(study, typed="fery")
    assert study.deleted_at is None


def test_a_deleted_study_is_gone_for_all_but_can_be_restored(study, alice, bob, staff):
    study.members.create(user=bob, role="editor")
    delete(study, user=alice)
    for user in (alice, bob, staff):
        assert not Study.objects.visible_to(user).exists()
    assert Study.objects.deleted_of(alice).get() == study
    assert Study.objects.deleted_of(staff).get() == study
    assert not Study.objects.deleted_of(bob).exists()
    studies.restore(study=study, user=alice, now=NOON)
    assert Study.objects.visible_to(bob).get() == study
    verbs = study.events.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["deleted", "restored"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("draft", "draft"),
        ("open", "paused"),
        ("paused", "paused"),
        ("closed", "closed"),
    ],
)
def test_it_is_closed_to_workers_and_comes_back_as_it_was(study, before, after):
    Study.objects.filter(pk=study.pk).update(state=before)
    delete(study)
    assert study.state == Study.State.CLOSED
    studies.restore(study=study, user=None, now=NOON)
    study.refresh_from_db()
    assert (study.state, study.state_before, study.deleted_at) == (after, "", None)


def test_platform_ids_are_not_deleted_by_the_way(study):
    """The days of retention are counted from the end of the work, not from this."""
    Study.objects.filter(pk=study.pk).update(state="open", retention_days=1)
    delete(study)
    assert not workers.apply_retention(now=NOON + timedelta(days=9))
    assert study.closed_at is None


@pytest.mark.parametrize("verb", ["delete", "archive"])
def test_not_while_its_pages_are_drawn(study, verb):
    Opening.objects.create(study=study)
    with pytest.raises(StudyError, match=f"before you {verb} it"):
        if verb == "delete":
            delete(study)
        else:
            studies.archive(study=study, user=None, now=NOON)


@pytest.mark.parametrize("verb", ["delete", "archive"])
def test_not_while_its_pages_are_checked_again(study, verb):
    policy = study.current_policy()
    row = Rejudging.objects.create(study=study, policy=policy, asked_at=NOON)
    put_away = {
        "delete": lambda: delete(study),
        "archive": lambda: studies.archive(study=study, user=None, now=NOON),
    }[verb]
    with pytest.raises(StudyError, match="cancel that on Quality control, before you"):
        put_away()
    Rejudging.objects.filter(pk=row.pk).update(state="done")
    put_away()


def test_an_open_study_is_not_archived(study):
    lay_out(study)
    with pytest.raises(StudyError, match="Pause or close it"):
        studies.archive(study=study, user=None, now=NOON)


def test_an_archived_study_comes_back(study):
    studies.archive(study=study, user=None, now=NOON)
    study.refresh_from_db()
    assert study.archived_at == NOON
    studies.unarchive(study=study, user=None, now=NOON)
    study.refresh_from_db()
    assert study.archived_at is None


class TestRemovedForGood:
    def test_after_30_days_and_not_before(self, study):
        delete(study)
        studies.purge(now=LONG_AFTER - timedelta(seconds=1))
        assert not FirstLook.objects.exists()
        studies.purge(now=LONG_AFTER)
        assert Study.objects.exists()
        studies.purge(now=LONG_AFTER + deferred_deletion.PAUSE)
        assert not Study.objects.exists()

    def test_nothing_of_it_is_left_in_any_table(self, full_study):  # noqa: F811
        delete(full_study)
        assert len(rows()) > 25
        twice(studies.purge, now=LONG_AFTER)
        # What a score was made by belongs to all studies. A look names no study.
        assert set(rows()) == {"Signature", "FirstLook"}

    def test_other_studies_keep_all_they_have(self, full_study, make_study):  # noqa: F811
        other = make_study(name="other")
        lay_out(other)
        sit(other, "w1")
        kept = trained(other, name="learned-elsewhere")
        Checkpoint.objects.filter(pk=kept.pk).update(aspect=full_study.aspects.first())
        delete(full_study)
        twice(studies.purge, now=LONG_AFTER)
        assert other.generations.count() == 8
        assert Survey.objects.filter(study=other).count() == 2
        assert Checkpoint.objects.get().aspect is None

    def test_a_large_study_goes_in_pieces(self, study, monkeypatch):
        monkeypatch.setattr(deleting, "MOST_ROWS", 5)
        monkeypatch.setattr(deleting, "AT_ONCE", 3)
        delete(study)
        twice(studies.purge, now=LONG_AFTER)
        assert Study.objects.exists()
        for _ in range(20):
            studies.purge(now=LONG_AFTER + deferred_deletion.PAUSE)
        assert not Study.objects.exists()

    def test_a_study_that_is_restored_in_between_stays(self, study):
        delete(study)
        studies.restore(study=study, user=None, now=NOON)
        twice(studies.purge, now=LONG_AFTER)
        assert study.generations.count() == 8

    def test_workers_do_it_by_the_way(self, study):
        delete(study)
        twice(pulse.chores, now=LONG_AFTER)
        assert not Study.objects.exists()

    def test_every_model_of_a_study_is_found(self):
        """All but those that belong to no study."""
        known = {kind.__name__ for kind in deleting.kinds()}
        ours = (*apps.get_app_config("annotation").get_models(),)
        ours += (*apps.get_app_config("scoring").get_models(),)
        left = {kind.__name__ for kind in ours} - known
        of_endpoints = {"JudgeGate", "JudgeSecond", "JudgeIdentity"}
        of_site = {"WorkerBeat", "Claim", "ChoreRound", "FirstLook", "WrongClock"}
        of_people = {"Recipe"}  # who saved it deletes it, or goes with it
        assert left == {"Study", "Signature", *of_site, *of_endpoints, *of_people}
