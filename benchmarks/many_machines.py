"""Two sites and four workers with folders of their own, while parts of them are killed.

    .venv/bin/python benchmarks/many_machines.py --minutes 15 --raters 100 --seed 1
    ... benchmarks/many_machines.py --broker rabbitmq

Starts PostgreSQL, Redis, an S3-compatible server (moto), nginx with the file of deploy,
two `manage.py up` and four workers, each on ports and folders of its own. Needs
postgresql, redis-server, nginx-light and openssl of Debian, requirements-dev.txt and
requirements-server.txt. RabbitMQ is the one on port 5672, in a virtual host of its own.

People rate through nginx, `manage.py demo` runs, and a researcher starts three runs, a
training, a probe and two data sets, and applies two policies. Meanwhile workers, sites,
the broker and the database are killed at random, by the seed. moto is not: its files
are in its memory.

Ends with 1 unless every text has exactly its ratings, nothing that was acknowledged is
lost, nothing is scored twice or missing, and all work has ended by itself.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from machines import counting  # noqa: E402
from machines.killing import Fleet  # noqa: E402
from machines.raters import ANSWERS, People, patient, together  # noqa: E402
from machines.researcher import Api, Demo, Researcher, add_corpus  # noqa: E402
from machines.servers import (  # noqa: E402
    Moto,
    Nginx,
    Postgres,
    Rabbit,
    Redis,
    Server,
    Site,
    Worker,
    free_port,
    until,
)

PAGES_A_SECOND = 0.6  # of all raters together: two cores do more, but not by much
LEASE_MINUTES, MAX_PAGES = 2, 30
PATIENCE = 900.0  # seconds for people, and again for work, to end once killing is over


def main() -> int:
    asked = arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="many-machines-"))
    folder.chmod(0o711)  # PostgreSQL's user passes through
    try:
        return run(asked, folder)
    finally:
        if asked.logs:
            keep_logs(folder, asked.logs)
        shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=15, help="of killing")
    parser.add_argument("--raters", type=int, default=100, dest="workers")
    parser.add_argument("--broker", choices=("redis", "rabbitmq"), default="redis")
    parser.add_argument("--ratings", type=int, default=5, help="per text")
    parser.add_argument("--logs", type=Path, help="a folder to copy all logs into")
    return parser.parse_args()


def keep_logs(folder: Path, to: Path) -> None:
    for path in [*folder.glob("*/log"), *folder.glob("nginx/errors")]:
        to.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to / f"{path.parent.name}.{path.name}")


def run(asked: argparse.Namespace, folder: Path) -> int:
    with services(asked, folder) as (database, broker, port, env):
        os.environ |= env | {"DATA_DIR": str(folder / "here")}
        import django

        django.setup()
        study, token = lay_out(asked)
        sites = [Site(folder / f"site-{n}", env, f"site {n}") for n in (1, 2)]
        workers = [Worker(folder / f"worker-{n}", env, n) for n in (1, 2, 3, 4)]
        nginx = Nginx(folder / "nginx", port, [site.port for site in sites])
        with running([*sites, *workers, nginx]):
            rng = random.Random(asked.seed)
            fleet = Fleet(sites, workers, broker, database, rng)
            demo = Demo(folder / "demo", env)
            try:
                return measure(asked, study, token, fleet, demo, port)
            finally:
                demo.over.set()
                demo.kill()


# What runs ----------------------------------------------------------------------------


@contextmanager
def services(
    asked: argparse.Namespace, folder: Path
) -> Iterator[tuple[Postgres, Server, int, dict[str, str]]]:
    database = Postgres(folder / "postgres", {})
    kind = Redis if asked.broker == "redis" else Rabbit
    broker, moto = kind(folder / "broker", {}), Moto(folder / "moto", {})
    port = free_port()
    with running([database, broker, moto]):
        database.make_database()
        make_bucket(moto)
        yield (
            database,
            broker,
            port,
            {
                "DATABASE_URL": database.url,
                "CELERY_BROKER_URL": broker.url,
                "STORAGE_URL": moto.url,
                "SECRET_KEY": secrets.token_urlsafe(40),
                "PUBLIC_URL": f"https://127.0.0.1:{port}",
                "DJANGO_SETTINGS_MODULE": "evalapp.settings",
                "STARTS_PER_MINUTE": "100000",  # the researcher and all raters are one
                "TRAINING_SLICE_SECONDS": "20",  # so that it changes machines
                "HF_HUB_OFFLINE": "1",
                "PYTHONUNBUFFERED": "1",
            },
        )


@contextmanager
def running(servers: list[Any]) -> Iterator[None]:
    try:
        for one in servers:
            one.start()
        for one in servers:
            until(one.is_well, one.name)
        yield
    finally:
        for one in reversed(servers):
            one.stop()


def make_bucket(moto: Moto) -> None:
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{moto.port}",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        region_name="us-east-1",
    )
    client.create_bucket(Bucket=moto.BUCKET)


def lay_out(asked: argparse.Namespace) -> tuple[Any, str]:
    """An open study with a corpus, large enough for the time; a researcher's token."""
    import coverage
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.utils import timezone

    from annotation.models import Study
    from evalapp.accounts import tokens

    call_command("migrate", verbosity=0)
    user = get_user_model().objects.create_superuser("researcher", password=None)
    _, key = tokens.make(user=user, name="program", now=timezone.now())
    asked.spare, asked.kinds = 0, "ratings"
    wanted = asked.minutes * 60 * PAGES_A_SECOND / asked.ratings  # surveys
    asked.prompts = max(4, 2 * round(wanted / 2))
    study = coverage.lay_out(asked)
    found = Study.objects.filter(pk=study.pk)
    found.update(max_pages=MAX_PAGES, lease_minutes=LEASE_MINUTES)
    study.refresh_from_db()
    add_corpus(study)
    return study, key


