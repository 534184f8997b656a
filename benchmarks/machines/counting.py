"""What came of it: each figure that must be 0 for all to be well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from coverage import coverage, lost
from machines.killing import Fleet
from machines.raters import AWAY, People, Trouble


def unfinished() -> list[str]:
    """Work of any kind that has not ended."""
    from evalapp.work import leases
    from scoring.models import Checkpoint, MetricRun

    kinds = [*leases.kinds(), MetricRun, Checkpoint]
    open_states = ("queued", "running")
    return [
        f"{kind.__name__} {row.pk}: {row.state}"
        for kind in kinds
        for row in kind._default_manager.filter(state__in=open_states)
    ]


def stopped() -> list[str]:
    """Work that has ended without a result, with its reason."""
    from evalapp.work import leases
    from scoring.models import Checkpoint, MetricRun

    found = []
    for kind in (*leases.kinds(), MetricRun, Checkpoint):
        rows = kind._default_manager.filter(state__in=("failed", "cancelled"))
        found += [f"{kind.__name__} {r.pk} {r.state}: {r.error[:200]}" for r in rows]
    return found


def ratings(people: People) -> dict[str, int]:
    valid, persons, n_cells = coverage(people.study)
    print("\nvalid answers   texts x aspects")
    for n, cells in sorted(valid.items()):
        print(f"{n:13} {cells:17}")
    wanted = people.asked.ratings
    return {
        "texts without exactly their ratings": n_cells - valid[wanted],
        "of these by too few different people": n_cells - persons[wanted],
        "acknowledged answers lost or changed": lost(people),
    }


def ratings_of_demo() -> dict[str, int]:
    """Of its simulated raters, whose answers are written by a command."""
    from annotation.models import Seat, Study
    from scoring import demo

    wrong = 0
    for study in Study.objects.filter(name__in=(demo.KNOWN, demo.RATED)):
        valid, _, n_cells = coverage(study)
        wrong += n_cells - valid[study.ratings_per_text]
        seats = Seat.objects.filter(survey__study=study, state="valid")
        n = study.surveys.count() * study.ratings_per_text
        wrong += abs(seats.count() - n)
    return {"texts of the demo without exactly their ratings": wrong}


def verdicts(people: People) -> dict[str, int]:
    """Of pages that came in before a policy was applied, while it was and after."""
    from django.db.models import OuterRef, Subquery

    from annotation.models import Verdict
    from annotation.quality import rejudging

    newest = Verdict.objects.filter(seat=OuterRef("pk")).order_by("-pk")
    policy = Subquery(newest.values("policy")[:1])
    seats = rejudging.finished(people.study).annotate(judged_by=policy)
    wrong = seats.exclude(judged_by=people.study.current_policy().pk)
    return {"pages not judged by the policy in force": wrong.count()}


def scores() -> dict[str, int]:
    """Of all runs of all studies that are done."""
    from scoring.models import MetricRun, NegativeScore, Score, SystemScore

    wrong: Counter[str] = Counter()
    for run in MetricRun.objects.filter(state="done").select_related("signature"):
        missing = _missing(run)
        wrong["scores missing"] += missing
        wrong["texts scored twice"] += _scored_again(run)
    for kind, about in (
        (Score, "generation"),
        (NegativeScore, "negative"),
        (SystemScore, "system"),
    ):
        keys = [about, "signature", "output"]
        if kind is SystemScore:
            keys.append("seed")
        rows = list(kind.objects.values_list(*keys))
        wrong["rows of scores there twice"] += len(rows) - len(set(rows))
    return dict(wrong)


def _missing(run: Any) -> int:
    from scoring.models import SystemScore
    from scoring.runs import targets

    outputs = [output["key"] for output in run.signature.outputs]
    found = 0
    for chunk in run.chunks.all():
        if chunk.system_id:
            rows = SystemScore.objects.filter(
                signature=run.signature, system=chunk.system
            )
            there = set(rows.values_list("output", flat=True))
            found += len(set(outputs) - there)
        else:
            target = targets.of(run)
            lacking = target.missing(chunk.generations, run.signature, outputs)
            found += len(lacking)
    return found


def _scored_again(run: Any) -> int:
    """Texts that chunks of this run have scored beyond those that it has."""
    chunks = [chunk for chunk in run.chunks.all() if not chunk.system_id]
    texts = [pk for chunk in chunks for pk in chunk.generations]
    done = sum(chunk.scored for chunk in chunks)
    return max(0, done - len(set(texts))) + len(texts) - len(set(texts))


def pages(people: People, fleet: Fleet) -> dict[str, int]:
    """Answers that no page can wait out, or that came while all was there."""
    odd = [one for one in people.troubles if not _expected(one, fleet)]
    for one in odd[:20]:
        at = one.began - fleet.began
        print(f"unexpected: {one.kind} {one.status} at {at:.1f} s")
    counts = {
        "answers of 500, or none at all": sum(o.status not in AWAY for o in odd),
        "answers of 502 to 504 while nothing was away": sum(
            one.status in AWAY for one in odd
        ),
    }
    said = "submitted, and told that answers are missing"
    return {**counts, said: people.n[said]}


def _expected(one: Trouble, fleet: Fleet) -> bool:
    """0: of a page that a killed site had sent half of."""
    return one.status in (0, *AWAY) and fleet.covers(one.began, one.ended)


def show(people: People, fleet: Fleet, rest: Sequence[str]) -> None:
    print("\nkilled")
    for what, n in sorted(fleet.n.items()):
        print(f"{n:6}  {what}")
    print("\nrequest      n   p50 ms   p95 ms   longest")
    for kind, took in sorted(people.seconds.items()):
        took.sort()
        p50, p95 = (1000 * took[int(len(took) * q)] for q in (0.5, 0.95))
        print(f"{kind:8} {len(took):5} {p50:8.0f} {p95:8.0f} {1000 * took[-1]:9.0f}")
    print("\nanswers")
    for what, n in sorted(people.n.items()):
        print(f"{n:6}  {what}")
    print("\nended without a result, with a reason")
    print("\n".join(rest) or "none")
