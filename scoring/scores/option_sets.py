"""What tells apart the scores of one metric that ran with several sets of options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from annotation.models import Study
from scoring.models import MetricRun, Signature
from scoring.scores import versions
from scoring.scores.option_words import NOT_SET
from scoring.scores.options import completed, in_words, named
from scoring.scores.outputs import lower

LONGEST = 40  # characters of an option


def told_apart(*, study: Study, signatures: Iterable[Signature]) -> dict[int, str]:
    """By id of the signature; empty for the only one of its metric, if that is current.

    What was chosen, in words, if every signature has a run that says so: "language
    model: infill-nano (bundled)". Else what differs in the signatures:
    "model:sha256:53aa". And with which version it was made, where that is an earlier
    one. One query, and none if each metric has one signature.
    """
    by_metric: dict[str, list[Signature]] = defaultdict(list)
    for signature in signatures:
        by_metric[signature.metric].append(signature)
    told = {s.pk: _mark(s) for group in by_metric.values() for s in group}
    several = [group for group in by_metric.values() if len(group) > 1]
    chosen = options_of(study) if several else {}
    for group in several:
        told |= _by_options(group, chosen) or _by_text(group)
    return told


def options_of(study: Study) -> dict[int | None, dict[str, object]]:
    """Of the newest run of each signature on texts or systems, its corpus among them.

    One query.
    """
    runs = MetricRun.objects.filter(study=study, signature__isnull=False)
    runs = runs.filter(on=MetricRun.On.TEXTS).order_by("pk")
    rows = runs.values_list("signature_id", "metric", "options", "corpus__name")
    return {
        signature: completed(metric, options) | ({"corpus": corpus} if corpus else {})
        for signature, metric, options, corpus in rows
    }


def _by_options(
    group: list[Signature], chosen: Mapping[int | None, Mapping[str, object]]
) -> dict[int, str]:
    """Empty where options do not tell all of these apart."""
    options = {s.pk: in_words(s.metric, named(chosen.get(s.pk) or {})) for s in group}
    keys = dict.fromkeys(key for one in options.values() for key in one)
    different = [
        key for key in keys if len({one.get(key) for one in options.values()}) > 1
    ]
    told = {}
    for s in group:
        words = {key: _brief(options[s.pk].get(key, NOT_SET)) for key in different}
        said = [f"{lower(key)}: {value}" for key, value in words.items()]
        told[s.pk] = ", ".join(filter(None, [*said, _mark(s)]))
    whole = all(options.values()) and len(set(told.values())) == len(group)
    return told if whole else {}


def _mark(signature: Signature) -> str:
    made = versions.old(signature.text)
    return made.mark if made else ""


def _brief(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _by_text(group: list[Signature]) -> dict[int, str]:
    """ "perplexity|dtype:float32|model:sha256:53aa" becomes "model:sha256:53aa"."""
    parts = {signature.pk: signature.text.split("|") for signature in group}
    return {
        pk: ", ".join(
            part
            for part in mine
            if not all(part in other for key, other in parts.items() if key != pk)
        )
        for pk, mine in parts.items()
    }
