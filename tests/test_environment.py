from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from evalapp import environment
from evalapp.accounts import checks


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


class TestSecret:
    def test_it_is_a_value_or_in_a_file(self, monkeypatch, tmp_path):
        assert environment.secret("X") == ""
        monkeypatch.setenv("X", "value")
        assert environment.secret("X") == "value"
        (tmp_path / "x").write_text("from a file\n")
        monkeypatch.setenv("X_FILE", str(tmp_path / "x"))
        with pytest.raises(ImproperlyConfigured, match="not both"):
            environment.secret("X")
        monkeypatch.delenv("X")
        assert environment.secret("X") == "from a file"

    @pytest.mark.parametrize(
        ("content", "said"),
        [(None, "cannot be read"), (b"", "is empty"), (b"\xff", "not text")],
    )
    def test_a_file_without_one_stops_the_start(
        self, monkeypatch, tmp_path, content, said
    ):
        if content is not None:
            (tmp_path / "x").write_bytes(content)
        monkeypatch.setenv("X_FILE", str(tmp_path / "x"))
        with pytest.raises(ImproperlyConfigured, match=said):
            environment.secret("X")


class TestInteger:
    @pytest.mark.parametrize("value", ["", "x", "-1", "1.5", "²", "0", "11"])
    def test_it_refuses_what_is_none_or_out_of_bounds(self, given, value):
        with pytest.raises(ImproperlyConfigured, match="from 1 to 10"):
            given(environment.integer, value, 5, low=1, high=10)


class TestStorage:
    @pytest.fixture(autouse=True)
    def packages(self, monkeypatch):
        """The reading of the address does not depend on what is installed."""
        monkeypatch.setattr(environment, "_installed", lambda package: True)
        monkeypatch.delenv("AWS_REGION", raising=False)

    def test_by_default_it_is_the_folder(self, given):
        assert given(environment.storage, "") == {
            "BACKEND": "evalapp.storage.folder.Folder"
        }

    def test_it_reads_every_part(self, given):
        url = "s3://KEY:a%2Fb+c@box:9000/my-bucket/one/two?region=eu-1&secure=0"
        found = given(environment.storage, url)["OPTIONS"]
        assert found == {
            "endpoint_url": "http://box:9000",
            "bucket_name": "my-bucket",
            "location": "one/two",
            "region_name": "eu-1",
            "use_ssl": False,
            "access_key": "KEY",
            "secret_key": "a/b+c",
            "security_token": None,
            "addressing_style": "path",
        }

    def test_without_a_key_or_a_host_it_is_amazon_s_with_the_usual_variables(
        self, given
    ):
        found = given(environment.storage, "s3:///my-bucket")["OPTIONS"]
        assert found == {
            "bucket_name": "my-bucket",
            "location": "",
            "region_name": None,
            "use_ssl": True,
        }

    @pytest.mark.parametrize(
        "value",
        [
            *("my-bucket", "http://box/my-bucket", "S4://box/my-bucket", "s3://box"),
            *("s3://box/b", "s3://box/My_Bucket", "s3://box:x/my-bucket"),
            *("s3://KEY@box/my-bucket", "s3://:hush@box/my-bucket"),
            *("s3://KEY:hu/sh@box/my-bucket", "s3://@box/my-bucket"),
            *("s3://box/my-bucket?secure=no", "s3://box/my-bucket?secur=0"),
            *("s3://box/my-bucket?secure", "s3://box/my-bucket?secure=0&secure=1"),
            *("s3://box/my-bucket?region=EU 1", "s3://box/my-bucket#part"),
            *("s3://box/my-bucket/../x", "s3://box/my-bucket/a//b", "s3://[::1/b"),
        ],
    )
    def test_a_typo_stops_the_start_and_shows_no_secret(self, given, value):
        with pytest.raises(ImproperlyConfigured, match="Expected s3://KEY:SECRET") as e:
            given(environment.storage, value)
        assert "hu" not in str(e.value)

    def test_missing_packages_are_one_sentence(self, given, monkeypatch):
        monkeypatch.setattr(environment, "_installed", lambda package: False)
        with pytest.raises(ImproperlyConfigured) as e:
            given(environment.storage, "s3://KEY:hush@box/my-bucket")
        assert str(e.value) == (
            "X needs packages that are not installed: run"
            " `pip install -r requirements-server.txt`."
        )


