"""Many calls to a judge that misbehaves: is anything lost, doubled or invented?

    .venv/bin/python benchmarks/judge_calls.py --texts 400 --limit 1500
    DATABASE_URL=postgres://... .venv/bin/python benchmarks/judge_calls.py \\
        --texts 20000 --limit 6000 --redis

Real Celery workers, each kept alive as `manage.py up` keeps its one, score the texts by
`llm_judge` with answers at temperature 1. Some of them are killed, and the broker is
restarted. Then every row is compared with what the server wrote down.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEED, PRICE_IN, PRICE_OUT = 7, 1.0, 10.0
MOST_COST = 0.006  # of one call, at the most that it can take
NUMBER = re.compile(r"call-(\d{9})")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--limit", type=int, default=1500, help="calls per minute")
    parser.add_argument("--at-once", type=int, default=24, help="calls of a worker")
    parser.add_argument("--faults", type=float, default=0.2)
    parser.add_argument(
        "--budget", type=float, default=1.5, help="calls, of the texts'"
    )
    parser.add_argument("--redis", action="store_true", help="in place of the folder")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Redis:
    """A broker of our own, which forgets everything when it is restarted."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.start()

    def start(self) -> None:
        words = ["redis-server", "--port", str(self.port), "--save", "", "--appendonly"]
        self.child = subprocess.Popen([*words, "no"], stdout=subprocess.DEVNULL)

    def restart(self) -> None:
        self.stop()
        time.sleep(3)
        self.start()

    def stop(self) -> None:
        self.child.terminate()
        self.child.wait()


