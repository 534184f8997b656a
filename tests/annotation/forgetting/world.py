"""A site on which ten people have left something through every door that there is."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from django.core.management import call_command
from django.test import Client

from annotation.models import Study, Worker
from scoring import data_folder
from scoring.models import DataSet
from scoring.publishing.shelf import SHELF
from tests.annotation.forgetting import doors
from tests.annotation.forgetting.people import Person
from tests.annotation.forgetting.searching import Lines
from tests.scoring import analysed


@dataclass
class World:
    client: Client  # of the owner
    root: Path  # DATA_DIR
    archives: Path  # where `manage.py backup` writes
    people: list[Person]
    lines: Lines
    platform: Study  # workers of Prolific, who correct and rate
    plain: Study  # invited people, newcomers, ids in links
    studies: list[Study] = field(default_factory=list)  # all, also imported ones
    browsers: dict[int, doors.Browser] = field(default_factory=dict)

    def worker(self, number: int) -> Worker:
        return doors.seat_of(self.browsers[number]).worker


def filled(world: World) -> World:
    """Let everybody in, let researchers look, make every file that holds people."""
    for person in world.people[:4]:
        world.browsers[person.number] = doors.by_platform(world.platform, person)
    _invite(world)
    for person in world.people[7:9]:
        enter = doors.as_newcomer if person.number == 7 else doors.by_plain_link
        world.browsers[person.number] = enter(world.plain, person)
    for number, browser in world.browsers.items():
        (doors.write_and_leave if number == 3 else doors.hand_in)(browser)
    for number in range(3):
        doors.submitted(world.browsers[number])
    doors.excluded(world.client, world.browsers[7])
    _bring_files(world)
    for study in world.studies:
        doors.may_be_published(world.client, study)
        doors.noted(world.client, study)
        _work_out(study)
    world.studies.append(doors.copied(world.client, world.platform))
    copy_before_an_upgrade(world)
    return world


def _invite(world: World) -> None:
    """Two by email, one by a link, one whose mail is refused."""
    people, study = world.people, world.plain
    doors.invited_by_mail(world.client, study, [*people[4:6], people[9]])
    for person in people[4:6]:
        link = doors.link_for(person)
        world.browsers[person.number] = doors.by_invite(study, person, link)
    link = doors.invited_by_name(world.client, study, people[6])
    world.browsers[6] = doors.by_invite(study, people[6], link)


def _bring_files(world: World) -> None:
    """Ratings and dialogues become studies; one more file waits."""
    new = "/studies/new/"
    files = {
        "ratings.csv": doors.ratings_of(world.people),
        "talks.jsonl": doors.talks_of(world.people),
    }
    for name, content in files.items():
        study = doors.imported(
            world.client, doors.upload(world.client, content, name, new)
        )
        assert study is not None
        world.studies.append(study)
    waits_at = doors.upload(world.client, files["ratings.csv"], "again.csv", new)
    assert world.client.get(waits_at).status_code == 200


def _work_out(study: Study) -> None:
    """Analyses and a data set, as workers of the queue make them."""
    for name in ("agreement", "raters"):
        analysed.computed(study, name)
    make_files(study)


def make_files(study: Study) -> None:
    SHELF.ask(study=study)
    SHELF.perform(pk=DataSet.objects.get(study=study).pk, owner="a")
    row = DataSet.objects.get(study=study)
    assert row.state == "done", row.error


def copy_before_an_upgrade(world: World) -> None:
    copy = data_folder.back_up(world.root / "backups", now=datetime.now(UTC))
    assert copy is not None


def backed_up(world: World, name: str) -> Path:
    """What `manage.py backup` writes."""
    path = world.archives / f"{name}.tar"
    call_command("backup", str(path), stdout=io.StringIO())
    return path
