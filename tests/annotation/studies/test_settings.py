"""What is declared of each setting, and what follows from it."""

from __future__ import annotations

import pytest

from annotation.models import Study
from annotation.studies.settings import (
    SETTINGS,
    Archive,
    why_fixed,
)

NO_SETTING = {
    *("id", "public_id", "name", "seed", "created_at", "simulated", "rated_elsewhere"),
    *("state", "state_before", "closed_at", "archived_at", "deleted_at", "deleted_by"),
}


def test_a_field_of_a_study_is_a_setting_or_nothing_that_anybody_sets():
    fields = {field.name for field in Study._meta.concrete_fields}
    assert {*SETTINGS} == fields - NO_SETTING


def test_what_lets_someone_in_is_neither_copied_nor_in_an_archive():
    secrets = [one for one in SETTINGS.values() if one.secret]
    assert {one.name for one in secrets} == {
        *("completion_code", "nothing_left_code", "screen_out_code", "completion_url")
    }
    assert not [one for one in secrets if one.copied]
    assert {one.archive for one in secrets} == {Archive.PRIVATE}


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("debrief", "draft paused open closed"),
        ("consent", "draft paused open"),
        ("ratings_per_text", "draft paused"),
        ("scale_max", "draft"),
        ("page_kinds", "draft"),
    ],
)
def test_a_setting_is_fixed_from_a_state_on(name, states):
    free = {state for state in Study.State.values if not why_fixed(name, state)}
    assert free == {*states.split()}


@pytest.mark.parametrize(
    ("name", "state", "said"),
    [
        ("spare_seats", "open", "Pause the study to change it."),
        ("spare_seats", "closed", "It is fixed since the study was closed."),
        ("title", "paused", "It is fixed since the study opened."),
    ],
)
def test_it_is_said_why(name, state, said):
    assert why_fixed(name, state) == said