class Folder:
    """The broker of a fresh clone: its messages are files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def restart(self) -> None:
        for message in self.path.glob("*"):
            message.unlink(missing_ok=True)

    def stop(self) -> None:
        """Nothing runs."""


def main() -> None:
    """In a process with settings of its own."""
    given = arguments()
    with tempfile.TemporaryDirectory() as folder:
        file, port = Path(folder) / "judges.toml", free_port()
        file.write_text(
            f'[judges.lab]\nurl = "http://127.0.0.1:{port}/v1"\nmodels = ["tiny"]\n'
            f"calls_at_once = {given.at_once}\ncalls_per_minute = {given.limit}\n"
            f"price_in = {PRICE_IN}\nprice_out = {PRICE_OUT}\n"
        )
        env = {
            **os.environ,
            "DATA_DIR": folder,
            "JUDGES_FILE": str(file),
            "JUDGE_PORT": str(port),
            "DJANGO_SETTINGS_MODULE": "evalapp.settings",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")]),
        }
        if given.redis:
            env["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{free_port()}/0"
        command = [sys.executable, __file__, "--here", *sys.argv[1:]]
        raise SystemExit(subprocess.run(command, env=env).returncode)


def here(given: argparse.Namespace) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    log = settings.DATA_DIR / "server.log"
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "benchmarks/judge_server.py")]
        + [os.environ["JUDGE_PORT"], str(log), str(SEED), str(given.faults)]
    )
    broker = (
        Redis(int(settings.CELERY_BROKER_URL.split(":")[2].split("/")[0]))
        if given.redis
        else Folder(settings.DATA_DIR / "broker" / "queue")
    )
    time.sleep(1)
    try:
        run, seconds, killed = ask(given, broker)
        time.sleep(1.5)  # until the server has written its log down
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        good = compare(given, run, lines, seconds, killed)
    finally:
        server.terminate()
        broker.stop()
        run_log = settings.DATA_DIR / "worker.log"
        if run_log.exists() and os.environ.get("KEEP_LOG"):
            shutil.copy(run_log, os.environ["KEEP_LOG"])
    raise SystemExit(0 if good else 1)


# Asking -------------------------------------------------------------------------------


def ask(given: argparse.Namespace, broker: Redis | Folder):
    """Start a run, keep workers alive, kill some; the run, its seconds, the killed."""
    from django.utils import timezone

    from scoring.judging.ledger import Limit
    from scoring.management.supervisor import Supervisor
    from scoring.runs import starting

    study = lay_out(given.texts)
    calls = given.texts * given.samples
    limit = Limit(round(given.budget * calls), given.budget * calls * MOST_COST)
    keepers = [Supervisor() for _ in range(given.workers)]
    killed, restarted = [], False
    for keeper in keepers:
        keeper.tick(now=timezone.now())
    wait_for_workers(given.workers)
    options = {
        "model": "endpoint:lab/tiny",
        "mode": "samples",
        "samples": given.samples,
    }
    start = time.monotonic()
    run = starting.start(study=study, metric="llm_judge", options=options, limit=limit)
    try:
        while not run.ended:
            time.sleep(0.5)
            for keeper in keepers:
                keeper.tick(now=timezone.now())
            run.refresh_from_db()
            share = run.n_calls / calls
            if len(killed) < given.kills and share > (len(killed) + 1) / 4:
                killed.append(kill(keepers, len(killed)))
            if not restarted and share > 0.5:
                broker.restart()
                restarted = True
            show(run, start)
        return run, time.monotonic() - start, killed
    finally:
        print()
        for keeper in keepers:
            keeper.stop(now=timezone.now())


def show(run, start: float) -> None:
    took = time.monotonic() - start
    print(f"\r{took:6.0f} s {run.n_calls:8,} calls {run.state:9}", end="", flush=True)


def kill(keepers, n: int) -> int:
    """kill -9 of a worker that holds a chunk, if there is one."""
    from scoring.models import Chunk

    held = Chunk.objects.filter(state=Chunk.State.RUNNING).values_list(
        "owner", flat=True
    )
    busy = {int(owner.split("/")[-2]) for owner in held}
    alive = [one.child.pid for one in keepers if one.child]
    pid = next((pid for pid in alive[n:] + alive if pid in busy), alive[0])
    os.kill(pid, signal.SIGKILL)
    return pid


def wait_for_workers(n: int) -> None:
    from django.utils import timezone

    from evalapp.work import heartbeats

    while len(heartbeats.alive(now=timezone.now())) < n:
        time.sleep(0.2)


def lay_out(n: int):
    from annotation.models import Generation, Prompt, Study

    study = Study.objects.create(name=f"calls-{os.getpid()}", seed=SEED)
    prompt = Prompt.objects.create(study=study, digest=Prompt.digest_of("", "", ""))
    Generation.objects.bulk_create(
        (
            Generation(study=study, key=f"{k}", prompt=prompt, text=f"Text {k:06d}.")
            for k in range(n)
        ),
        batch_size=1000,
    )
    return study


# Comparing ----------------------------------------------------------------------------


def compare(given, run, lines, seconds: float, killed) -> bool:
    """Print what was found, and whether all of it is as it must be."""
    rows = list(run.calls.exclude(sample=0).order_by("pk"))
    logged = {line[0]: line for line in lines if line[2] >= 0}
    text_of = prompts(run)
    found = Findings(given, rows, logged, text_of)
    wrong = {
        "texts without five answers and without a reason": texts_wrong(run, found),
        "answers of the server that nobody has, workers killed aside": max(
            0, found.unknown - len(killed) * given.at_once
        ),
        "answers kept twice, or asked for again": found.doubled,
        "rows that the server knows nothing of": found.invented,
        "rows that say something else than the server": found.changed,
        "calls over the limit in some 60 s": max(0, busiest(lines) - given.limit),
        "calls over the budget": max(0, len(lines) - run.most_calls),
        "budget passed": int(run.cost + run.held_cost > run.most_cost + 1e-9),
        "budget passed by the server's own count": int(cost(lines) > run.most_cost),
    }
    attempts = len(lines)
    print(f"run: {run.state}; {run.error or run.notes}")
    print(f"texts {given.texts:,}, samples {given.samples}, workers {given.workers},")
    print(f"killed {len(killed)}, broker restarted once, faults {given.faults:.0%}")
    print(f"calls at the server {attempts:,}; rows {len(rows):,} and the test question")
    print(f"calls on their way when workers were killed {found.unknown}")
    print(f"kinds {dict(Counter(line[4] for line in lines).most_common())}")
    print(f"texts with a score {found.n_scored:,}, with a reason {found.n_reasons:,}")
    print(f"most calls in 60 s {busiest(lines):,} of {given.limit:,}")
    print(f"calls {run.n_calls:,} of {run.most_calls:,}")
    print(f"cost {run.cost:.4f} and held {run.held_cost:.4f} of {run.most_cost:.4f}")
    print(f"seconds {seconds:.0f}; attempts / limit {60 * attempts / given.limit:.0f}")
    print(f"ratio {seconds / (60 * attempts / given.limit):.3f}")
    for name, n in wrong.items():
        print(f"{'ok   ' if not n else 'WRONG'} {n:4} {name}")
    return not any(wrong.values())


def prompts(run) -> dict[str, int]:
    """The text for each prompt hash, from prompts written again."""
    from scoring.metrics import Example, get
    from scoring.metrics.judge import rating_requests

    metric = get("llm_judge")(**run.options)
    (question,) = metric._questions()
    return {
        rating_requests.request(
            Example(f"Text {k:06d}."), question, "", "samples"
        ).prompt_hash: k
        for k in range(run.study.generations.count())
    }


class Findings:
    """Rows beside the lines of the server."""

    def __init__(self, given, rows, logged, text_of) -> None:
        self.given, self.n_scored, self.n_reasons = given, 0, 0
        self.doubled = self.invented = self.changed = 0
        self.scores: dict[tuple[int, int], int] = {}  # of text and sample
        seen: set[int] = set()
        silent: Counter[int] = Counter()
        for row in rows:
            text = text_of[row.prompt_hash]
            number = NUMBER.search(row.answer)
            if number is None:
                silent[text] += 1
                continue
            line = logged.get(int(number[1]))
            if line is None or line[2] != text:
                self.invented += 1
                continue
            self.doubled += line[0] in seen
            seen.add(line[0])
            self._check(row, line, text)
        self._match_silent(silent, logged, seen)

    def _check(self, row, line, text: int) -> None:
        """A row of an answer against the line of the same number."""
        good = row.status == 200 and row.problem == ""
        self.changed += good != (line[4] == "good")
        if not good:
            return
        key = text, row.sample
        self.doubled += key in self.scores
        self.scores[key] = line[5]

    def _match_silent(self, silent, logged, seen) -> None:
        """Rows without an answer have a number of their text, and none other."""
        left: defaultdict[int, list[str]] = defaultdict(list)
        for number, line in logged.items():
            if number not in seen:
                left[line[2]].append(line[4])
        self.invented += sum(max(0, n - len(left[text])) for text, n in silent.items())
        self.unknown = sum(map(len, left.values())) - sum(silent.values())


def texts_wrong(run, found: Findings) -> int:
    """Texts whose score is not the mean of their answers, or that have no reason."""
    from scoring.models import Score

    wrong, samples = 0, range(1, found.given.samples + 1)
    saved = Score.objects.filter(signature=run.signature)
    by_key = {
        int(score.generation.key): score for score in saved.select_related("generation")
    }
    for text in range(found.given.texts):
        score = by_key.get(text)
        answers = [found.scores.get((text, n)) for n in samples]
        if score is None:
            wrong += 1
        elif score.value is not None:
            found.n_scored += 1
            mean = None if None in answers else sum(answers) / len(answers)
            wrong += mean is None or abs(mean - score.value) > 1e-9
        else:
            found.n_reasons += 1
            wrong += not score.reason or None not in answers
    return wrong


def busiest(lines) -> int:
    """The most calls that the server read in any 60 s."""
    times = sorted(line[1] for line in lines)
    most = first = 0
    for last, now in enumerate(times):
        while times[first] <= now - 60:
            first += 1
        most = max(most, last - first + 1)
    return most


def cost(lines) -> float:
    """Of all answers with status 200 that came as a whole, if each is charged."""
    from judge_server import SILENT, TOKENS_IN, TOKENS_OUT, written

    one = (TOKENS_IN * PRICE_IN + TOKENS_OUT * PRICE_OUT) / 1e6
    charged = (
        line for line in lines if line[4] in SILENT or written(line[4], 0, 1)[0] == 200
    )
    return one * sum(1 for _ in charged)


if __name__ == "__main__":
    given = arguments()
    here(given) if given.here else main()
