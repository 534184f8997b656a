"""What workers say of pairs, so that agreement can be computed."""

from __future__ import annotations

from collections import Counter

import numpy as np
from django.db.models import Count, Q

from annotation.kinds.pairs import votes
from annotation.models import Aspect, Pair, Seat, Study, comparing
from annotation.page_kinds.scores import Counts


class PairScores:
    label = units = "pairs"
    answers = "comparisons"

    def level(self, aspect: Aspect) -> str:
        """Only the order of answers counts."""
        return Aspect.Level.ORDINAL

    def counts(
        self, *, study: Study, aspect: Aspect, with_discarded: bool = False
    ) -> Counts:
        """Answers as they are stored, seen from the first text of each pair.

        One query. Damaged twins are left out, and pairs with an excluded text.
        """
        counted = votes.counted(study, with_discarded=with_discarded)
        rows = counted.filter(aspect=aspect).values_list("pair", "value")
        table = np.array(list(rows.annotate(n=Count("pk"))), np.int64).reshape(-1, 3)
        pairs, row = np.unique(table[:, 0], return_inverse=True)
        values = np.union1d(np.array(comparing.points(study)), table[:, 1])
        counts = np.zeros((len(pairs), len(values)), dtype=np.int64)
        counts[row, np.searchsorted(values, table[:, 1])] = table[:, 2]
        return Counts(counts, values.astype(np.float64))

    def filled(self, study: Study) -> Counter[int]:
        """Without pairs with an excluded text; “cannot say” counts. Two queries."""
        aspect = study.aspects.filter(about=Aspect.About.TEXT).first()
        pairs = Pair.objects.filter(
            survey__study=study,
            second__isnull=False,
            first__excluded_at=None,
            second__excluded_at=None,
        )
        valid = Q(
            annotations__aspect=aspect,
            annotations__seat__state=Seat.State.VALID,
            annotations__seat__informed=False,
        )
        n = pairs.annotate(n=Count("annotations", filter=valid))
        return Counter(n.order_by().values_list("n", flat=True))