class TestFolder:
    def test_an_empty_one_is_not_the_folder_that_we_run_in(self, given, tmp_path):
        assert given(environment.folder, "", tmp_path) == tmp_path

    def test_it_is_absolute(self, given, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert given(environment.folder, "here", tmp_path) == tmp_path / "here"


class TestMakePrivate:
    @pytest.fixture
    def shared(self, tmp_path):
        folder = tmp_path / "data"
        folder.mkdir()
        folder.chmod(0o755)
        return folder

    def mode(self, folder):
        return folder.stat().st_mode & 0o7777

    def test_a_new_folder_is_its_owner_s_alone(self, tmp_path):
        environment.make_private(tmp_path / "a" / "b")
        assert self.mode(tmp_path / "a" / "b") == 0o700

    def test_one_that_was_there_becomes_so(self, shared):
        environment.make_private(shared)
        assert self.mode(shared) == 0o700

    def test_one_that_belongs_to_many_is_left_as_it_is(self, shared):
        shared.chmod(0o1777)
        environment.make_private(shared)
        assert self.mode(shared) == 0o1777

    def test_one_that_is_not_ours_is_warned_of(self, shared, settings, monkeypatch):
        def refuse(*args):
            raise PermissionError

        monkeypatch.setattr(Path, "chmod", refuse)
        environment.make_private(shared)
        settings.DATA_DIR = shared
        (warning,) = checks.data_dir_is_private(None)
        assert "mode 755" in warning.msg and f"chmod 700 {shared}" in warning.hint

    def test_the_tests_own_folder_needs_no_warning(self):
        assert "evalapp.W001" not in {one.id for one in run_checks()}


@pytest.mark.slow
def test_what_a_process_writes_is_its_owner_s_alone(tmp_path, settings):
    """In a folder that others could read before, too."""
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    env = {**os.environ, "DATA_DIR": str(data)}
    env["DJANGO_SETTINGS_MODULE"] = "evalapp.settings"
    env.pop("DATABASE_URL", None)
    words = [sys.executable, "manage.py", "migrate", "limits", "-v0"]
    wide = partial(os.umask, 0)
    subprocess.run(words, cwd=settings.BASE_DIR, env=env, check=True, preexec_fn=wide)
    found = [data, *data.rglob("*")]
    assert data / "db.sqlite3" in found
    assert not {path.name: oct(path.stat().st_mode) for path in found if is_open(path)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("", "max-age=31536000"),
        ("subdomains", "max-age=31536000; includeSubDomains"),
        ("preload", "max-age=31536000; includeSubDomains; preload"),
    ],
)
def test_other_hosts_are_held_to_https_only_if_the_operator_says_so(
    tmp_path, settings, asked, sent
):
    env = {**os.environ, "DATA_DIR": str(tmp_path), "HSTS": asked}
    env |= {"PUBLIC_URL": "https://a.example", "DATABASE_URL": ""}
    env["DJANGO_SETTINGS_MODULE"] = "evalapp.settings"
    code = (
        "import django; django.setup(); from django.test import Client\n"
        "answer = Client().get('/login/', secure=True, headers={'Host': 'a.example'})\n"
        "print(answer.headers['Strict-Transport-Security'])"
    )
    words = [sys.executable, "-c", code]
    said = subprocess.run(
        words, cwd=settings.BASE_DIR, env=env, check=True, capture_output=True
    )
    assert said.stdout.decode().splitlines()[-1] == sent


def test_with_postgresql_no_cache_lies_on_disk_as_pickle(tmp_path, settings):
    env = {**os.environ, "DATA_DIR": str(tmp_path)}
    env["DATABASE_URL"] = "postgres://nobody@127.0.0.1:1/none"
    code = "from django.core.cache import cache; cache.set('x', 1)"
    env["DJANGO_SETTINGS_MODULE"] = "evalapp.settings"
    words = [sys.executable, "-c", code]
    subprocess.run(words, cwd=settings.BASE_DIR, env=env, check=True)
    assert not (tmp_path / "cache").exists()


def is_open(path):
    return path.stat().st_mode & 0o077


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


class TestMail:
    def test_without_one_nothing_is_sent(self, given):
        assert "dummy" in given(environment.mail, "")["EMAIL_BACKEND"]

    @pytest.mark.parametrize(
        ("url", "port", "ssl", "tls"),
        [
            ("smtps://u:p%40%2F@mail.example.org", 465, True, False),
            ("smtp+tls://u:p%40%2F@mail.example.org", 587, False, True),
            ("smtp://u:p%40%2F@mail.example.org:2525", 2525, False, False),
        ],
    )
    def test_it_is_a_server_with_a_password(self, given, url, port, ssl, tls):
        found = given(environment.mail, url)
        assert found["EMAIL_HOST"] == "mail.example.org"
        assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("u", "p@/")
        assert found["EMAIL_PORT"] == port
        assert (found["EMAIL_USE_SSL"], found["EMAIL_USE_TLS"]) == (ssl, tls)
        assert found["EMAIL_TIMEOUT"] > 0

    @pytest.mark.parametrize(
        "url",
        ["https://u:secret@x", "smtps:secret", "smtp://u:secret@x:port", "secret"],
    )
    def test_a_typo_stops_the_start_and_shows_no_password(self, given, url):
        with pytest.raises(ImproperlyConfigured) as caught:
            given(environment.mail, url)
        assert "secret" not in str(caught.value)


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
