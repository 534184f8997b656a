"""Fill a database with one of everything, to be upgraded: put this into `tests/pages/`
of the commit that it is to be upgraded from, and run it there.

    SAVE_TO=FOLDER python -m pytest -m "" tests/pages/test_filled.py

It leaves `old.sqlite3` and `data/` in that folder; on PostgreSQL, `old.dump`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from django.db import connection

from annotation import assigning, surveys
from annotation.contrib.prolific import paying
from annotation.crowd.prolific_client import Client
from annotation.models import BonusBatch, Recruitment, Study, Worker
from annotation.simulation import simulate
from scoring import data_folder
from tests.annotation import pairing, talks
from tests.annotation.forgetting import doors, people, world
from tests.annotation.forgetting.searching import Lines
from tests.annotation.forgetting.world import World, filled
from tests.annotation.seating import NOON, hand_in, hire, lay_out
from tests.annotation.test_edit_pages import submit
from tests.pages.test_access import study as of_everything
from tests.support.prolific import TOKEN, Prolific

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
everything = of_everything  # the fixture, under a name of its own


@pytest.fixture
def study(everything):
    return everything


def test_one_of_everything(
    study, client, alice, make_study, settings, tmp_path, monkeypatch
):
    folder = Path(os.environ["SAVE_TO"])
    folder.mkdir(parents=True, exist_ok=True)
    _pairs(make_study)
    _edits(make_study)
    _dialogues(alice)
    _bonus_under_way(make_study, monkeypatch)
    _people(client, alice, make_study, settings, tmp_path, monkeypatch)
    assert BonusBatch.objects.get().state != "paid"
    shutil.copytree(settings.DATA_DIR, folder / "data", dirs_exist_ok=True)
    _saved(folder)


def _pairs(make_study) -> None:
    study = make_study(name="pairs", ratings_per_text=2)
    pairing.open_pairs(study)
    for name in ("p1", "p2"):
        worker = hire(study, name)
        while seat := assigning.claim(worker=worker, now=NOON):
            pairing.compare(seat)


def _edits(make_study) -> None:
    study = make_study(name="edits", prompts=2, systems=("a", "b"), page_kinds=["edit"])
    surveys.open_study(study=study)
    worker = hire(study, "e1")
    while seat := assigning.claim(worker=worker, now=NOON):
        submit(seat, change="more")


def _dialogues(alice) -> None:
    study = talks.opened(alice)
    rng = np.random.default_rng(1)
    simulate(study=study, workers=2, mix={"careful": 1.0}, rng=rng, now=NOON)


def _bonus_under_way(make_study, monkeypatch) -> None:
    """Two pages of ann's, used; her bonus is set up at Prolific and not yet paid."""
    study = make_study(
        name="bonus",
        ratings_per_text=3,
        pay_per_page=Decimal("0.50"),
        currency="GBP",
        platform="prolific",
        completion_code="D0NE2345",
        nothing_left_code="FULL2345",
    )
    lay_out(study)
    ann = hire(study, "ann")
    for _ in range(2):
        hand_in(assigning.claim(worker=ann, now=NOON))
    Worker.objects.filter(study=study).update(platform="prolific")
    with Prolific().running() as prolific:
        caller = Client(TOKEN, prolific.url, seconds=1.0, sleep=lambda _: None)
        body = {"reward": 50, "total_available_places": 4, "internal_name": "x"}
        _, on_prolific = prolific.answer("POST", "/api/v1/studies/", {}, body)
        prolific.people.clear()
        prolific.joins("ann")
        prolific.people[0]["status"] = "APPROVED"
        Recruitment.objects.create(
            study=study, prolific_id=on_prolific["id"], reward=50
        )
        paying.set_up(study=study, client=caller, now=NOON, user=study.owner)


def _people(client, alice, make_study, settings, tmp_path, monkeypatch) -> None:
    """Everybody of the tests of forgetting, a mailing list among them."""
    settings.DATA_DIR, archives = tmp_path / "data", tmp_path / "archives"
    archives.mkdir()
    settings.DATA_DIR.mkdir(exist_ok=True)
    for part in tmp_path.iterdir():
        if part.name not in ("data", "archives"):
            shutil.move(part, settings.DATA_DIR / part.name)
    settings.EMAIL_READY = True
    settings.EMAIL_BACKEND = f"{doors.__name__}.Refusing"
    monkeypatch.setattr(data_folder, "_is_behind", lambda: True)
    if connection.vendor != "sqlite":  # `up` copies no other before an upgrade
        monkeypatch.setattr(world, "copy_before_an_upgrade", lambda world: None)
    client.force_login(alice)
    ten = people.ten()
    monkeypatch.setattr(doors.Refusing, "refusals", {ten[9].address: ten[9].refusal})
    kinds = {"prompts": 4, "ratings_per_text": 3, "contact": "lab@example.org"}
    kinds["retention_days"] = 30
    platform = make_study(
        name="corrected", platform="prolific", page_kinds=["edit"], **kinds
    )
    plain = make_study(name="rated", **kinds)
    for study in (platform, plain):
        surveys.open_study(study=study)
    both = [Study.objects.get(pk=study.pk) for study in (platform, plain)]
    filled(World(client, settings.DATA_DIR, archives, ten, Lines(), *both, [*both]))


def _saved(folder: Path) -> None:
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        with sqlite3.connect(folder / "old.sqlite3") as copy:
            connection.connection.backup(copy)
        return
    settings = connection.settings_dict
    subprocess.run(
        [
            "pg_dump",
            "-Fc",
            "-h",
            settings["HOST"],
            "-U",
            settings["USER"],
            "-f",
            str(folder / "old.dump"),
            settings["NAME"],
        ],
        check=True,
    )
