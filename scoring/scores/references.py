"""Scores that depend on what people made of a text: which they are, and when they age.

References that were written for a prompt come with its texts and stay. Corrections of a
text come in later, and one may be discarded: a score that was computed with others than
there are now is no score, and is removed, so that the next run computes it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import Q, QuerySet

from annotation.human_scores import corrections
from annotation.models import Generation, Study
from scoring.metrics import reference_kinds
from scoring.models import Score, Signature, SystemScore

AT_ONCE = 500  # rows that are removed in one statement


def reads_corrections(signature: Signature) -> bool:
    """Whether a score under this signature depends on corrections of its text."""
    return any(part in signature.text for part in _PARTS)


_PARTS = tuple(
    f"|{reference_kinds.OPTION}:{kind}|"
    for kind in (reference_kinds.TARGETED, reference_kinds.ALL)
)


def digests(signature: Signature, ids: Sequence[int]) -> Mapping[int, str]:
    """By id of a text, what its corrections are; empty where they do not matter."""
    if not reads_corrections(signature):
        return {}
    found = corrections.of_texts(Generation.objects.filter(pk__in=ids))
    return {pk: corrections.digest(texts) for pk, texts in found.items()}


def digest_of_all(signature: Signature, ids: Sequence[int]) -> str:
    """The same of all texts of a system together."""
    return _joined(digests(signature, ids), ids)


def drop_outdated(*, study: Study) -> int:
    """Remove scores that were computed with other corrections; how many there were.

    One query where no metric has read any.
    """
    signatures = _reading().filter(runs__study=study).distinct()
    if not (keys := list(signatures.values_list("pk", flat=True))):
        return 0
    found = corrections.of_texts(study.generations.all())
    now = {pk: corrections.digest(texts) for pk, texts in found.items()}
    scores = Score.objects.filter(signature__in=keys, generation__study=study)
    rows = scores.order_by().values_list("pk", "generation_id", "corrections")
    old = [pk for pk, text, digest in rows.iterator() if now.get(text, "") != digest]
    _delete(Score.objects.all(), old)
    return len(old) + _drop_of_systems(study, keys, now)


def tidy(*, now: datetime) -> None:
    """The same for all studies: pages read scores as they are kept."""
    studies = Study.objects.filter(runs__signature__in=_reading()).distinct()
    for study in studies:
        drop_outdated(study=study)


def _drop_of_systems(study: Study, keys: list[int], now: Mapping[int, str]) -> int:
    scores = SystemScore.objects.filter(signature__in=keys, system__study=study)
    rows = list(scores.values_list("pk", "system_id", "corrections"))
    texts = study.generations.filter(system__in={system for _, system, _ in rows})
    ids: dict[int, list[int]] = {}
    for pk, system in texts.order_by("pk").values_list("pk", "system_id"):
        ids.setdefault(system or 0, []).append(pk)
    old = [
        pk for pk, system, digest in rows if _joined(now, ids.get(system, ())) != digest
    ]
    _delete(SystemScore.objects.all(), old)
    return len(old)


def _joined(digests: Mapping[int, str], ids: Iterable[int]) -> str:
    return corrections.digest(f"{pk}:{digests[pk]}" for pk in ids if pk in digests)


def _reading() -> QuerySet[Signature]:
    wanted = Q()
    for part in _PARTS:
        wanted |= Q(text__contains=part)
    return Signature.objects.filter(wanted)


def _delete(rows: QuerySet[Score] | QuerySet[SystemScore], ids: list[int]) -> None:
    for start in range(0, len(ids), AT_ONCE):
        rows.filter(pk__in=ids[start : start + AT_ONCE]).delete()
