"""A backup is put into an empty installation, all of it or nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from annotation.models import Study
from evalapp.backup import archive, database, writing
from tests.annotation.seating import NOON
from tests.evalapp.backup.installed import another, rows, run
from tests.support import migration_rows

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.migrations,
    pytest.mark.slow,
]


@pytest.fixture
def made(make_study, tmp_path, settings):
    """A backup of one study, a checkpoint, a cache and a key."""
    if database.connection.vendor == "postgresql" and not shutil.which("pg_dump"):
        pytest.skip("pg_dump is not installed")
    make_study()
    settings.DATA_DIR = tmp_path / "data"
    for name in ("checkpoints/ferry/x/weights", "embeddings/cached", "secret_key"):
        path = settings.DATA_DIR / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    writing.write(tmp_path / "made.tar", now=NOON)
    return tmp_path / "made.tar"


def test_all_is_there_again(made, tmp_path):
    (tmp_path / "key").write_text("the-old-key")
    with another(tmp_path / "new") as env:
        done = run(env, "restore", made, "--keys", tmp_path / "key")
        assert done.returncode == 0, done.stderr
        assert "is restored: database and 1 file" in done.stdout
        assert rows(env, "SELECT name FROM annotation_study") == [("ferry",)]
    new = tmp_path / "new"
    weights = new / "checkpoints/ferry/x/weights"
    assert weights.read_text() == "checkpoints/ferry/x/weights"
    assert not (new / "embeddings/cached").exists()
    assert (new / "secret_key").read_text() == "the-old-key"


def test_the_key_is_not_in_the_archive(made):
    assert "secret_key" not in str(archive.check(made).members)
    assert b"secret_key" not in made.read_bytes().partition(b"files/")[2][:100_000]


def test_nothing_that_is_there_is_overwritten(made, tmp_path):
    with another(tmp_path / "new") as env:
        assert run(env, "restore", made).returncode == 0
        again = run(env, "restore", made)
        assert again.returncode == 1
        assert "already has tables, which would be lost" in again.stderr
    kept = tmp_path / "other" / "checkpoints"
    with another(tmp_path / "other") as env:
        kept.mkdir()
        (kept / "mine").write_text("mine")
        refused = run(env, "restore", made)
        assert "could be overwritten" in refused.stderr
        assert (kept / "mine").read_text() == "mine"


def test_a_damaged_one_changes_nothing(made, tmp_path):
    made.write_bytes(made.read_bytes()[:-20_000])
    with another(tmp_path / "new") as env:
        refused = run(env, "restore", made)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.count("\n") == 1
        assert run(env, "restore", made, "--check").returncode == 1


@pytest.fixture
def noting(monkeypatch, tmp_path):
    """Make a backup whose database notes these migrations."""

    def write(migrations: list[list[str]]) -> Path:
        monkeypatch.setattr(
            writing,
            "_manifest",
            lambda now: archive.Manifest(
                version="99",
                made_at="",
                vendor=database.connection.vendor,
                migrations=migrations,
            ),
        )
        writing.write(tmp_path / "noting.tar", now=NOON)
        return tmp_path / "noting.tar"

    return write


def test_one_of_a_newer_version_is_refused(made, noting, tmp_path):
    newer = noting([["annotation", "9999_later", "2099-01-01"]])
    with another(tmp_path / "new") as env:
        refused = run(env, "restore", newer)
    assert "annotation.9999_later is not known here" in refused.stderr


def test_one_of_before_the_migrations_were_squashed_is_refused(made, noting, tmp_path):
    older = noting([["annotation", "0001_initial", "2026-11-01"]])
    with another(tmp_path / "new") as env:
        refused = run(env, "restore", older)
    assert "restore it with EvalApp of that commit" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_one_of_the_squashed_migrations_is_restored(made, settings, tmp_path):
    settings.MIGRATION_MODULES = {}
    with migration_rows.replaced(migration_rows.of_squashed_commit()):
        writing.write(tmp_path / "earlier.tar", now=NOON)
    with another(tmp_path / "new") as env:
        done = run(env, "restore", tmp_path / "earlier.tar")
        assert done.returncode == 0, done.stderr
        assert rows(env, "SELECT name FROM annotation_study") == [("ferry",)]
        name = "SELECT name FROM django_migrations WHERE name LIKE '0001_squashed%'"
        assert len(rows(env, name)) == 4


def test_one_of_the_other_database_is_refused(made, tmp_path, monkeypatch):
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[database.connection.vendor]
    real = writing._manifest

    def pretended(now):
        found = real(now)
        found.vendor = other
        return found

    monkeypatch.setattr(writing, "_manifest", pretended)
    named = archive.DATABASES[other]
    monkeypatch.setitem(archive.DATABASES, database.connection.vendor, named)
    writing.write(tmp_path / "other.tar", now=NOON)
    with another(tmp_path / "new") as env:
        refused = run(env, "restore", tmp_path / "other.tar")
    assert "but DATABASE_URL names" in refused.stderr


def test_the_backup_leaves_the_study_alone(made):
    assert Study.objects.get().generations.count() == 8
