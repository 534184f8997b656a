"""What is deleted, is: ten people whose every word can be told from all others.

They come in through every door. After each kind of ending, every cell of the database,
its file, every file of the site, every log line and everything that is made of the
studies from then on is searched for what is theirs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotation import exports, surveys
from annotation.models import Study
from evalapp.work import deferred_deletion
from scoring import data_folder, pulse
from tests.annotation.forgetting import doors, people, searching
from tests.annotation.forgetting.world import World, backed_up, filled, make_files

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

HERE = timezone.now()  # when they came in
DAY = timedelta(days=1)
# Of each person but the first four, who come from Prolific, and the last, who refuses.
OWN = {"comment", "report"}
WHO = {"platform_id", "session", "submission", "name", "address", "refusal"}
NEVER = {"network", "agent"}  # kept at most as a code made with the site's key
OF_FILES = {"rater", "message"}  # of a table of ratings, of dialogues: researchers' own
DATABASE = {"the database file/", "the log of the database/"}


@pytest.fixture
def lines() -> Iterator[searching.Lines]:
    handler, root = searching.Lines(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def site(client, alice, make_study, settings, tmp_path, monkeypatch, lines) -> World:
    if connection.vendor != "sqlite":
        pytest.skip("looks into SQLite's files; PostgreSQL's are its operator's")
    settings.DATA_DIR, archives = tmp_path / "data", tmp_path / "archives"
    settings.DATA_DIR.mkdir()
    archives.mkdir()
    settings.EMAIL_READY = True
    settings.EMAIL_BACKEND = f"{doors.__name__}.Refusing"
    monkeypatch.setattr(data_folder, "_is_behind", lambda: True)
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
    world = World(client, settings.DATA_DIR, archives, ten, lines, *both, [*both])
    return filled(world)


def searched(site: World) -> searching.Search:
    """All that the site keeps, and all that it has said."""
    search = searching.Search(site.people)
    searching.tables(search)
    searching.database_files(search)
    searching.folder(search, site.root)
    search.look("log", *(line.encode() for line in site.lines.lines))
    return search


def published(site: World) -> searching.Search:
    """What can be had of the studies from now on."""
    search = searching.Search(site.people)
    for study in Study.objects.filter(name__in=("corrected", "rated", "ratings")):
        make_files(study)
        for kind in exports.tables():
            for suffix in ("csv", "jsonl"):
                url = f"/studies/{study.name}/export/{kind}.{suffix}"
                answer = site.client.get(url)
                assert answer.status_code == 200, url
                search.look("exports/", b"".join(answer.streaming_content))
    searching.folder(search, site.root / "datasets")
    return search


def places(
    search: searching.Search, numbers: Iterable[int], kinds: set[str]
) -> set[str]:
    """Where anything of these kinds of these people lies."""
    return {
        place
        for number in numbers
        for kind, where in search.of(number).items()
        for place in (where if kind in kinds else ())
    }


def chores(after: timedelta) -> None:
    """Until it is clean: a round removes what an earlier one has closed."""
    for _ in range(2):
        pulse.chores(now=HERE + after)


def second_look(after: timedelta) -> None:
    """What cannot be undone is done a day after a first look."""
    chores(after)
    chores(after + deferred_deletion.PAUSE)


ALL = range(people.PEOPLE)


def test_what_is_deleted_is_nowhere_but_in_backups(site):
    _all_is_there(site)
    archive = backed_up(site, "before")
    _who_withdraws_is_gone(site)
    _after_two_days_no_file_holds_anybody(site)
    _forgotten_addresses_are_gone(site)
    _after_the_retention_time_only_answers_stay(site)
    _of_a_deleted_study_nothing_stays(site)
    search = searching.Search(site.people)
    searching.folder(search, archive.parent)
    assert places(search, ALL, {"rater"}), "an archive is the operator's to delete"
    assert not [line for line in site.lines.lines if "failed" in line.lower()]


def _all_is_there(site: World) -> None:
    """Else that nothing is left would prove nothing."""
    search = searched(site)
    assert places(search, ALL, NEVER) == set()
    assert "log" not in places(search, ALL, {*OWN, *WHO, *OF_FILES, "correction"})
    came = {n: set(search.of(n)) - OF_FILES for n in ALL}
    by_platform = {"platform_id", "session", "submission", "correction", *OWN}
    assert [came[n] for n in range(3)] == [by_platform] * 3
    assert came[3] == by_platform - {"submission"}
    assert [came[n] for n in (4, 5)] == [{"name", "address", *OWN}] * 2
    assert (came[6], came[7]) == ({"name", *OWN}, {"verdict", *OWN})
    assert (came[8], came[9]) == ({"platform_id", *OWN}, {"name", "address", "refusal"})
    assert all(set(search.of(n)) >= OF_FILES for n in ALL)
    # Nobody learns from a file who somebody is, but whom another file named.
    files = published(site)
    assert places(files, ALL, WHO) == set()
    assert places(files, ALL, {"rater"}) == {"exports/"}


def _who_withdraws_is_gone(site: World) -> None:
    """By their last page, whichever way they came; and by the researcher's command."""
    gone = [0, 4, 6, 7, 8]
    for number in gone[:4]:
        browser = site.browsers[number]
        study = doors.seat_of(browser).survey.study
        browser.post(f"{study.get_worker_url()}withdraw/")
    call_command("delete_worker", "rated", site.people[8].platform_id, "--yes")
    files = {"datasets/", "backups/"}
    theirs = {*OWN, *WHO, "correction"}
    assert places(searched(site), gone, theirs) <= {*DATABASE, *files}
    assert places(published(site), gone, theirs) == set()
    chores(timedelta(hours=2))
    search = searched(site)
    assert places(search, gone, theirs) == {"backups/"}
    # Their reasons are researchers' own words, and the log of a study keeps them.
    log = {"annotation_event.detail", "the database file/", "backups/"}
    assert places(search, gone, {"verdict"}) == log


