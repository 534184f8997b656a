"""How long the two texts of each vote are, where it is known which texts they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from annotation.models import Study
from scoring.scores import baselines

Asked = tuple[int | None, int, int]  # prompt, first system, second system


def words(*, study: Study, asked: Sequence[Asked]) -> np.ndarray:
    """Words of the first and the second text of each vote, (k, 2); NaN = unknown.

    A vote names a prompt and two systems. Where a system has several texts for the
    prompt, it is not known which one was shown. Shape (0, 0) if no length is known.
    """
    prompts = {prompt for prompt, _, _ in asked if prompt is not None}
    if not prompts:
        return np.empty((0, 0))
    texts = study.generations.order_by("pk").exclude(system=None)
    rows = [
        (pk, (prompt, system))
        for pk, prompt, system in texts.values_list("pk", "prompt_id", "system_id")
        if prompt in prompts
    ]
    n = Counter(shown for _, shown in rows)
    ids = np.array([pk for pk, _ in rows], np.int64)
    counted = baselines.lengths(study=study, generations=ids)
    of_words = next(one for one in counted if one.output.key == "words").values
    known = {
        shown: float(value)
        for (_, shown), value in zip(rows, of_words, strict=True)
        if n[shown] == 1
    }
    found = np.array(
        [
            [known.get((prompt or 0, system), np.nan) for system in systems]
            for prompt, *systems in asked
        ]
    )
    return np.empty((0, 0)) if np.isnan(found).all() else found
