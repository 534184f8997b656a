"""What cannot be undone is done at a second look, a day after the first.

The first look only notes what is due. If its clock was wrong, someone has a day to set
it: the note then lies in the future, and is thrown away. What a clock that was behind
has stamped, such as the moment when a study was deleted, waits for a day as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from evalapp.work.clocks import APART
from evalapp.work.models import FirstLook

# A whole day by the clock of each worker, wherever their clocks stand.
PAUSE = timedelta(days=1) + APART
FORGOTTEN = timedelta(days=90)  # for what is still there: the two looks start over


def confirmed(kind: str, keys: Iterable[str], *, now: datetime) -> set[str]:
    """Which of these were due at a look a day ago, too. The others are noted.

    Args:
        kind: What they are, so that keys of others may look alike.
        keys: What is due now. A key names one occasion: a study that is restored and
            deleted again has another.
        now: By a clock that agrees with the database's.
    """
    due = set(keys)
    looks = FirstLook.objects.filter(kind=kind)
    looks.filter(at__gt=now + APART).delete()  # by a clock that was ahead
    looks.filter(at__lt=now - FORGOTTEN).delete()
    first = dict(looks.filter(key__in=due).values_list("key", "at"))
    FirstLook.objects.bulk_create(
        [FirstLook(kind=kind, key=key, at=now) for key in sorted(due - first.keys())],
        ignore_conflicts=True,  # another worker looks at the same moment
    )
    return {key for key, at in first.items() if at <= now - PAUSE}
