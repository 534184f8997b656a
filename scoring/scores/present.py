"""Which scores there are of a study's texts."""

from __future__ import annotations

from django.db.models import Max, Min, OuterRef, QuerySet, Subquery

from annotation.models import Study
from scoring.models import Score, Signature


def signatures(*, study: Study) -> QuerySet[Signature]:
    """Those of which a text of the study has a score. A small query for the texts' ids.

    One score of each signature is looked up in the index. Asked whether there are any,
    PostgreSQL joins all scores of the site with all texts: half a second at 2 million.
    The ids of a study's texts mostly follow each other, so a signature of which only
    other studies have scores costs no more.
    """
    ends = study.generations.aggregate(first=Min("pk"), last=Max("pk"))
    scores = Score.objects.filter(
        signature=OuterRef("pk"),
        generation__study=study,
        generation__gte=ends["first"] or 0,
        generation__lte=ends["last"] or 0,
    )
    one = Subquery(scores.order_by("generation_id").values("pk")[:1])
    return Signature.objects.alias(score_here=one).filter(score_here__isnull=False)
