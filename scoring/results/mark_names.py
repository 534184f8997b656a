"""What pages call the metrics that marked errors in a study's texts."""

from __future__ import annotations

from collections.abc import Mapping

from annotation import page_kinds
from annotation.models import Study
from scoring.judging import identities
from scoring.models import MetricReading, Signature
from scoring.scores import option_sets
from scoring.scores.outputs import metric_title

LONGEST = 100


def of_study(study: Study) -> dict[str, str]:
    """By the name in the rows. One query, and those of `of_readings`."""
    readings = MetricReading.objects.filter(generation__study=study).order_by()
    pairs = readings.values_list("metric", "signature").distinct()
    return of_readings(study, dict(pairs))


def of_readings(study: Study, stored: Mapping[str, int | None]) -> dict[str, str]:
    """By the name in the rows: that of a file is its own; of a run, what tells it apart
    from other runs. No query where all come from files, else few.

    Args:
        study: Of the readings.
        stored: Id of the signature of each name in the rows; None: of a file.
    """
    signatures = Signature.objects.filter(pk__in=filter(None, stored.values()))
    by_pk = {signature.pk: signature for signature in signatures}
    apart = option_sets.told_apart(study=study, signatures=by_pk.values())
    names = {metric: metric for metric, pk in stored.items() if pk is None}
    for metric, pk in stored.items():
        if pk is not None:
            title = metric_title(by_pk[pk].metric)
            judge = identities.judge_of(by_pk[pk])
            whose = f" ({judge.model} on {judge.endpoint})" if judge else ""
            name = f"{title}, {apart[pk]}" if apart[pk] else f"{title}{whose}"
            taken = name[:LONGEST] in names.values()
            names[metric] = (
                f"{name[: LONGEST - 9]} ({metric[:6]})" if taken else name[:LONGEST]
            )
    return names


def of_errors(study: Study) -> dict[str, str]:
    """Names of the study's categories and severities, by key and name in small letters.

    Files of metrics may write either.
    """
    scheme = page_kinds.mark_scheme(study) or {}
    entries = [*scheme.get("categories", ()), *scheme.get("severities", ())]
    return {
        word.casefold(): entry["name"]
        for entry in entries
        for word in (entry["name"], entry["key"])
    }
