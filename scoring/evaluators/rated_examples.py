"""Texts that people rated, for a judge that is shown some before it rates others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.human_scores import per_text
from annotation.models import Generation, Study
from scoring.metrics import OptionError, output_key
from scoring.metrics.judge import examples
from scoring.metrics.judge.questions import parse_questions
from scoring.scores.examples import examples_of

RatedText = examples.RatedText
# Prompts that differ in their label alone count as one, so more are read than needed.
LABELS = 20
USUAL = "quality: How good is the text?"  # asked where a study asks nothing


def chosen_json(study: Study, options: Mapping[str, Any]) -> str:
    """The rated texts that a judge with these options needs; "" where it needs none.

    Each is of another prompt, so that for every text enough are of other prompts. The
    number below it is the mean of people's ratings, as it is now: a run keeps its copy.

    Raises:
        OptionError: Too few prompts have rated texts.
    """
    n, seed = _whole(options.get("examples")), _whole(options.get("examples_seed"))
    if not 1 <= n <= examples.MOST:
        return ""  # what is wrong with it, the metric says
    found: dict[str, RatedText] = {}
    scores = per_text.means(study=study)
    columns = {output_key(key): k for k, key in enumerate(scores.aspects)}
    there = ", ".join(scores.aspects) or "nothing"
    for asked in parse_questions(str(options.get("aspects") or USUAL)):
        if asked.output not in columns:
            raise OptionError(
                f"examples={n}: no text is rated for {asked.key}, because people were"
                f" not asked about it; they were asked about: {there}"
            )
        values = scores.values[:, columns[asked.output]]
        means = dict(zip(scores.generations.tolist(), values.tolist(), strict=True))
        rated = _rated(study, means, asked, seed, n)
        for row in examples.chosen(rated, asked, n, seed):
            ratings = found[row.id].ratings if row.id in found else {}
            found[row.id] = row._replace(ratings={**ratings, **row.ratings})
    return examples.written(found.values())


def _rated(
    study: Study, means: Mapping[int, float], asked: Any, seed: int, n: int
) -> Iterator[RatedText]:
    """The first by the seed, one for each prompt. Two queries."""
    rows = study.generations.values_list("pk", "key", "prompt_id")
    first: dict[int, tuple[str, int]] = {}
    for pk, key, prompt in rows.iterator():
        if math.isnan(means.get(pk, math.nan)):
            continue
        place = (examples.order(key, None, asked, seed), pk)
        first[prompt] = min(first.get(prompt, place), place)
    wanted = [pk for _, pk in sorted(first.values())]
    wanted = wanted[: LABELS * (n + examples.SPARE)]
    read = Generation.objects.filter(pk__in=wanted).select_related("prompt__label")
    texts = list(read.prefetch_related("prompt__references"))
    for text, example in zip(texts, examples_of(texts), strict=True):
        shown = examples.bare(example)
        yield RatedText(shown, {asked.output: means[text.pk]}, text.key)


def _whole(value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        return 0
