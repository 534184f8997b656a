"""Thirty faults of one line each, put into the app one by one: which do tests notice?

    python benchmarks/mutants.py            all of them, with the tests of `make test`
    python benchmarks/mutants.py leases 3   those in files named so, and the third

Each runs only the tests that mirror its file. One that survives is named. What the
tests of `make test` noticed before they became faster, they should notice after it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TEST = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0"]


class Mutant(NamedTuple):
    """A fault in a line that occurs once in its file."""

    file: str
    line: str
    fault: str
    tests: str  # files and folders below tests/, with blanks between them


STATS = "scoring/stats"
SEATS = "annotation/seats annotation/test_assigning.py annotation/test_open_places.py"
QUALITY = "annotation/quality"
LEASES = "evalapp/work/test_leases.py"
ACCESS = "pages/test_access.py"
MUTANTS = (
    Mutant(
        "scoring/stats/counts.py",
        "if n_units < FEW_UNITS:",
        "if n_units <= FEW_UNITS:",
        f"{STATS}/test_counts.py",
    ),
    Mutant(
        "scoring/stats/counts.py",
        "if np.isnan(low) or undefined > 1 - MIN_DEFINED:",
        "if np.isnan(low):",
        f"{STATS}/test_counts.py",
    ),
    Mutant(
        "scoring/stats/_alpha.py",
        "defined = (found.n_values >= 2) & (found.expected > 0)",
        "defined = found.expected > 0",
        f"{STATS}/test_agreement_intervals.py scoring/analyses/test_agreement.py",
    ),
    Mutant(
        "scoring/stats/_kendall.py",
        "return (first > second) * 1.0 - (first < second)",
        "return (first >= second) * 1.0 - (first < second)",
        f"{STATS}/test_correlation.py {STATS}/test_groups.py",
    ),
    Mutant(
        "scoring/stats/weighting.py",
        "counted = np.where(known & (weights > 0), s, 0.0)",
        "counted = np.where(known, s, 0.0)",
        f"{STATS}/test_weighting.py",
    ),
    Mutant(
        "scoring/metrics/repetition.py",
        "if self.options.window < 1:",
        "if self.options.window < 0:",
        "scoring/metrics/test_counts.py",
    ),
    Mutant(
        "scoring/metrics/distinct.py",
        'found[f"distinct_{n}"] = len(set(grams)) / len(grams) if grams else None',
        'found[f"distinct_{n}"] = len(set(grams)) / len(tokens) if grams else None',
        "scoring/metrics/test_counts.py",
    ),
    Mutant(
        "scoring/metrics/rouge.py",
        "return 2 * sum(c.isascii() for c in letters) >= len(letters)",
        "return 2 * sum(c.isascii() for c in letters) > len(letters)",
        "scoring/metrics/test_rouge.py",
    ),
    Mutant(
        "scoring/metrics/_ctrleval/word_list.py",
        "found[found == 0] = min(words.values())",
        "found[found == 0] = max(words.values())",
        "scoring/metrics/_ctrleval scoring/metrics/test_ctrleval.py",
    ),
    Mutant(
        "scoring/metrics/_ctrleval/iwf.py",
        "if not (np.isfinite(iwf).all() and (iwf >= 0).all()):",
        "if not np.isfinite(iwf).all():",
        "scoring/metrics/_ctrleval scoring/metrics/test_ctrleval.py",
    ),
    Mutant(
        "annotation/assigning.py",
        "if worker.study.state != Study.State.OPEN or not may_have_more(worker):",
        "if not may_have_more(worker):",
        SEATS,
    ),
    Mutant(
        "annotation/seats/newcomers.py",
        "if n <= ALWAYS:",
        "if n < ALWAYS:",
        SEATS,
    ),
    Mutant(
        "annotation/seats/newcomers.py",
        'if source and crowd["n"] <= held.filter(source=source).count() + 1:',
        'if source and crowd["n"] < held.filter(source=source).count() + 1:',
        SEATS,
    ),
    Mutant(
        "annotation/seats/placing.py",
        "unfilled = [one for one in places if one.number <= last"
        " and not _is_filled(one)]",
        "unfilled = [one for one in places if one.number < last"
        " and not _is_filled(one)]",
        f"{SEATS} annotation/test_answering.py",
    ),
    Mutant(
        "annotation/seats/placing.py",
        "if place.number > last:",
        "if place.number >= last:",
        f"{SEATS} annotation/test_answering.py",
    ),
    Mutant(
        "annotation/quality/rejudging.py",
        "fits = room[page.survey_id] > 0",
        "fits = room[page.survey_id] >= 0",
        QUALITY,
    ),
    Mutant(
        "annotation/quality/checking.py",
        "p = rules.worker_p(kept) if found >= enough else None",
        "p = rules.worker_p(kept) if found > enough else None",
        QUALITY,
    ),
    Mutant(
        "annotation/quality/checking.py",
        'return said if p > highest else "", {"p": p, "pages": n}',
        'return said if p < highest else "", {"p": p, "pages": n}',
        QUALITY,
    ),
    Mutant(
        "annotation/quality/checking.py",
        "if policy.block_after and not opinion.valid:",
        "if policy.block_after:",
        f"{QUALITY} annotation/test_answering.py",
    ),
    Mutant(
        "annotation/imports/_cells.py",
        "if isinstance(value, int | float) and not isinstance(value, bool):",
        "if isinstance(value, int | float):",
        "annotation/imports",
    ),
    Mutant(
        "annotation/imports/_cells.py",
        "if len(value) > longest:",
        "if len(value) >= longest:",
        "annotation/imports",
    ),
    Mutant(
        "annotation/imports/_written.py",
        "if not 0 < len(text) <= LONGEST:",
        "if not len(text) <= LONGEST:",
        "annotation/imports",
    ),
    Mutant(
        "annotation/access.py",
        "if level == Level.EDIT and not study.may_edit:",
        "if level == Level.EDIT and not study.sees_people:",
        ACCESS,
    ),
    Mutant(
        "annotation/access.py",
        "return Level.READ if method in SAFE_METHODS else Level.EDIT",
        "return Level.READ",
        ACCESS,
    ),
    Mutant(
        "evalapp/work/leases.py",
        "return still(row).update(lease_until=now + LEASE, **progress) == 1",
        "return still(row).update(lease_until=now, **progress) == 1",
        LEASES,
    ),
    Mutant(
        "evalapp/work/leases.py",
        "if row.attempt >= ATTEMPTS:",
        "if row.attempt > ATTEMPTS:",
        LEASES,
    ),
    Mutant(
        "evalapp/work/retries.py",
        "if now - since < LONGEST_AWAY:",
        "if now - since > LONGEST_AWAY:",
        "evalapp/work scoring/runs/test_worker.py",
    ),
    Mutant(
        "evalapp/limits/throttling.py",
        "if row.ends_at <= now:",
        "if row.ends_at < now:",
        "evalapp/limits",
    ),
    Mutant(
        "evalapp/limits/login.py",
        "often = throttling.count(named, SECONDS, most=TRIES, now=now) > TRIES",
        "often = throttling.count(named, SECONDS, most=TRIES, now=now) > TRIES + 1",
        f"evalapp/limits {ACCESS}",
    ),
    Mutant(
        "scoring/results/floors.py",
        'if result["level"] != "texts" or answer.missing(study=study):',
        'if result["level"] != "texts":',
        "pages/results/test_floors.py",
    ),
)


def is_noticed(mutant: Mutant) -> bool:
    """Whether a test fails. The file is as it was in any case afterwards."""
    path = ROOT / mutant.file
    before = path.read_text()
    assert before.count(mutant.line) == 1, f"{mutant.file} has no such line now"
    tests = [f"tests/{name}" for name in mutant.tests.split()]
    try:
        path.write_text(before.replace(mutant.line, mutant.fault))
        done = subprocess.run([*TEST, *tests], cwd=ROOT, capture_output=True, text=True)
    finally:
        path.write_text(before)
    assert done.returncode in (0, 1), done.stdout
    return done.returncode == 1


def main(chosen: list[str]) -> None:
    missed = 0
    for number, mutant in enumerate(MUTANTS, 1):
        if chosen and not any(
            one == str(number) or not one.isdigit() and one in mutant.file
            for one in chosen
        ):
            continue
        noticed = is_noticed(mutant)
        missed += not noticed
        word = "noticed" if noticed else "SURVIVES"
        print(f"{number:2} {word}  {mutant.file}: {mutant.fault}", flush=True)
    print(f"{missed} survive")


if __name__ == "__main__":
    main(sys.argv[1:])
