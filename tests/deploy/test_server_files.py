"""Files for nginx, Caddy and systemd, read by these programs if they are here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evalapp import environment, request_bodies

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    return found or pytest.skip(f"{name} is not installed")


def run(*command: object, **kwargs) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **kwargs
    )
    said = done.stdout + done.stderr
    assert not done.returncode, said
    return said


def test_nginx_takes_its_file(tmp_path):
    nginx = program("nginx")
    run(
        *(program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
        *("-keyout", tmp_path / "privkey.pem", "-out", tmp_path / "fullchain.pem"),
        *("-days", "1", "-subj", "/CN=ratings.example.org"),
    )
    site = (DEPLOY / "nginx.conf").read_text()
    there = "/etc/letsencrypt/live/ratings.example.org"
    (tmp_path / "site").write_text(site.replace(there, str(tmp_path)))
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path}/pid; events {{}} http {{ access_log off;"
        f" include {tmp_path}/site; }}"
    )
    log = f"error_log {tmp_path}/error.log;"
    assert "successful" in run(nginx, "-t", "-c", whole, "-g", log)


def test_caddy_takes_its_file(tmp_path):
    given = {"HOST": "ratings.example.org", "HOME": str(tmp_path)}
    run(
        *(program("caddy"), "validate", "--adapter", "caddyfile"),
        *("--config", DEPLOY / "Caddyfile"),
        env=given,
    )


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_takes_a_unit(unit, tmp_path):
    verify = program("systemd-analyze")
    here = str(Path(sys.executable).parent)
    text = unit.read_text().replace("/opt/evalapp/.venv/bin", here)
    # Else it says of other users' units that they are not to be found.
    (tmp_path / unit.name).write_text(text.replace("evalapp.service", ""))
    assert run(verify, "verify", "--man=no", tmp_path / unit.name) == ""


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_all_units_are_confined_alike(unit):
    lines = unit.read_text().splitlines()
    for wanted in (
        *("NoNewPrivileges=yes", "ProtectSystem=strict", "User=evalapp"),
        *("CapabilityBoundingSet=", "RestrictNamespaces=yes", "TasksMax=1024"),
    ):
        assert wanted in lines
    assert any(line.startswith("MemoryMax=") for line in lines)


def test_units_read_the_secrets_of_their_role():
    files = {
        unit.stem: [
            line.partition("=")[2].removeprefix("-/etc/evalapp/")
            for line in unit.read_text().splitlines()
            if line.startswith("EnvironmentFile=")
        ]
        for unit in UNITS
    }
    common = "/etc/evalapp/common.env"
    assert files == {
        "evalapp": [common, "site.env"],
        "evalapp-worker@": [common, "%i.env"],  # mail.env, judges.env
        "evalapp-gpu@": [common],
    }


def test_workers_do_not_watch_each_other():
    """One that scores for minutes reads old beats then, and warns of wrong clocks."""
    files = [*UNITS, *DEPLOY.glob("compose*.yaml")]
    lines = [line for file in files for line in file.read_text().splitlines()]
    starts = [line for line in lines if "celery -A evalapp worker" in line]
    assert len(starts) == 8
    for line in starts:
        assert "--without-gossip --without-mingle" in line


def test_a_proxy_takes_what_the_site_takes():
    most = 2 * environment.integer("UPLOAD_MAX_MB", 64, low=1, high=4096)
    assert f"client_max_body_size {most}m;" in (DEPLOY / "nginx.conf").read_text()
    assert f"max_size {most}MB" in (DEPLOY / "Caddyfile").read_text()


def test_a_proxy_takes_as_little_elsewhere_as_the_site():
    most = request_bodies.SMALL // 2**20
    assert f"client_max_body_size {most}m;" in (DEPLOY / "nginx.conf").read_text()
    assert f"max_size {most}MB" in (DEPLOY / "Caddyfile").read_text()
