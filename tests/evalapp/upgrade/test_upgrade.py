"""An installation of the first commit that had texts, ratings and scores still opens.

The dumps are of commit c0b378d1: the sample study, rated by 14 simulated workers
(`rng=default_rng(7)`), scored with `length`. What `manage.py agreement` said then is
below.
"""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from tests.evalapp.backup.installed import another, rows, run

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

DUMP = Path(__file__).with_name(f"first.{connection.vendor}.sql.gz")
ALPHA = {
    "sqlite": {"coherence": 0.479, "consistency": 0.462, "attribute-relevance": 0.445},
    "postgresql": {
        **{"coherence": 0.422, "consistency": 0.462},
        "attribute-relevance": 0.521,
    },
}


@pytest.fixture(scope="module")
def old(tmp_path_factory, django_db_blocker):
    """Variables of an installation as it was."""
    if connection.vendor == "postgresql" and not shutil.which("psql"):
        pytest.skip("psql is not installed")
    with (
        django_db_blocker.unblock(),
        another(tmp_path_factory.mktemp("old") / "data") as env,
    ):
        sql = gzip.decompress(DUMP.read_bytes()).decode()
        url = env["DATABASE_URL"]
        if connection.vendor == "sqlite":
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
                file.executescript(sql)
        else:
            words = ["psql", "--quiet", "--set=ON_ERROR_STOP=1", url]
            subprocess.run(words, input=sql, text=True, check=True, capture_output=True)
        done = run(env, "migrate", "-v0")
        assert done.returncode == 0, done.stderr
        yield env


def test_nothing_is_lost(old):
    for table, n in (("generation", 96), ("worker", 14), ("annotation", 1830)):
        assert rows(old, f"SELECT count(*) FROM annotation_{table}") == [(n,)]
    kept = "SELECT count(*) FROM scoring_score WHERE value IS NOT NULL"
    assert rows(old, kept) == [(3 * 96,)]


def test_people_agree_as_much_as_before(old):
    done = run(old, "agreement", "sample")
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if words[1:3] == ["ordinal", "yes"]:
            found[words[0]] = float(words[3])
    assert found == ALPHA[connection.vendor]


def test_a_second_migration_has_nothing_to_do(old):
    done = run(old, "migrate", "--check")
    assert done.returncode == 0, done.stdout


def test_its_metrics_are_compared_with_people(old):
    done = run(old, "correlations", "sample")
    assert done.returncode == 0, done.stderr
    assert "Length: words" in done.stdout
