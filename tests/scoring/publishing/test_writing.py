"""The folder of a data set: whole or not at all, and nobody's ratings unasked."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from annotation.models import Annotation
from scoring import analyses
from scoring.archive import permission
from scoring.publishing import writing
from scoring.stats import folder
from tests.annotation.seating import hand_in, lay_out, sit
from tests.support.scored import COHERENCE, rate, score

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def few_analyses(monkeypatch):
    """Those that the words of a data set tell."""
    monkeypatch.setattr(
        analyses, "names", lambda: ("agreement", "correlations", "systems")
    )


@pytest.fixture
def study(make_study):
    """Rated here by two people, with scores of a metric."""
    study = make_study(contact="ada@example.org", aspects=("coherence", "relevance"))
    lay_out(study)
    hand_in(sit(study, "AMZN-1"))
    hand_in(sit(study, "AMZN-2"))
    score(study, COHERENCE, [None, *(n / 7 for n in range(7))])
    return study


@pytest.fixture
def allowed(study):
    study.simulated = True
    study.save()
    return study


def written(study, path: Path) -> Path:
    writing.write(study=study, path=path / "out", now=NOON)
    return path / "out"


def rows(home: Path, table: str) -> list[dict]:
    return parquet.read_table(home / f"data/{table}.parquet").to_pylist()


class TestConsent:
    def test_without_it_no_single_rating_is_in_any_file(self, study, tmp_path):
        home = written(study, tmp_path)
        assert not (home / "data/ratings.parquet").exists()
        data = folder.read(home / "replication/data")
        assert (len(data.ratings), len(data.negative_ratings)) == (0, 0)
        assert len(data.means) == len(rows(home, "human_scores"))

    def test_means_are_there_all_the_same(self, study, tmp_path):
        found = rows(written(study, tmp_path), "human_scores")
        assert {(one["mean"], one["n"]) for one in found} == {(4.0, 1)}  # a page each

    def test_with_it_every_rating_is_there_with_its_page(self, allowed, tmp_path):
        found = rows(written(allowed, tmp_path), "ratings")
        assert len(found) == Annotation.objects.count()
        assert {one["rater"] for one in found} == {"r1", "r2"}
        assert {one["page"] for one in found} == {1, 2}

    def test_no_file_leads_to_a_person(self, allowed, tmp_path):
        home = written(allowed, tmp_path)
        seat = Annotation.objects.first().seat
        secrets = ("AMZN-1", allowed.completion_code, seat.worker.public_id)
        for file in (f for f in home.rglob("*") if f.is_file()):
            content = file.read_bytes()
            assert not [s for s in secrets if str(s).encode() in content], file

    def test_names_from_files_are_codes(self, make_study, tmp_path):
        study = make_study()
        rate(study, "coherence", [[1], [3]])
        Annotation.objects.update(rater="A2AMAZON")
        permission.allow(study=study, digests=[permission.FILES])
        home = written(study, tmp_path)
        assert {one["rater"] for one in rows(home, "ratings")} == {"r1"}
        for file in (f for f in home.rglob("*") if f.is_file()):
            assert b"AMAZON" not in file.read_bytes(), file


class TestFolder:
    def test_it_is_there_as_a_whole_or_not_at_all(self, study, tmp_path, monkeypatch):
        monkeypatch.setattr(writing, "_describe", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            written(study, tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_what_is_there_is_not_written_over(self, study, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out/mine.txt").write_text("mine")
        with pytest.raises(writing.FolderError, match="is not empty"):
            written(study, tmp_path)
        assert [one.name for one in (tmp_path / "out").iterdir()] == ["mine.txt"]

    def test_an_empty_folder_is_filled(self, study, tmp_path):
        (tmp_path / "out").mkdir()
        assert (written(study, tmp_path) / "README.md").is_file()

    def test_a_file_in_its_place_is_refused(self, study, tmp_path):
        (tmp_path / "out").write_text("mine")
        with pytest.raises(writing.FolderError, match="is not a folder"):
            written(study, tmp_path)

    def test_the_command_says_what_it_wrote(self, allowed, tmp_path):
        out = io.StringIO()
        call_command("export_dataset", "ferry", str(tmp_path / "out"), stdout=out)
        assert "texts: 8 rows" in out.getvalue()
        assert re.search(r"HEDS: \d+ of 83 questions answered", out.getvalue())

    def test_the_command_refuses_a_folder_that_is_not_empty(self, study, tmp_path):
        (tmp_path / "mine.txt").write_text("mine")
        with pytest.raises(CommandError, match="Choose a new or an empty folder"):
            call_command("export_dataset", "ferry", str(tmp_path))


@pytest.mark.slow
def test_the_script_inside_compares_results_and_tables(allowed, tmp_path) -> None:
    home = written(allowed, tmp_path)
    command = [sys.executable, "-I", "replication/recompute.py"]
    run = subprocess.run(command, cwd=home, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "tables are compared, cell by cell." in run.stdout
    assert "0 values differ." in run.stdout


def test_the_card_has_the_numbers_of_the_results(allowed, tmp_path) -> None:
    home = written(allowed, tmp_path)
    (result,) = (home / "replication/results").glob("systems-*.json")
    row = json.loads(result.read_text())["aspects"][0]["rows"][0]
    assert f"| {row['mean']['value']:.3f} |" in (home / "README.md").read_text()
