from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from evalapp.limits import throttling
from evalapp.limits.models import Count

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def count(most: int = 10, now: datetime = NOW) -> int:
    return throttling.count("guess", 60, most=most, now=now)


@pytest.mark.django_db
class TestCount:
    def test_it_counts_from_one(self):
        assert [count(), count(), count()] == [1, 2, 3]

    def test_it_begins_anew_some_seconds_after_its_first(self):
        count()
        assert count(now=NOW + timedelta(seconds=59)) == 2
        assert count(now=NOW + timedelta(seconds=60)) == 1

    def test_a_flood_writes_nothing(self, django_assert_num_queries):
        for _ in range(3):
            assert count(most=2) <= 3
        with django_assert_num_queries(1):  # which reads
            assert count(most=2) == 3

    def test_what_was_none_is_taken_back(self):
        count()
        throttling.uncount("guess")
        throttling.uncount("guess")
        assert count() == 1

    def test_what_has_ended_is_deleted(self):
        count()
        throttling.tidy(now=NOW + timedelta(seconds=59))
        assert Count.objects.exists()
        throttling.tidy(now=NOW + timedelta(seconds=60))
        assert not Count.objects.exists()


class TestKey:
    def test_without_the_secret_key_nobody_can_tell_whom_it_counts(self, settings):
        settings.SECRET_KEY = "one"
        key = throttling.key_of("often:address", "127.0.0.1")
        assert key == throttling.key_of("often:address", "127.0.0.1")
        settings.SECRET_KEY = "another"
        assert key != throttling.key_of("often:address", "127.0.0.1")


CODE = """
import django
django.setup()
from datetime import UTC, datetime
from evalapp.limits.throttling import count
print([count("x", 60, most=99, now=datetime(2026, 3, 1, tzinfo=UTC)) for _ in "12345"])
"""


@pytest.mark.slow
def test_processes_of_the_site_count_together(tmp_path, settings):
    """With PostgreSQL it has several; what one has counted, the others know."""
    env = {**os.environ, "DATA_DIR": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "evalapp.settings"}
    env.pop("DATABASE_URL", None)
    where = {"cwd": settings.BASE_DIR, "env": env}
    migrate = [sys.executable, "manage.py", "migrate", "limits", "-v0"]
    subprocess.run(migrate, check=True, **where)
    children = [
        subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, **where)
        for _ in range(3)
    ]
    said = [eval(child.communicate()[0]) for child in children]
    assert sorted(sum(said, [])) == list(range(1, 16))