# What happens -------------------------------------------------------------------------


def measure(
    asked: argparse.Namespace,
    study: Any,
    token: str,
    fleet: Fleet,
    demo: Demo,
    port: int,
) -> int:
    seconds = asked.minutes * 60
    people = People(study, asked, wanted=study.surveys.count() * asked.ratings)
    people.port = port
    people.think = seconds * asked.workers * 0.6 / people.wanted / ANSWERS
    print(
        f"{asked.workers} raters, {people.wanted} pages wanted,"
        f" {people.think:.1f} s for each answer",
        flush=True,
    )
    researcher = Researcher(people, Api(people, token), seconds)
    pool, found = together(people)
    helpers = [threading.Thread(target=one.work) for one in (researcher, demo)]
    for helper in helpers:
        helper.start()
    fleet.kill_for(seconds)
    killed = time.monotonic()
    fleet.note("killing is over")
    wait_until(fleet, lambda: covered(people) and not alive(helpers), "ratings, demo")
    people.over.set()
    pool.shutdown()
    wait_until(fleet, lambda: not patient(counting.unfinished), "all work to end")
    print(f"all ended {time.monotonic() - killed:.0f} s after the last was killed")
    errors = [repr(one.exception()) for one in found if one.exception()]
    return report(people, fleet, researcher, demo, [*errors, *researcher.errors])


def covered(people: People) -> bool:
    return people.oracle.submit(people.n_valid).result() >= people.wanted


def alive(helpers: list[threading.Thread]) -> bool:
    return any(helper.is_alive() for helper in helpers)


def wait_until(fleet: Fleet, look: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not (fleet.all_well() and look()):
        if time.monotonic() > end:
            print(f"gave up waiting for {what}", flush=True)
            return
        for _ in range(5):
            fleet.tick()
            time.sleep(0.2)


def is_made(people: People) -> bool:
    """Whether the data set is done: one that failed stands among what has a reason."""
    from scoring.models import DataSet

    return DataSet.objects.filter(study=people.study, state="done").exists()


def report(
    people: People,
    fleet: Fleet,
    researcher: Researcher,
    demo: Demo,
    errors: list[str],
) -> int:
    rest, left = counting.stopped(), counting.unfinished()
    counting.show(people, fleet, rest)
    data_set = researcher.data_set_is_whole() if is_made(people) else ""
    wrong = {
        **counting.ratings(people),
        **counting.ratings_of_demo(),
        **counting.verdicts(people),
        **counting.scores(),
        **counting.pages(people, fleet),
        "pieces of work that did not end": len(left),
        "pieces of work that ended without a reason": sum(
            one.endswith(": ") for one in rest
        ),
        "data sets that are not whole": int(bool(data_set)),
        "demos that did not end": int(not demo.done),
        "raters and researchers of this script that failed": len(errors),
    }
    print(f"\n{len(people.acknowledged)} answers were acknowledged.")
    print(f"The demo was started {demo.tries} times.")
    print("\n".join(f"{n:6}  {what}" for what, n in wrong.items()))
    for line in [*left[:10], *([data_set] if data_set else []), *errors[:5]]:
        print(line)
    return int(any(wrong.values()))


if __name__ == "__main__":
    code = 130
    try:
        code = main()
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(code)  # raters who were interrupted would ask for ever
