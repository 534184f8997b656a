from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured

from evalapp import environment


@pytest.fixture
def given(monkeypatch):
    """Set X, read it."""

    def read(reader, value, *args, **kwargs):
        monkeypatch.setenv("X", value)
        return reader("X", *args, **kwargs)

    return read


class TestChoice:
    @pytest.mark.parametrize("value", ["off", "list", "on", ""])
    def test_it_takes_one_of_several(self, monkeypatch, value):
        monkeypatch.setenv("HUB", value)
        assert environment.choice("HUB", ("off", "list", "on"), "") == value

    def test_it_refuses_all_else(self, monkeypatch):
        monkeypatch.setenv("HUB", "yes")
        said = "HUB=yes: expected one of off, list, on"
        with pytest.raises(ImproperlyConfigured, match=said):
            environment.choice("HUB", ("off", "list", "on"), "")


class TestBoolean:
    def test_it_reads_what_is_meant(self, given):
        assert given(environment.boolean, "true", False) is True
        assert given(environment.boolean, "0", True) is False

    @pytest.mark.parametrize("value", ["no", "", "yes", "2"])
    def test_it_refuses_what_could_be_meant_otherwise(self, given, value):
        with pytest.raises(ImproperlyConfigured, match="True or False"):
            given(environment.boolean, value, False)


class TestInteger:
    @pytest.mark.parametrize("value", ["", "x", "-1", "1.5", "²", "0", "11"])
    def test_it_refuses_what_is_none_or_out_of_bounds(self, given, value):
        with pytest.raises(ImproperlyConfigured, match="from 1 to 10"):
            given(environment.integer, value, 5, low=1, high=10)


class TestFolder:
    def test_an_empty_one_is_not_the_folder_that_we_run_in(self, given, tmp_path):
        assert given(environment.folder, "", tmp_path) == tmp_path

    def test_it_is_absolute(self, given, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert given(environment.folder, "here", tmp_path) == tmp_path / "here"


class TestDatabase:
    DEFAULT = Path("/data/db.sqlite3")

    @pytest.mark.parametrize("value", ["", "sqlite:////data/db.sqlite3"])
    def test_without_one_it_is_a_file(self, given, value):
        found = given(environment.database, value, self.DEFAULT)
        assert found == {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": "/data/db.sqlite3",
        }

    def test_a_url_is_read_in_all_its_parts(self, given):
        url = "postgresql://ann:p%40ss@[::1]:5433/ratings?sslmode=require"
        assert given(environment.database, url, self.DEFAULT) == {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "ratings",
            "USER": "ann",
            "PASSWORD": "p@ss",
            "HOST": "::1",
            "PORT": "5433",
            "OPTIONS": {"sslmode": "require"},
        }

    def test_a_socket_needs_neither_password_nor_port(self, given):
        url = "postgres://ann@%2Frun%2Fpostgresql/ratings"
        found = given(environment.database, url, self.DEFAULT)
        assert (found["HOST"], found["PASSWORD"]) == ("/run/postgresql", "")
        assert (found["PORT"], found["OPTIONS"]) == ("", {})

    @pytest.mark.parametrize(
        "value",
        [
            "ratings",
            "postgres:/secret/ratings",
            "postgres://ann:secret@host",
            "postgres://ann:secret@host/ratings?sslmod=require",
            "postgres://ann:secret%zz@host/ratings",
            "mysql://ann:secret@host/ratings",
            "sqlite://",
            "sqlite:///",
        ],
    )
    def test_it_refuses_another_and_tells_no_password(self, given, value):
        with pytest.raises(ImproperlyConfigured, match="X: expected postgres") as error:
            given(environment.database, value, self.DEFAULT)
        assert "secret" not in str(error.value)


class TestSite:
    def test_it_is_scheme_and_host_in_small_letters(self, given):
        given_url = given(environment.site, "HTTPS://Ratings.Example.org/", "")
        assert given_url == "https://ratings.example.org"

    def test_it_keeps_the_port(self, given):
        assert given(environment.site, "http://[::1]:8000", "") == "http://[::1]:8000"

    @pytest.mark.parametrize(
        "value",
        [
            "ratings.example.org",
            "ftp://example.org",
            "https://",
            "https://example.org/evalapp",
            "https://user@example.org",
            "https://example.org:port",
        ],
    )
    def test_it_refuses_what_is_no_address_of_a_site(self, given, value):
        with pytest.raises(
            ImproperlyConfigured, match=r"https://ratings\.example\.org"
        ):
            given(environment.site, value, "")


class TestSecretKey:
    def test_it_is_made_once_for_its_owner_alone(self, tmp_path, monkeypatch):
        monkeypatch.delenv("SECRET_KEY", raising=False)
        key = environment.secret_key(tmp_path)
        assert len(key) > 50
        assert environment.secret_key(tmp_path) == key
        assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600

    def test_an_empty_one_is_never_used(self, tmp_path, monkeypatch):
        monkeypatch.delenv("SECRET_KEY", raising=False)
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        (tmp_path / "secret_key").touch()
        with pytest.raises(ImproperlyConfigured, match="secret_key is empty"):
            environment.secret_key(tmp_path)


def test_processes_of_the_site_count_guesses_together(tmp_path, settings):
    """PostgreSQL has several: what one has counted, the next one knows."""
    environ = {**os.environ, "DATA_DIR": str(tmp_path)}
    environ |= {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    environ |= {"DJANGO_SETTINGS_MODULE": "evalapp.settings"}
    count = "from evalapp.limits.throttling import count; count('login:x', 60)"
    read = "from django.core.cache import cache; print(cache.get('login:x'))"
    for code in (count, count, read):
        said = subprocess.run(
            [sys.executable, "-c", f"import django; django.setup(); {code}"],
            cwd=settings.BASE_DIR,
            env=environ,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    assert said == "2\n"


@pytest.fixture
def no_tries_yet():
    cache.clear()
    yield
    cache.clear()


@pytest.mark.usefixtures("no_tries_yet")
def test_who_asks_is_not_what_the_request_says_without_a_proxy(client, db):
    """Else each guess of a password could come from an address of its own."""
    codes = [
        client.post(
            "/api/token/",
            {"username": "demo", "password": "wrong"},
            headers={"X-Forwarded-For": f"192.0.2.{number}"},
        ).status_code
        for number in range(6)
    ]
    assert codes == [400] * 5 + [429]
