"""The servers and machines of `many_machines.py`: each can be killed and comes back.

Each machine is a folder: its processes share the host, and nothing that they write.
"""

from __future__ import annotations

import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent.parent
# What each worker takes: every queue has at least two of them.
QUEUES = ("gpu,cpu", "cpu,default", "gpu,judges,default", "gpu,cpu,judges,default")
NICE = 10  # on machines of their own, workers would take nothing from the site


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def until(look: Callable[[], bool], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not look():
        if time.monotonic() > end:
            raise SystemExit(f"{what} did not start within {seconds:.0f} s.")
        time.sleep(0.2)


class Server:
    """A process of a machine, with a folder and a log."""

    name = ""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder, self.env = folder, {**os.environ, **env}
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.child: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        """Does not wait until it answers."""
        self.kill()  # it may not have stopped in time
        with (self.folder / "log").open("ab") as log:
            self.child = subprocess.Popen(
                self.command(),
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def is_well(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def kill(self) -> None:
        """All at once, as if the machine had lost its power."""
        if self.child:
            for pid in [self.child.pid, *descendants(self.child.pid)]:
                end(pid, signal.SIGKILL)
            self.child.wait()
        self.child = None

    def ask_to_stop(self) -> None:
        if self.child:
            end(self.child.pid, signal.SIGTERM)

    def stop(self) -> None:
        self.ask_to_stop()
        if self.child:
            with suppress(subprocess.TimeoutExpired):
                self.child.wait(20)
        self.kill()

    def ended_by_itself(self) -> bool:
        return self.child is not None and self.child.poll() is not None

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")


def end(pid: int, how: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, how)


def descendants(pid: int) -> list[int]:
    try:
        told = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    own = [int(word) for word in told.split()]
    return own + [each for one in own for each in descendants(one)]


# Services -----------------------------------------------------------------------------


class Postgres(Server):
    """A cluster of its own: never one that others use."""

    name = "PostgreSQL"
    USER = "postgres"

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        super().__init__(folder, env)
        self.port = free_port()
        self.data = folder / "data"
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        self.bin = found[-1] if found else Path(shutil.which("initdb") or ".").parent
        # It refuses to run as root.
        self.user = self.USER if os.getuid() == 0 else None
        if self.user:
            there = pwd.getpwnam(self.user)
            os.chown(folder, there.pw_uid, there.pw_gid)
        self._run("initdb", "-A", "trust", "-U", "evalapp", "-E", "UTF8")

    @property
    def url(self) -> str:
        return f"postgres://evalapp@127.0.0.1:{self.port}/evalapp"

    def start(self) -> None:
        told = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        self._run("pg_ctl", "-W", "-l", f"{self.folder}/log", "-o", told, "start")

    def is_well(self) -> bool:
        import psycopg

        where = f"{self.url.removesuffix('/evalapp')}/postgres"
        try:
            psycopg.connect(where, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def make_database(self) -> None:
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "evalapp")

    def kill(self) -> None:
        """Open transactions are lost, and its log is replayed at the next start."""
        self._run("pg_ctl", "-m", "immediate", "-w", "stop", check=False)

    stop = kill

    def ended_by_itself(self) -> bool:
        return False

    def _run(self, name: str, *words: str, check: bool = True) -> None:
        made = [str(self.bin / name), *words]
        if name in ("initdb", "pg_ctl"):
            made += ["-D", str(self.data)]
        else:
            made[1:1] = ["-U", "evalapp"]
        with (self.folder / "commands").open("ab") as log:
            done = subprocess.run(
                made, user=self.user, cwd="/", stdout=log, stderr=log, check=False
            )
        if check and done.returncode:
            raise SystemExit(f"{name} failed: {self.folder}/commands")


class Redis(Server):
    """It keeps nothing on a disk: a restart loses every message."""

    name = "Redis"

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        super().__init__(folder, env)
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        where = ["--bind", "127.0.0.1", "--port", str(self.port)]
        return ["redis-server", *where, "--save", "", "--appendonly", "no"]

    def is_well(self) -> bool:
        return super().is_well() and answers(self.port)


class Rabbit(Server):
    """A virtual host of the server on port 5672, which others may use, too.

    To kill it is to close its connections, to let nobody in, and to lose its messages.
    """

    name = "RabbitMQ"

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        super().__init__(folder, env)
        self.host = f"many-machines-{secrets.token_hex(4)}"
        self.url = f"amqp://guest:guest@127.0.0.1:5672/{self.host}"
        self.made = self.there = False

    def start(self) -> None:
        if not self.made:
            self._control("add_vhost", self.host)
            rights = ("-p", self.host, "guest", ".*", ".*", ".*")
            self._control("set_permissions", *rights)
        self._let_in(-1)  # as many as want to
        self.made = self.there = True

    def is_well(self) -> bool:
        return self.there

    def kill(self) -> None:
        self.there = False
        self._let_in(0)
        self._control("close_all_connections", "--vhost", self.host, "restart")
        for queue in ("gpu", "cpu", "judges", "default"):
            self._control("purge_queue", "-p", self.host, queue, check=False)

    def stop(self) -> None:
        if self.made:
            self._control("delete_vhost", self.host)

    def ended_by_itself(self) -> bool:
        return False

    def _let_in(self, n: int) -> None:
        limits = json.dumps({"max-connections": n})
        self._control("set_vhost_limits", "-p", self.host, limits)

    def _control(self, *words: str, check: bool = True) -> None:
        with (self.folder / "log").open("ab") as log:
            made = ["rabbitmqctl", *words]
            subprocess.run(made, stdout=log, stderr=log, check=check)


class Moto(Server):
    """The bucket. Its files lie in its memory, so it is never killed."""

    name = "moto"
    BUCKET = "evalapp"

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        super().__init__(folder, env)
        self.port = free_port()
        secret = quote("secret/of+machines", safe="")
        where = f"127.0.0.1:{self.port}/{self.BUCKET}/some/prefix"
        self.url = f"s3://key-of-machines:{secret}@{where}?secure=0"

    def command(self) -> list[str]:
        where = ["-H", "127.0.0.1", "-p", str(self.port)]
        return [sys.executable, "-m", "moto.server", *where]

    def is_well(self) -> bool:
        return super().is_well() and answers(self.port)


class Nginx(Server):
    """`deploy/nginx.conf` with two sites behind it, and a certificate of its own."""

    name = "nginx"
    MAIN = """
daemon off;
pid {folder}/pid;
error_log {folder}/errors warn;
{user}
worker_processes 1;
events {{ worker_connections 2048; }}
http {{
    {paths}
    include {folder}/site;
}}
"""
    KINDS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")

    def __init__(self, folder: Path, port: int, sites: list[int]) -> None:
        super().__init__(folder, {})
        self.port = port
        self._make_certificate()
        user = "user root;" if os.getuid() == 0 else ""
        paths = [f"{kind}_temp_path {folder}/{kind};" for kind in self.KINDS]
        main = self.MAIN.format(folder=folder, user=user, paths="\n    ".join(paths))
        (folder / "nginx.conf").write_text(main)
        (folder / "site").write_text(self._site(sites))

    def command(self) -> list[str]:
        return ["nginx", "-p", str(self.folder), "-c", f"{self.folder}/nginx.conf"]

    def is_well(self) -> bool:
        return super().is_well() and answers(self.port)

    def _site(self, sites: list[int]) -> str:
        """What is shipped, with ports, the certificate and the log of this machine."""
        told = (ROOT / "deploy" / "nginx.conf").read_text()
        lets = "/etc/letsencrypt/live/ratings.example.org"
        changes = {
            "server 127.0.0.1:8000 ": f"server 127.0.0.1:{sites[0]} ",
            "# server 10.0.0.2:8000 ": f"server 127.0.0.1:{sites[1]} ",
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            f"{lets}/fullchain.pem": f"{self.folder}/certificate",
            f"{lets}/privkey.pem": f"{self.folder}/key",
            "/var/log/nginx/evalapp.log": f"{self.folder}/requests",
        }
        for old, new in changes.items():
            assert old in told, f"deploy/nginx.conf has no {old!r} any more"
            told = told.replace(old, new)
        return told

    def _make_certificate(self) -> None:
        words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        where = ["-keyout", f"{self.folder}/key", "-out", f"{self.folder}/certificate"]
        made = ["openssl", *words.split(), "-subj", "/CN=127.0.0.1", *where]
        subprocess.run(made, check=True, capture_output=True)


# Machines of EvalApp ------------------------------------------------------------------


class Machine(Server):
    """It has a DATA_DIR of its own."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        super().__init__(folder, {**env, "DATA_DIR": str(folder / "data")})


class Site(Machine):
    """`manage.py up` without a worker, as behind any proxy."""

    def __init__(self, folder: Path, env: Mapping[str, str], name: str) -> None:
        super().__init__(folder, env)
        self.name = name
        self.port = free_port()

    def command(self) -> list[str]:
        where = ["--bind", f"127.0.0.1:{self.port}", "--processes", "1"]
        return [sys.executable, "manage.py", "up", "--no-worker", *where]

    def is_well(self) -> bool:
        return super().is_well() and answers(self.port)

    def kill_process(self) -> None:
        """The process that answers alone: gunicorn starts another one."""
        if self.child and (found := descendants(self.child.pid)):
            end(found[-1], signal.SIGKILL)


class Worker(Machine):
    """As deploy/systemd/evalapp-worker@.service starts it."""

    def __init__(self, folder: Path, env: Mapping[str, str], number: int) -> None:
        super().__init__(folder, {**env, "OMP_NUM_THREADS": "1"})
        self.name, self.queues = f"worker {number}", QUEUES[number - 1]

    def command(self) -> list[str]:
        name = f"{self.name.replace(' ', '')}@%h"
        made = [sys.executable, "-m", "celery", "-A", "evalapp", "worker"]
        made += ["-P", "solo", "-c", "1", "--without-gossip", "--without-mingle"]
        made += ["-n", name, "-Q", self.queues]
        return ["nice", "-n", str(NICE), *made]
