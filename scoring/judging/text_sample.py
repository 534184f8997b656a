"""Which texts of a study a judge is tried on, and what people think of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from annotation import human_scores
from annotation.models import Aspect, Generation, Study
from scoring.evaluators.tables import aspects_json
from scoring.metrics import Example
from scoring.metrics.judge import prompts as judge_prompts
from scoring.scores.examples import examples_of

in_general = judge_prompts.in_general
PER_PROMPT = 2  # texts, so that they can be compared with each other


def questions(study: Study) -> list[dict[str, Any]]:
    """What the study asks people, as the judge is asked."""
    rows: list[dict[str, Any]] = json.loads(aspects_json(study) or "[]")
    return rows


def question_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The one question that options ask, as `questions` has it."""
    [row] = json.loads(options["aspects"])
    return dict(row)


def words_of(options: Mapping[str, Any]) -> str:
    """The same in words, which are about no text."""
    return in_general(question_of(options)["question"])


def candidates(study: Study, key: str) -> dict[int, int]:
    """Ids of the texts that a question is about, with their prompts; none excluded."""
    aspect = Aspect.objects.filter(study=study, key=key).first()
    if aspect is None:
        return {}
    rows = study.generations.filter(excluded_at=None)
    whole = {"dialogue__isnull": False, "turn": None}
    rows = rows.filter(**whole) if aspect.is_of_dialogue else rows.exclude(**whole)
    return dict(rows.order_by("pk").values_list("pk", "prompt_id"))


def sample(
    prompts: Mapping[int, int],
    n: int,
    rng: np.random.Generator,
    first: Collection[int] = (),
) -> list[int]:
    """About n texts, two of each prompt where there are, in ascending order.

    Args:
        prompts: The prompt of each text.
        n: How many.
        rng: Chance.
        first: Texts that are taken before others.
    """
    rows = list(prompts)
    drawn = [rows[k] for k in rng.permutation(len(rows))]
    rank = {prompt: k for k, prompt in enumerate(map(prompts.__getitem__, drawn))}
    turns: dict[tuple[bool, int], int] = {}
    places = {}
    for text in drawn:
        group = text not in first, prompts[text]
        turns[group] = turn = turns.get(group, -1) + 1
        # All prompts give two texts before any gives a third.
        places[text] = (group[0], turn // PER_PROMPT, rank[prompts[text]], turn)
    return sorted(sorted(drawn, key=places.__getitem__)[:n])


def read(ids: Sequence[int]) -> dict[int, tuple[Generation, Example]]:
    """Texts as a judge sees them, by id; those that are gone are missing."""
    rows = Generation.objects.filter(pk__in=ids).select_related(
        "prompt__label", "system"
    )
    texts = list(rows.prefetch_related("prompt__references").order_by("pk"))
    return dict(
        zip(
            (text.pk for text in texts),
            zip(texts, examples_of(texts), strict=True),
            strict=True,
        )
    )


def means(study: Study, key: str, ids: Collection[int]) -> dict[int, float]:
    """What people gave to texts on a question; those without a rating are missing."""
    scores = human_scores.means(study=study, generations=ids)
    if key not in scores.aspects:
        return {}
    column = scores.values[:, scores.aspects.index(key)]
    pairs = zip(scores.generations.tolist(), column.tolist(), strict=True)
    return {text: value for text, value in pairs if not np.isnan(value)}


def digest(example: Example) -> str:
    """Of all that a judge sees of a text."""
    prompt = example.prefix, example.label, example.source, example.references
    content = json.dumps([example.text, *prompt])
    return hashlib.sha256(content.encode()).hexdigest()
