"""How long the two texts of each vote are, where it is known which texts they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from annotation.models import Study
from annotation.page_kinds.tables import VoteRow
from scoring.scores import baselines


def words(*, study: Study, cast: Sequence[VoteRow]) -> np.ndarray:
    """Words of the first and the second text of each vote, (k, 2); NaN = unknown.

    A vote that was cast here names its texts. One from a file names a prompt and two
    systems: where a system has several texts for the prompt, it is not known which one
    was shown. Shape (0, 0) if no length is known.
    """
    prompts = {vote.prompt for vote in cast if vote.prompt is not None}
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
    by_text = {pk: float(value) for (pk, _), value in zip(rows, of_words, strict=True)}
    known = {shown: by_text[pk] for pk, shown in rows if n[shown] == 1}
    found = np.array(
        [
            [by_text.get(text, np.nan) for text in vote.texts]
            if vote.texts
            else [
                known.get((vote.prompt or 0, system), np.nan)
                for system in (vote.first, vote.second)
            ]
            for vote in cast
        ]
    )
    return np.empty((0, 0)) if np.isnan(found).all() else found