def _after_two_days_no_file_holds_anybody(site: World) -> None:
    second_look(DAY + timedelta(hours=1))
    search = searched(site)
    folders = {
        place for place in places(search, ALL, {*OWN, *WHO, *OF_FILES}) if "/" in place
    }
    assert folders == {"backups/", "the database file/"}
    assert "annotation_upload.report" not in places(search, ALL, OF_FILES)


def _forgotten_addresses_are_gone(site: World) -> None:
    site.client.post("/studies/rated/mailing/forget/")
    chores(2 * DAY + timedelta(hours=3))
    left = places(searched(site), [5, 9], {"name", "address", "refusal"})
    assert left == {"backups/"}


def _after_the_retention_time_only_answers_stay(site: World) -> None:
    """And no copy of before is left: it was made 31 days ago."""
    site.client.post("/studies/corrected/close/")
    second_look(31 * DAY)
    site.client.force_login(site.platform.owner)  # chores have ended old sessions
    search = searched(site)
    assert places(search, range(4), WHO) == set()
    answers = {"annotation_seat.comment", "annotation_report.reason"}
    answers |= {"annotation_edit.rest", "the database file/"}
    assert places(search, [1, 2, 3], {*OWN, "correction"}) == answers
    assert places(published(site), ALL, WHO) == set()


def _of_a_deleted_study_nothing_stays(site: World) -> None:
    for study in Study.objects.all():
        url = f"/studies/{study.name}/manage/delete/"
        site.client.post(url, {"typed": study.name, "name": study.name})
    assert not Study.objects.filter(deleted_at=None).exists()
    second_look(62 * DAY)
    assert not Study.objects.exists()
    search = searched(site)
    search.look("archive", *searching.unpacked(backed_up(site, "after").read_bytes()))
    assert {n: search.of(n) for n in ALL} == {n: {} for n in ALL}
