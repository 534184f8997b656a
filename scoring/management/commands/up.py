from __future__ import annotations

import http.client
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import InterfaceError, OperationalError, close_old_connections
from django.db import connection as database
from django.utils import timezone

from evalapp import doors, upgrades
from evalapp.assets import packing
from evalapp.backup import restoring
from evalapp.backup.archive import BackupError
from evalapp.work import clocks
from scoring import data_folder
from scoring.management.supervisor import Supervisor, end, spawn

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
START_SECONDS = 60
ASK_SECONDS = 5  # between looks whether the site has ended instead
WORKER = "evalapp.buffering.Buffering"


class Command(BaseCommand):
    help = (
        "Update the database, then serve the site and keep a worker running until"
        " Ctrl-C."
    )
    # For a command that has a worker already: it stays, with what it has loaded.
    stealth_options = ("supervisor",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="HOST:PORT")
        parser.add_argument(
            "--no-worker",
            action="store_true",
            help="start no worker, because others compute the metrics",
        )
        parser.add_argument(
            "--processes",
            type=int,
            help="number of processes that serve the site, 8 threads each; default 1 on"
            " SQLite, else up to 4",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with data_folder.held(settings.DATA_DIR):
                restoring.refuse_half()
                self._serve(options)
        except (data_folder.Taken, BackupError) as error:
            raise CommandError(str(error)) from error

    def _serve(self, options: dict[str, Any]) -> None:
        if _answers(options["bind"]):
            raise CommandError(f"something already answers on {options['bind']}")
        self._migrate()
        packing.pack()
        for contrib in doors.active():
            contrib.before_start()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        supervisor = options.get("supervisor")
        if not supervisor and not options["no_worker"]:
            supervisor = Supervisor(spare_cores=1)
        site = spawn(_site(options["bind"], options["processes"] or _processes()))
        try:
            self._announce(site, options["bind"])
            _watch(site, supervisor)
        except KeyboardInterrupt:
            self.stdout.write("Stopping.")
        finally:
            _stop(site, supervisor)

    def _migrate(self) -> None:
        if upgrades.is_too_old(database):  # before old copies make room for one of it
            raise CommandError(upgrades.TOO_OLD)
        backups = settings.DATA_DIR / "backups"
        if path := data_folder.back_up(backups, now=timezone.now()):
            self.stdout.write(f"The database before this upgrade is kept in {path}")
        with data_folder.migrating_alone():
            call_command("migrate", verbosity=0, interactive=False)
        here, there = timezone.now(), clocks.of_database()
        if at := clocks.agreed(here=here, there=there):
            data_folder.tidy(now=at)  # no worker may ever see this folder

    def _announce(self, site: subprocess.Popen[bytes], bind: str) -> None:
        _wait_for(site, bind)
        self.stdout.write(f"EvalApp is running at http://{bind} (press Ctrl-C to stop)")
        if not get_user_model().objects.exists():
            self.stdout.write("Create an account: python manage.py createsuperuser")
        self.stdout.flush()


def _processes() -> int:
    """Writers to SQLite wait for each other: more processes would not help there."""
    return 1 if database.vendor == "sqlite" else min(4, os.cpu_count() or 1)


def _site(bind: str, processes: int) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "evalapp.wsgi", "--bind", bind),
        *("--workers", str(processes), "--worker-class", WORKER, "--threads", "8"),
        *("--log-level", "warning", "--graceful-timeout", "5", "--no-control-socket"),
    ]


def _wait_for(site: subprocess.Popen[bytes], bind: str) -> None:
    """Until a page would be answered: the port is open before the site is loaded."""
    end_at = time.monotonic() + START_SECONDS
    while not _serves(bind):
        _check(site)
        if time.monotonic() > end_at:
            raise CommandError(f"the site does not answer on {bind}")
        time.sleep(0.1)


def _serves(bind: str) -> bool:
    line = http.client.HTTPConnection(*_address(bind), timeout=ASK_SECONDS)
    try:
        line.request("GET", "/healthz")
        return line.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()


def _answers(bind: str) -> bool:
    """Whether anything does, which need not be EvalApp."""
    try:
        socket.create_connection(_address(bind), timeout=1).close()
    except OSError:
        return False
    return True


def _address(bind: str) -> tuple[str, int]:
    host, _, port = bind.rpartition(":")
    if not port.isdigit():
        raise CommandError(f"--bind {bind}: expected HOST:PORT")
    return host.strip("[]"), int(port)


def _watch(site: subprocess.Popen[bytes], supervisor: Supervisor | None) -> None:
    while True:
        _check(site)
        try:
            if supervisor:
                supervisor.tick(now=timezone.now())
        except (OperationalError, InterfaceError) as error:
            # A database that restarts must not take the site down with it.
            log.warning("the database does not answer: %s", error)
            close_old_connections()
        time.sleep(LOOK_SECONDS)


def _check(site: subprocess.Popen[bytes]) -> None:
    if site.poll() is not None:
        raise CommandError(f"the site ended with code {site.returncode}; see above")


def _stop(site: subprocess.Popen[bytes], supervisor: Supervisor | None) -> None:
    """End both in turn. An impatient second Ctrl-C would leave one of them behind."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)
    site.terminate()
    if supervisor:
        supervisor.stop(now=timezone.now())
    end(site)
