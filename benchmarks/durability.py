"""What it costs that a saved answer is on the disk: synchronous=FULL against NORMAL.

    .venv/bin/python benchmarks/durability.py

Autosaves by the view that takes them, in the process that serves them, by one worker
and by eight at once. Both settings take turns, so that what else the machine does hits
both.
"""

from __future__ import annotations

import itertools
import statistics
import sys

from databases import run_on_each

ROUNDS = 5
SAVES = 40  # per round
CROWDS = (1, 8)


def measure() -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.db import connection

    if connection.vendor != "sqlite":
        return
    settings.ALLOWED_HOSTS.append("testserver")
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        print("workers  setting  saves/s (median)  ratio  p50 ms  p99 ms")
        for n in CROWDS:
            compare(n)
    finally:
        connection.creation.destroy_test_db(
            connection.settings_dict["NAME"], verbosity=0
        )


def compare(n: int) -> None:
    import numpy as np
    import seats
    from django.db import connection

    seats.PAGES = SAVES
    speeds: dict[str, list[float]] = {"NORMAL": [], "FULL": []}
    took: dict[str, list[float]] = {"NORMAL": [], "FULL": []}
    save = saver(seats.lay_out(surveys=SAVES, name=f"crowd-{n}"))
    for _ in range(ROUNDS):
        for setting in speeds:
            options = connection.settings_dict["OPTIONS"]
            options["init_command"] = f"{begin(options)}PRAGMA synchronous={setting};"
            connection.close()
            seconds, total = seats.together(n, save)
            speeds[setting].append(len(seconds) / total)
            took[setting] += seconds
    normal = statistics.median(speeds["NORMAL"])
    for setting, found in speeds.items():
        speed = statistics.median(found)
        p50, p99 = np.percentile(1000 * np.array(took[setting]), [50, 99])
        print(
            f"{n:7}  {setting:7}  {speed:16.0f}  {speed / normal:5.2f}"
            f"  {p50:6.1f}  {p99:6.1f}"
        )


def begin(options: dict[str, str]) -> str:
    """The other settings of a connection."""
    parts = options["init_command"].split(";")
    kept = [part for part in parts if part.strip() and "synchronous" not in part]
    return "".join(f"{part};" for part in kept)


def saver(study):
    """Save an answer at the i-th seat, by the request that its page sends."""
    from django.test import Client
    from django.utils import timezone

    from annotation import assigning
    from annotation.crowd.views import seat as view
    from annotation.models import Worker

    # A person's identity is in a signed cookie, which is not compared.
    view.remembered_id = lambda request, study: request.headers["X-Worker"]
    key = study.aspects.first().key
    values = itertools.cycle("12345")
    paths = []
    for i in range(SAVES):
        worker = Worker.objects.create(
            study=study, platform="direct", external_id=f"w{i}"
        )
        seat = assigning.claim(worker=worker, now=timezone.now())
        paths.append(f"{seat.get_absolute_url()}answer/")

    def save(i: int) -> None:
        fields, who = {f"a-1-{key}": next(values)}, {"X-Worker": f"w{i}"}
        answer = Client().post(paths[i], fields, headers=who)
        assert answer.status_code in (200, 204), answer.content

    return save


if __name__ == "__main__":
    measure() if "--here" in sys.argv else run_on_each(__file__)
