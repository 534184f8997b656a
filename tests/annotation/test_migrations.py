from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from annotation.models import Seat
from tests.annotation.seating import lay_out, sit


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
