"""A site whose CONTRIB is empty: it does all of its own, and forgets as promised."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import numpy as np
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import NoReverseMatch, Resolver404, resolve, reverse

from annotation import assistant, simulation, studies, surveys, workers
from annotation.assistant.choices import OF
from annotation.imports import undoing
from annotation.models import (
    Annotation,
    BonusBatch,
    BonusLine,
    Import,
    Mail,
    Mailing,
    Recipient,
    Recruitment,
    Study,
    Worker,
)
from annotation.recipients import links, retention
from annotation.surveys import TransitionError
from evalapp import doors
from evalapp.work import tasks
from scoring import analyses, demo, runs
from scoring.models import Analysis, Corpus, CorpusText, Probe
from scoring.results import analysing
from scoring.runs import uploaded_systems
from scoring.runs.intakes import RESULTS
from tests.annotation.seating import NOON, hand_in, lay_out, sit
from tests.pages.working import agreement, full_form, url
from tests.scoring.working import work
from tests.support.scored import rate

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?:href|src|action|hx-get)=\"([^\"#]*)")
LATER = NOON + timedelta(days=400)
GONE = (
    *("mailing/", "mailing/list/", "recruit/", "recruit/bonuses/pay/", "mturk.xml"),
    *("probing/", "probing/1/", "judges/stress/", "judges/anchors/"),
)

without = [
    pytest.mark.skipif(bool(settings.CONTRIB), reason="in a process of its own: below"),
    pytest.mark.django_db,
]
all_of = [pytest.mark.slow, pytest.mark.skipif(not settings.CONTRIB, reason="above")]


class TestSite:
    pytestmark = without

    @pytest.fixture(autouse=True)
    def as_alice(self, client, alice) -> None:
        client.force_login(alice)

    @pytest.fixture
    def rated(self, alice) -> Study:
        study = demo.open_known_study(owner=alice)
        rng = np.random.default_rng(study.seed)
        simulation.simulate(study=study, workers=6, rng=rng, now=NOON)
        return study

    @pytest.fixture
    def recruited(self, make_study) -> Study:
        """Written to and paid when it still could be; all of that is under way."""
        study = make_study(platform="prolific", pay_per_page=1, retention_days=30)
        lay_out(study)
        worker = hand_in(sit(study, "ann")).worker
        Worker.objects.update(platform="prolific")
        person = Recipient.objects.create(
            study=study, name="Ben", address="ben@example.org", digest="b"
        )
        mailing = Mailing.objects.create(study=study, subject="x", made_at=NOON)
        Mail.objects.create(mailing=mailing, recipient=person)
        there = Recruitment.objects.create(study=study, prolific_id="a" * 24)
        batch = BonusBatch.objects.create(
            recruitment=there, state="unknown", made_at=NOON
        )
        BonusLine.objects.create(batch=batch, worker=worker, amount=50, before=0)
        corpus = Corpus.objects.create(study=study, name="c", digest="c", n_texts=1)
        CorpusText.objects.create(corpus=corpus, position=0, text="The ferry left.")
        Probe.objects.create(study=study, corpus=corpus, protocol="clusters")
        return study

    @pytest.fixture
    def scored_elsewhere(self, make_study) -> Import:
        """By a tool, whose results were read when they still could be."""
        study = make_study()
        record = Import.objects.create(
            study=study,
            format=RESULTS,
            file_name="run.json",
            n_rows=1,
            options={uploaded_systems.CREATED: ["tiny"]},
        )
        uploaded_systems.store(
            study=study,
            lines=[uploaded_systems.Line(0, "helm:em", "tiny", "em", 0.3, True, None)],
            options={"file": "run.json", "sha256": "0" * 64},
            record=record,
        )
        return record

    def test_nothing_of_them_is_installed_and_it_is_in_order(self) -> None:
        assert list(doors.active()) == [] and len(doors.known()) > 5
        call_command("check")

    def test_it_imports_scores_rates_and_answers(self, client, rated) -> None:
        run = runs.start(study=rated, metric="length", options={})
        work(run)
        assert run.state == "done"
        surveys.close(study=rated)
        page = reverse("analysis", args=[rated.name, "correlations"])
        client.get(page)
        row = Analysis.objects.get(name="correlations")
        analysing.ANALYSES.perform(pk=row.pk, owner="w")
        assert "Text length" in client.get(page).content.decode()

    def test_a_person_comes_and_rates(self, client, make_study) -> None:
        study = make_study(prompts=1, samples=2, ratings_per_text=1)
        surveys.open_study(study=study)
        client.logout()
        client.get(study.get_worker_url())
        client.post(url("start", study), agreement(study))
        seat = study.workers.get().seats.get()
        client.post(url("submit", seat), full_form(seat))
        seat.refresh_from_db()
        assert seat.submitted_at and Annotation.objects.filter(seat=seat).count() > 4

    @pytest.mark.parametrize("end", GONE)
    def test_their_addresses_are_gone(self, client, recruited, end) -> None:
        assert client.get(f"/studies/{recruited.name}/{end}").status_code == 404

    def test_so_are_those_of_machines_and_frames(self, client, recruited) -> None:
        for path in ("/login/institution/", "/m/x/w/"):
            assert client.get(path).status_code == 404, path
        ours = [name for name in settings.MIDDLEWARE if not name.startswith("django.")]
        assert not [name for name in ours if ".contrib." in name]  # as of /metrics
        with pytest.raises(NoReverseMatch):
            reverse("worker:mturk", args=[recruited.public_id])

    def test_no_page_links_to_them(self, client, rated, recruited, make_study) -> None:
        framed = make_study(name="framed", platform="mturk")
        lay_out(framed)
        Study.objects.filter(pk=framed.pk).update(state="open")
        dead = {
            f"{url} of {page}": status
            for page, url, status in pages(client)
            if status not in (200, 302, 405)
        }
        assert not dead

    def test_what_was_under_way_is_ended_or_shown(self, client, recruited) -> None:
        for row in (Mailing.objects.get(), Probe.objects.get()):
            tasks.perform(type(row), row.pk)
            row.refresh_from_db()
            assert (row.state, row.error) == ("failed", tasks.SWITCHED_OFF)
        address = f"/studies/{recruited.name}/payments/"
        page = client.get(address).content.decode()
        assert "Bonuses of 1 person were begun on Prolific: outcome unknown" in page

    def test_a_file_that_they_would_read_is_not_taken(
        self, client, make_study, alice, tmp_path, settings
    ) -> None:
        study, settings.DATA_DIR = make_study(), tmp_path
        page = client.get(reverse("study_import", args=[study.name])).content.decode()
        assert "Numbers of whole systems" in page and "inspect_ai" not in page
        waiting = assistant.keep(
            **{"user": alice, "study": study, "file": io.BytesIO(b"{}")},
            **{"file_name": "run.json", "choices": {OF: RESULTS}},
        )
        refused = "This site does not read files of the kind results"
        assert refused in client.get(waiting.get_absolute_url()).content.decode()
        (tmp_path / "run.json").write_text("{}")
        with pytest.raises(CommandError, match=refused):
            call_command("import_study", study, tmp_path / "run.json", format=RESULTS)

    def test_what_they_have_read_is_shown_and_taken_back(
        self, client, scored_elsewhere
    ) -> None:
        study = scored_elsewhere.study
        assert (
            "helm:em" in client.get(reverse("runs", args=[study.name])).content.decode()
        )
        undoing.undo(record=scored_elsewhere)
        assert not study.runs.exists()
        assert not study.systems.filter(name="tiny").exists()

    def test_a_data_set_is_written_and_read_without_what_they_add(
        self, client, make_study, tmp_path, monkeypatch
    ) -> None:
        few = ("agreement", "correlations", "systems")
        monkeypatch.setattr(analyses, "names", lambda: few)
        study, home = make_study(), tmp_path / "out"
        rate(study, "coherence", [[1, 2], [3, 4]])
        call_command("export_dataset", study.name, home)
        names = {file.name for file in home.iterdir()}
        assert names == {"README.md", "data", "evalapp.json", "replication"}
        page = client.get(reverse("data_set", args=[study.name])).content.decode()
        for said in (page, (home / "README.md").read_text()):
            assert "Parquet" in said or "parquet" in said
            assert not re.search("croissant|HEDS|datasheet|BibTeX|paper/", said, re.I)
        call_command("import_study", "again", home, format="dataset")
        assert Study.objects.get(name="again").generations.count() == 8

    def test_who_was_written_to_can_still_say_no(self, client, recruited) -> None:
        person = Recipient.objects.get()
        client.logout()
        client.post(urlsplit(links.refusal_link(person)).path)
        person.refresh_from_db()
        assert person.refused_at and not person.address

    def test_addresses_and_ids_are_forgotten_in_time(self, recruited) -> None:
        Study.objects.update(state="closed", closed_at=NOON)
        assert retention.forget_old(now=LATER, at_once=True) == 1
        workers.apply_retention(now=LATER, at_once=True)
        assert not Recipient.objects.exclude(address="", name="").exists()
        assert not Worker.objects.filter(external_id="ann").exists()

    def test_a_study_with_mails_and_bonuses_is_deleted(self, recruited, alice) -> None:
        studies.delete(study=recruited, typed=recruited.name, user=alice, now=NOON)
        for days in (31, 33):
            studies.purge(now=NOON + timedelta(days=days))
        kinds = (Study, Recipient, Mailing, Mail, Recruitment, BonusBatch, BonusLine)
        assert [kind.objects.count() for kind in kinds] == [0] * len(kinds)

    def test_nobody_opens_a_study_to_which_nobody_could_come(self, make_study) -> None:
        study = make_study(platform="mturk")
        with pytest.raises(TransitionError, match="cannot take workers from Mechanic"):
            surveys.open_study(study=study)


def pages(client) -> Iterator[tuple[str, str, int]]:
    """Each kind of address that pages lead to: on which, which, and what it answers."""
    waiting, met = [("", "/")], {kind_of("/")}
    while waiting:
        page, url = waiting.pop()
        answer = client.get(url)
        yield page, url, answer.status_code
        if "text/html" not in answer.get("Content-Type", "") or answer.streaming:
            continue
        for link in LINK.findall(answer.content.decode()):
            path = urlsplit(urljoin(url, link.replace("&amp;", "&"))).path
            outside = urlsplit(link).scheme or path.startswith(("/static/", "/logout"))
            is_file = "." in path.rpartition("/")[2]  # a table, of which there are many
            if not outside and not is_file and kind_of(path) not in met:
                met.add(kind_of(path))
                waiting.append((url, path))


def kind_of(path: str) -> tuple[str, ...]:
    """One page of ratings stands for all of a study, and one of a metric for all
    studies."""
    try:
        match = resolve(path)
    except Resolver404:
        return (path,)
    parts = {**match.kwargs, "seat_id": ""}
    if "metric" in parts:
        parts["name"] = ""
    return match.route, *map(str, parts.values())


class TestProcess:
    pytestmark = all_of

    def test_all_of_this_holds_in_a_process_without_them(self) -> None:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", __file__]
        run = subprocess.run(
            [*command, "-p", "no:cacheprovider", "-m", ""],
            env={**os.environ, "CONTRIB": ""},
            **{"cwd": ROOT, "capture_output": True, "text": True},
        )
        assert run.returncode == 0, run.stdout
        assert re.search(r"\b2[0-9] passed", run.stdout), run.stdout
