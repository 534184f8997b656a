"""Make a study of 1,000 to 100,000 texts in minutes, for measuring.

    DATA_DIR=/some/folder .venv/bin/python benchmarks/large_data.py 100000
    DATABASE_URL=postgres://... .venv/bin/python benchmarks/large_data.py 100000

20 systems, 3 questions, 10 people for each text, 1,000 workers, 20 outputs of metrics
for each text. Pages and damaged texts are drawn by the study's own verbs. Seats,
answers, verdicts and scores are written as rows, and look as the verbs leave them:
each verdict is the policy's own opinion of the page. The study is open, and its last
pages lack one rating each, so that workers still find a page.

Works on the database that the settings name, which must be empty. Other benchmarks may
call `make`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
NAME, OWNER, PASSWORD = "large", "ann", "ann-password"
SYSTEMS, RATERS, ON_A_PAGE = 20, 10, 10

if TYPE_CHECKING:
    from annotation.models import Study


def make(n: int) -> Study:
    """The study, from its texts to its scores."""
    import large_ratings
    import large_rows
    import large_scores
    import numpy as np
    from django.contrib.auth.models import User

    from annotation import surveys
    from annotation.studies import create
    from annotation.surveys import opening
    from evalapp.work import dispatch

    user = User.objects.create_superuser(OWNER, password=PASSWORD)
    sizes = {"texts_per_survey": ON_A_PAGE, "ratings_per_text": RATERS}
    study = create(name=NAME, owner=user, labels=["positive", "negative"], **sizes)
    study.seed = 2022
    study.save()
    rng = np.random.default_rng(2022)
    told = _Told()
    with large_rows.without_indexes():
        _texts(study, n)
        told(f"{n} texts")
        dispatch.send = lambda task, pk, queue: None
        if asked := surveys.start_opening(study=study):
            opening.OPENINGS.perform(pk=asked.pk, owner="benchmark/1/x")
        study.refresh_from_db()
        assert study.state == study.State.OPEN
        told(f"{study.surveys.count()} pages")
        large_ratings.make(study, rng)
        told("ratings and verdicts")
        large_scores.make(study, user, rng)
        told("scores")
    told("indexes")
    large_rows.look_at_everything()
    told("statistics of the tables")
    return study


class _Told:
    """Prints how long each step took."""

    def __init__(self) -> None:
        self.start = time.perf_counter()

    def __call__(self, step: str) -> None:
        now = time.perf_counter()
        print(f"  {now - self.start:6.1f} s  {step}", flush=True)
        self.start = now


# Texts --------------------------------------------------------------------------------


def _texts(study: Study, n: int) -> None:
    """As an import leaves them: each prompt has a text of each system."""
    from large_rows import fill
    from opening import sentences_of

    from annotation.models import Generation, Import, Prompt, System
    from annotation.simulation import sample

    labels = list(study.labels.all())
    systems = System.objects.bulk_create(
        System(study=study, name=f"system-{s + 1:02}", model=f"lab/model-{s + 1}")
        for s in range(SYSTEMS)
    )
    record = Import.objects.create(
        study=study, format="csv", file_name="texts.csv", sha256="0" * 64, n_rows=n
    )
    said = sentences_of(sample.PATH.read_text())

    def prompts() -> Iterator[tuple[Any, ...]]:
        for i in range(n // SYSTEMS):
            prefix, label = f"Story {i}:", labels[i % 2]
            digest = Prompt.digest_of(prefix, label.name, "")
            yield study.pk, prefix, label.pk, i, digest

    first = fill(
        Prompt, ("study_id", "prefix", "label_id", "position", "digest"), prompts()
    )

    def generations() -> Iterator[tuple[Any, ...]]:
        for i in range(n // SYSTEMS):
            for s, system in enumerate(systems):
                some = (
                    said[(7 * i + 31 * s + k * (i % 97 + 1)) % len(said)]
                    for k in range(3)
                )
                text = f"Story {i}: " + " ".join(some)
                yield study.pk, f"{i}-{s}", first + i, system.pk, text, record.pk

    columns = ("study_id", "key", "prompt_id", "system_id", "text", "imported_id")
    fill(Generation, columns, generations())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=int)
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    make(given.texts)


if __name__ == "__main__":
    main()
