"""The ratings of one aspect with the text, prompt, system and rater of each."""

from __future__ import annotations

import numpy as np
from django.db.models import Q

from annotation.human_scores import per_text
from annotation.models import Aspect, Study
from scoring.stats.components.levels import Rated

# So many say what ratings vary by to a few percent, in a tenth of a second.
MOST = 4000


def rated(*, study: Study, aspect: Aspect, most: int = MOST) -> Rated:
    """Valid ratings of texts with a system, of whole prompts, the first ones.

    Raters are as in files or the workers here; None where one of them is not known.
    Three queries at most.
    """
    rows = per_text.ratings(study=study).filter(aspect=aspect)
    rows = rows.exclude(generation__system=None)
    prompts = rows.values_list("generation__prompt_id", flat=True)
    # The prompt in which the last of the ratings lies that are read, if there are more.
    last = prompts.order_by("generation__prompt_id")[most : most + 1].first()
    if last is not None:
        rows = rows.filter(Q(generation__prompt_id__lt=last))
    columns = ("value", "generation__system_id", "generation__prompt_id")
    rest = ("generation_id", "seat__worker_id", "rater")
    found = list(rows.values_list(*columns, *rest))
    workers = [worker or name for *_, worker, name in found]
    rater = np.array([str(one) for one in workers]) if all(workers) else None
    table = np.array([row[:4] for row in found], np.int64).reshape(-1, 4)
    value, system, prompt, text = table.T
    return Rated(value.astype(np.float64), system, prompt, text, rater)
