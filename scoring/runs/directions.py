"""Which way scores from elsewhere are better, said afterwards.

A file may say it wrongly, or a name may mislead. The direction is part of the
signature, as another study may have the same file: the scores of this study move to a
signature that says the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation import events
from annotation.imports.intakes import DIRECTIONS, Direction
from annotation.models import Study
from scoring.models import MetricRun, Score, Signature, SystemScore
from scoring.runs import score_lines
from scoring.scores.outputs import outputs_of

OF_SYSTEMS = "systems"  # a part of signatures
FILE = "file:"  # begins the last part
WORDS = {value: word for word, value in score_lines.DIRECTIONS.items()}


class NotChanged(ValueError):
    """The message says why, and what to do."""


def changeable(run: MetricRun) -> list[Direction]:
    """Of each output, as it is; none where the metric itself says it."""
    if run.signature is None or not run.ended:
        return []
    parts = run.signature.text.split("|")
    if parts[0] != score_lines.NAME:
        return []
    allowed = ("higher", "lower") if OF_SYSTEMS in parts else tuple(DIRECTIONS)
    return [
        Direction(output.key, WORDS[output.higher_is_better], allowed)
        for output in outputs_of(run.signature)
    ]


def change(
    *,
    run: MetricRun,
    directions: Mapping[str, str],
    now: datetime,
    user: User | None = None,
) -> list[str]:
    """Turn the outputs that are named with another direction; what was done, in words.

    Raises:
        NotChanged: If the study has the scores with these directions already.
    """
    with transaction.atomic():
        # Whoever adds scores of the same file waits.
        study = Study.objects.select_for_update().get(pk=run.study_id)
        locked = MetricRun.objects.select_related("signature").get(pk=run.pk)
        before = {one.output: one.value for one in changeable(locked)}
        turned = {
            output: word
            for output, word in directions.items()
            if output in before and word in DIRECTIONS and word != before[output]
        }
        if not turned or locked.signature is None:
            return []
        _move(locked, locked.signature, _turned(locked.signature, turned), now)
        said = [f"{name}: {DIRECTIONS[word].lower()}" for name, word in turned.items()]
        events.log(
            study=study,
            verb="changed-direction",
            now=now,
            user=user,
            about=f"{locked.metric}, run {locked.pk}",
            detail="; ".join(said),
        )
    return said


def _turned(signature: Signature, turned: Mapping[str, str]) -> Signature:
    """The signature that says so. Parts that said otherwise go."""
    old = tuple(f"{score_lines.DIRECTION}{output}=" for output in turned)
    parts = [p for p in signature.text.split("|") if not p.startswith(old)]
    place = next(n for n, part in enumerate(parts) if part.startswith(FILE))
    parts[place:place] = [
        f"{score_lines.DIRECTION}{output}={word}" for output, word in turned.items()
    ]
    text = "|".join(parts)
    outputs = [
        {**one, "higher_is_better": score_lines.DIRECTIONS[turned[one["key"]]]}
        if one["key"] in turned
        else one
        for one in signature.outputs
    ]
    made, _ = Signature.objects.get_or_create(
        digest=Signature.digest_of(text),
        defaults={"text": text, "metric": signature.metric, "outputs": outputs},
    )
    return made


def _move(run: MetricRun, old: Signature, new: Signature, now: datetime) -> None:
    if MetricRun.objects.filter(study=run.study_id, signature=new).exists():
        raise NotChanged(
            "The study has these scores with this direction already, in another run."
            " Use that one."
        )
    for kind, path in ((Score, "generation__study"), (SystemScore, "system__study")):
        rows = kind._default_manager.filter(**{path: run.study_id})
        rows.filter(signature=new).delete()  # of a run that was deleted
        rows.filter(signature=old).update(signature=new)
    run.signature = new
    run.save(update_fields=["signature"])
    run.chunks.update(finished_at=now)  # so that analyses are computed again
