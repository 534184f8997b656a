"""What workers say of pairs: which side they choose, and whether others say the same.

Reads only. Damaged twins are left out, and pairs with an excluded text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, QuerySet

from annotation.models import Annotation, Seat, Study, Worker, comparing
from annotation.votes import reading
from annotation.watching.figures import Figure

Outcome = int  # 1: the first text is better, -1: the second, 0: no difference


class Comparison(NamedTuple):
    """One answer of a worker on a pair."""

    side: Outcome  # 1: they chose A, on the left
    same: int  # others whose answer counts, and who said the same
    others: int


def outcome(value: int) -> Outcome:
    """Of a stored answer. How much better a text is does not matter."""
    return int(np.sign(comparing.lead(value)))


def read(*, study: Study, workers: Sequence[Worker]) -> dict[int, list[Comparison]]:
    """Their answers on all pages submitted, by worker. Two queries, or none."""
    found: dict[int, list[Comparison]] = defaultdict(list)
    if not study.compares_texts:
        return found
    rows = Annotation.objects.filter(
        seat__worker__in=workers,
        seat__state__in=Seat.FINISHED,
        pair__second__isnull=False,
        pair__first__excluded_at=None,
        pair__second__excluded_at=None,
        value__isnull=False,
    ).order_by()
    everybody = _everybody(study, rows.values("pair"))
    for worker, item, pair, aspect, value, flipped, state, informed in rows.values_list(
        *("seat__worker_id", "item_id", "pair_id", "aspect_id", "value"),
        *("seat__flipped", "seat__state", "seat__informed"),
    ):
        said = outcome(value)
        counted = state == Seat.State.VALID and not informed
        given = everybody[pair, aspect]
        found[worker].append(
            Comparison(
                side=-said if item in flipped else said,
                same=given[said] - counted,
                others=given.total() - counted,
            )
        )
    return found


def _everybody(
    study: Study,
    pairs: QuerySet[Annotation, Any],
) -> defaultdict[tuple[int, int], Counter[Outcome]]:
    found: defaultdict[tuple[int, int], Counter[Outcome]] = defaultdict(Counter)
    rows = reading.counted(study=study).filter(pair__in=pairs)
    given = rows.values_list("pair_id", "aspect_id", "value")
    for pair, aspect, value, n in given.annotate(n=Count("pk")):
        found[pair, aspect][outcome(value)] += n
    return found


def n_sided(compared: Sequence[Comparison]) -> int:
    """Answers that choose one of the two."""
    return sum(one.side != 0 for one in compared)


def share_of_left(compared: Sequence[Comparison]) -> Figure:
    """Of the choices of a side, those of A: about half, if order does not matter."""
    sided = n_sided(compared)
    if not sided:
        return Figure(None, "no text was chosen on a page of pairs")
    return Figure(sum(one.side > 0 for one in compared) / sided)


def same_choice(compared: Sequence[Comparison]) -> Figure:
    """Share of others who say the same of a pair, the mean over all their answers."""
    shares = [one.same / one.others for one in compared if one.others]
    if not shares:
        return Figure(None, "nobody else has compared these pairs")
    return Figure(float(np.mean(shares)))
