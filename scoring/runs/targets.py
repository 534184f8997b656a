"""What a run scores: the texts of a study, or the negatives that raters saw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from annotation.models import Generation, Negative, Prompt, System
from evalapp import seeds
from evalapp.seeds import OfStudy
from scoring import corpora
from scoring.metrics import Example, SystemTexts
from scoring.models import Corpus, MetricRun, NegativeScore, Score, Signature
from scoring.scores.examples import examples_of, examples_of_negatives

PROMPT = "prompt"  # the column of a corpus with what a human text continues


class Target(NamedTuple):
    """One kind of text, where its scores go, and what a metric sees of it."""

    scores: type[Score] | type[NegativeScore]
    field: str  # of the scores, which names the text
    read: Callable[[Sequence[int]], list[Any]]  # rows by id, in their order
    examples: Callable[[Sequence[Any]], list[Example]]
    has_parts: bool  # whether what a score is made of is kept

    def missing(
        self,
        ids: list[int],
        signature: Signature,
        outputs: list[str],
        *,
        again: bool = False,
    ) -> list[int]:
        """Those of these texts that lack a score of some output. One query.

        `again`: also those that were tried and have a reason instead.
        """
        chosen = {"signature": signature, f"{self.field}__in": ids}
        scored = self.scores._default_manager.filter(**chosen)
        scored = scored.exclude(value=None) if again else scored
        have = set(scored.values_list(f"{self.field}_id", "output"))
        return [pk for pk in ids if not all((pk, key) in have for key in outputs)]


def of(run: MetricRun) -> Target:
    return NEGATIVES if run.on == MetricRun.On.NEGATIVES else TEXTS


def system_texts(
    system: System,
    rows: Sequence[Generation],
    corpus: Corpus | None,
    *,
    others: bool = False,
) -> SystemTexts:
    """What a metric of systems sees. Reads the corpus, and what is of each prompt.

    Args:
        system: Whose texts are scored.
        rows: Its texts.
        corpus: Human texts.
        others: Whether the metric needs the texts of the study's other systems.
    """
    known = [row.log_probability for row in rows]
    return SystemTexts(
        texts=tuple(row.full_text for row in rows),
        examples=tuple(examples_of(rows)),
        corpus=tuple(corpora.texts(corpus)) if corpus else (),
        log_probabilities=tuple(math.nan if p is None else p for p in known),
        cut=_cut(system),
        prompts=tuple(row.prompt.digest for row in rows),
        samples=tuple(row.sample for row in rows),
        corpus_prompts=_prompts_of(corpus, system) if corpus else (),
        corpus_log_probabilities=(
            corpora.log_probabilities(corpus, system) if corpus else ()
        ),
        name=system.name,
        others=_others(system) if others else (),
        seed=seeds.child(system.study.seed, OfStudy.SYSTEM_SCORES) if others else None,
    )


def _others(system: System) -> tuple[SystemTexts, ...]:
    """The study's other systems that have texts. One query."""
    rows = Generation.objects.filter(study=system.study_id, system__isnull=False)
    rows = rows.of_one_level()
    found: dict[str, list[Generation]] = {}
    for row in rows.exclude(system=system).select_related("prompt", "system"):
        assert row.system is not None  # they are filtered
        found.setdefault(row.system.name, []).append(row)
    return tuple(
        SystemTexts(
            texts=tuple(row.full_text for row in of_system),
            prompts=tuple(row.prompt.digest for row in of_system),
            samples=tuple(row.sample for row in of_system),
            name=name,
        )
        for name, of_system in sorted(found.items())
    )


def _prompts_of(corpus: Corpus, system: System) -> tuple[str, ...]:
    """The prompt of each human text, if a column of that name gives its prefix.

    A prefix that several prompts share identifies none of them.
    """
    if PROMPT not in corpus.attributes:
        return ()
    of_prefix: dict[str, str] = {}
    prompts = Prompt.objects.filter(study=system.study_id).exclude(prefix="")
    for prefix, digest in prompts.values_list("prefix", "digest"):
        of_prefix[prefix] = "" if prefix in of_prefix else digest
    told = corpus.texts.order_by("position").values_list("attributes", flat=True)
    return tuple(of_prefix.get(one.get(PROMPT, ""), "") for one in told)


def _cut(system: System) -> str:
    """How its sampling gives some texts no probability at all."""
    said = [f"top-p {system.top_p:g}"] if system.top_p and system.top_p < 1 else []
    return ", ".join([*said, *([f"top-k {system.top_k}"] if system.top_k else [])])


def _generations(ids: Sequence[int]) -> list[Generation]:
    rows = Generation.objects.filter(pk__in=ids).select_related("prompt__label")
    return list(rows.prefetch_related("prompt__references").order_by("pk"))


def _negatives(ids: Sequence[int]) -> list[Negative]:
    rows = Negative.objects.filter(pk__in=ids).select_related(
        "survey__prompt__label", "source__prompt__label"
    )
    prompts = ("survey__prompt__references", "source__prompt__references")
    return list(rows.prefetch_related(*prompts).order_by("pk"))


TEXTS = Target(Score, "generation", _generations, examples_of, True)
NEGATIVES = Target(NegativeScore, "negative", _negatives, examples_of_negatives, False)
