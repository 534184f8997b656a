"""An output of a metric with its signature, as analyses know it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from scoring.models import Signature
from scoring.scores.options import bundled, named
from scoring.scores.outputs import label, meant_for
from scoring.scores.texts import MetricScores
from scoring.stats.data import Output


def describe(
    scored: MetricScores,
    options: Mapping[int | None, Mapping[str, object]],
    aspects: Collection[str],
) -> Output:
    signature, output = scored.signature, scored.output
    chosen = options.get(signature.pk, {})
    digest = Signature.digest_of(signature.text)[:10]
    return Output(
        id=f"{digest}:{output.key}",
        metric=signature.metric,
        key=output.key,
        label=label(signature.metric, output.title),
        variant=scored.variant,
        signature=signature.text,
        higher_is_better=output.higher_is_better,
        measures=meant_for(output, aspects),
        signature_id=signature.pk,
        options=json.dumps(named(chosen), sort_keys=True) if chosen else "",
        unit=output.unit,
        reason=scored.reason,
        small_model=bool(bundled(chosen)),
        quality=output.quality,
        parameters=signature.parameters,
    )
