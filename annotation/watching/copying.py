"""Workers whose answers are a judge's more often than an honest worker's would be.

The figures come from `scoring`, which has the judges' answers, and are kept here for
the attention list. They never discard a page, and no policy reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from annotation.models import CopyCheck, Study
from scoring.stats.copying.testing import RATE

# Between two looks at one study, whatever comes in.
REST = timedelta(minutes=5)


class Held(NamedTuple):
    """A worker beside the judge that they agree with most, for what people share."""

    judge: str
    n: int  # answers that can be compared
    texts: int
    same: int
    expected: float  # of an honest worker
    p: float  # times the number of judges
    workers: int  # who could be tested, this one among them

    @property
    def stands_out(self) -> bool:
        """True of `RATE` of honest workers."""
        return self.p <= RATE

    @property
    def nobody_honest(self) -> bool:
        """So rare that it is true of some honest worker in `RATE` of studies only."""
        return self.p * self.workers <= RATE


def claim(*, study: Study, stamp: str, now: datetime) -> bool:
    """Whether the caller is the one who now works it out: it is old, and has rested."""
    row, is_new = CopyCheck.objects.get_or_create(
        study=study, defaults={"asked_at": now}
    )
    if is_new:
        return True
    if row.stamp == stamp:
        return False
    rested = CopyCheck.objects.filter(pk=row.pk, asked_at__lte=now - REST)
    return rested.update(asked_at=now) == 1


def keep(*, study: Study, held: Mapping[int, Held], stamp: str) -> None:
    """Replace what was known of a study's workers, by their ids."""
    plain = {str(worker): list(one) for worker, one in held.items()}
    CopyCheck.objects.filter(study=study).update(held=plain, stamp=stamp)


def read(*, study: Study) -> dict[int, Held]:
    """What is known, by the id of the worker. One query."""
    row = CopyCheck.objects.filter(study=study).first()
    return {int(pk): Held(*one) for pk, one in row.held.items()} if row else {}
