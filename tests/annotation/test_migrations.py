from __future__ import annotations

from datetime import datetime, timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.models import Invite, Seat, Study, Worker
from tests.annotation.seating import NOON, hire, lay_out, sit


@pytest.mark.django_db
def test_a_seat_in_a_state_that_is_gone_keeps_its_place_and_counts(make_study):
    study = make_study()
    lay_out(study)
    submitted, claimed = sit(study, "ann"), sit(study, "bea")
    Seat.objects.filter(pk=submitted.pk).update(state="submitted")
    migration = import_module("annotation.migrations.0004_no_submitted_seats")
    migration.count_submitted(apps, None)
    submitted.refresh_from_db()
    claimed.refresh_from_db()
    assert submitted.state in Seat.LIVE and submitted.state in Seat.FINISHED
    assert claimed.state == Seat.State.CLAIMED


NOTE = import_module("annotation.migrations.0008_note_the_debriefing")


@pytest.mark.django_db
class TestTheDebriefingIsNoted:
    """Of pages that were handed in when it stood on the page after each of them."""

    def rated(self, make_study, *times: tuple[int, int | None]) -> Worker:
        """Pages claimed and handed in so many minutes after noon."""
        study = make_study(prompts=len(times))
        surveys, worker = lay_out(study), hire(study, "ann")
        for survey, (claimed, submitted) in zip(surveys, times, strict=True):
            Seat.objects.create(
                survey=survey,
                place=survey.places.first(),
                worker=worker,
                state=Seat.State.EXPIRED if submitted is None else Seat.State.VALID,
                order=[],
                claimed_at=minute(claimed),
                submitted_at=None if submitted is None else minute(submitted),
            )
        NOTE.infer(apps, None)
        worker.refresh_from_db()
        return worker

    @pytest.mark.parametrize(
        ("times", "told", "informed"),
        [
            ([(0, 2), (2, 4)], 4, []),  # went on at once, then stopped
            ([(0, 2), (9, 11), (11, 12)], 2, [11, 12]),  # stopped, and came back
            ([(0, 5), (1, 3)], 5, []),  # went on with a page begun before
            ([(0, None)], None, []),
        ],
    )
    def test_who_stopped_was_told(self, make_study, times, told, informed):
        worker = self.rated(make_study, *times)
        assert worker.debriefed_at == (None if told is None else minute(told))
        later = worker.seats.filter(informed=True)
        assert list(later.values_list("submitted_at", flat=True)) == [
            minute(at) for at in informed
        ]

    def test_simulated_workers_read_nothing(self, make_study):
        worker = self.rated(make_study, (0, 2), (9, 11))
        Worker.objects.update(debriefed_at=None)
        Seat.objects.update(informed=False)
        Study.objects.update(simulated=True)
        NOTE.infer(apps, None)
        worker.refresh_from_db()
        assert worker.debriefed_at is None


def minute(n: int) -> datetime:
    return NOON + timedelta(minutes=n)


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_owners_become_members_and_back(make_study, alice, bob):
    """Both ways through the tables as they were."""
    make_study()
    make_study(name="staffs").members.all().delete()
    before = ("annotation", "0010_choose_damaged_texts")
    try:
        MigrationExecutor(connection).migrate([before])
        old = MigrationExecutor(connection).loader.project_state([before]).apps
        owners = old.get_model("annotation", "Study").objects.order_by("name")
        assert list(owners.values_list("owner__username", flat=True)) == ["alice", None]
        owners.filter(name="staffs").update(owner=bob.pk)
    finally:
        newest = MigrationExecutor(connection)
        newest.migrate(newest.loader.graph.leaf_nodes())
    assert Study.objects.get(name="ferry").owner == alice
    assert Study.objects.get(name="staffs").owner == bob


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_an_upgrade_gives_no_study_a_retention_time(make_study):
    """Its people may not be paid yet, and are found by their ids alone."""
    study = make_study(retention_days=None)
    try:
        before = ("annotation", "0042_forget_what_servers_said")
        MigrationExecutor(connection).migrate([before])
    finally:
        newest = MigrationExecutor(connection)
        newest.migrate(newest.loader.graph.leaf_nodes())
    study.refresh_from_db()
    assert study.retention_days is None


@pytest.mark.django_db
def test_prompts_that_are_served_one_by_one_keep_their_order_and_leave_room(make_study):
    migration = import_module("annotation.migrations.0032_batches_of_pages")
    one, other = make_study(prompts=3, one_by_one=True), make_study(name="other")
    lay_out(one), lay_out(other)
    numbers = (5 << 40, (1 << 63) - 1, 2)
    for survey, number in zip(one.surveys.all(), numbers, strict=True):
        survey.places.update(shuffle=number)
    before = list(other.places.order_by("pk").values_list("shuffle", flat=True))
    migration.make_room(apps, None)
    now = [survey.places.first().shuffle for survey in one.surveys.all()]
    assert now == [5 << 39, (1 << 62) - 1, 1]
    after = list(other.places.order_by("pk").values_list("shuffle", flat=True))
    assert after == before


@pytest.mark.django_db
def test_links_that_pages_were_submitted_by_are_bound_to_those_browsers(make_study):
    study = make_study()
    for name, proofs in (("Ada", ["0a"]), ("Bea", []), ("Cleo", None)):
        worker = None if proofs is None else hire(study, name)
        if worker:
            Worker.objects.filter(pk=worker.pk).update(proofs=proofs)
        Invite.objects.create(study=study, name=name, digest=name, worker=worker)
    import_module("annotation.migrations.0046_bind_invites_to_browsers").take(apps, 0)
    assert [one.name for one in Invite.objects.filter(taken=True)] == ["Ada"]
