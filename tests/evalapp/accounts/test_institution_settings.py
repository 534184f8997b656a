"""What the environment says of the institution."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from evalapp.accounts import institution_settings
from tests.scoring.processes import ROOT

NEEDED = {
    "OIDC_URL": "https://login.example.org/realms/lab/",
    "OIDC_CLIENT_ID": "evalapp",
    "OIDC_CLIENT_SECRET": "a secret",
}


@pytest.fixture
def read(monkeypatch):
    monkeypatch.setattr(institution_settings, "find_spec", lambda name: name)

    def read(**more):
        for name, value in {**NEEDED, **more}.items():
            monkeypatch.setenv(name, value)
        return institution_settings.from_environment()

    return read


def test_nothing_is_set_by_default(settings):
    assert institution_settings.from_environment() is None
    assert settings.INSTITUTION is None and settings.PASSWORD_LOGIN
    assert not [app for app in settings.INSTALLED_APPS if "allauth" in app]
    assert not [one for one in settings.MIDDLEWARE if "allauth" in one]


def test_a_slash_or_the_well_known_part_of_the_address_does_not_matter(read):
    assert read().url == "https://login.example.org/realms/lab"
    known = "https://login.example.org/realms/lab/.well-known/openid-configuration"
    assert read(OIDC_URL=known) == read()


@pytest.mark.parametrize(
    "url",
    ["login.example.org", "http://login.example.org", "https://", "https://a?b=c"],
)
def test_an_address_that_would_send_the_secret_in_clear_is_refused(read, url):
    with pytest.raises(ImproperlyConfigured, match="expected the address of the"):
        read(OIDC_URL=url)


@pytest.mark.parametrize("url", ["http://localhost:9000", "http://127.0.0.1:9000"])
def test_on_this_machine_it_may_be_http(read, url):
    assert read(OIDC_URL=url).url == url


@pytest.mark.parametrize("name", ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"])
def test_a_missing_value_is_named(read, name):
    with pytest.raises(ImproperlyConfigured, match=f"so {name} is needed"):
        read(**{name: ""})


def test_the_secret_may_be_in_a_file_and_is_never_printed(read, tmp_path):
    (tmp_path / "secret").write_text("from a file\n")
    found = read(
        OIDC_CLIENT_SECRET="", OIDC_CLIENT_SECRET_FILE=str(tmp_path / "secret")
    )
    assert found.client_secret == "from a file"
    assert "from a file" not in repr(found)


def test_a_name_with_a_typo_stops_the_start(read):
    """OIDC_ALLOWED_GROUP would let everybody in."""
    with pytest.raises(ImproperlyConfigured, match="ALLOWED_GROUP is not a setting"):
        read(OIDC_ALLOWED_GROUP="lab")


def test_a_value_without_the_address_stops_the_start(monkeypatch):
    monkeypatch.setenv("OIDC_CLIENT_ID", "evalapp")
    with pytest.raises(ImproperlyConfigured, match="but OIDC_URL is not"):
        institution_settings.from_environment()


def test_without_passwords_and_without_an_institution_nobody_could_log_in(monkeypatch):
    monkeypatch.setenv("PASSWORD_LOGIN", "False")
    with pytest.raises(ImproperlyConfigured, match="nobody could log in"):
        institution_settings.password_login(None)


def test_without_the_package_the_start_stops_with_one_sentence(tmp_path):
    """As an operator sees it, on a Python that finds no allauth."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys; sys.modules['allauth'] = None\n"
        "import importlib.util as util; found = util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name == 'allauth'"
        " else found(name, *a)\n"
    )
    env = {**os.environ, **NEEDED, "PYTHONPATH": str(tmp_path)}
    env |= {"DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "evalapp.settings"}
    command = [sys.executable, "manage.py", "check"]
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.startswith("EvalApp cannot start. OIDC_URL is set, but django")
    assert "requirements-server.txt" in run.stderr and "Traceback" not in run.stderr


class TestGroups:
    def test_of_several_groups_the_highest_role_counts(self, read):
        rules = "lab=ferry:editor, readers=ferry:viewer, readers=harbour:viewer"
        found = read(OIDC_STUDY_GROUPS=rules)
        assert found.roles(frozenset(["readers", "lab", "x"])) == {
            "ferry": "editor",
            "harbour": "viewer",
        }
        assert found.roles(frozenset(["readers"]))["ferry"] == "viewer"
        assert found.roles(frozenset()) == {}

    def test_the_name_of_a_group_may_hold_an_equals_sign(self, read):
        found = read(OIDC_STUDY_GROUPS="cn=lab=ferry:viewer")
        assert found.roles(frozenset(["cn=lab"])) == {"ferry": "viewer"}

    @pytest.mark.parametrize(
        "rule",
        ["lab", "lab=ferry", "lab=ferry:owner", "=ferry:viewer", "lab=:viewer"],
    )
    def test_a_rule_that_is_not_understood_stops_the_start(self, read, rule):
        with pytest.raises(ImproperlyConfigured, match="Expected GROUP=STUDY:ROLE"):
            read(OIDC_STUDY_GROUPS=rule)

    def test_without_allowed_groups_everybody_may_come(self, read):
        assert read().admits(frozenset())
        only = read(OIDC_ALLOWED_GROUPS="people, lab")
        assert only.admits(frozenset(["lab"])) and not only.admits(frozenset(["x"]))

    def test_without_a_staff_group_nobody_is_staff_by_it(self, read):
        assert not read().makes_staff(frozenset([""]))
        assert read(OIDC_STAFF_GROUP="a").makes_staff(frozenset(["a"]))
