"""One page of one worker: the answers that everything else is computed from."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import get_study_for
from annotation.models import Seat
from annotation.models.surveys import pseudonym
from annotation.watching import rated_pages


@require_safe
def seat_ratings(request: HttpRequest, name: str, seat_id: UUID) -> HttpResponse:
    study = get_study_for(request.user, name)
    seats = Seat.objects.select_related(
        "worker", "place", "survey__prompt__label", "survey__negative"
    )
    seat = get_object_or_404(seats, public_id=seat_id, survey__study=study)
    others = rated_pages.of_survey(seat)
    context = {
        "study": study,
        "tab": "workers",
        "rated": rated_pages.read(study=study, seat=seat),
        "seat": seat,
        "of_worker": rated_pages.of_worker(seat),
        "of_survey": others,
        "names": {
            side: pseudonym(study, one.worker_id)
            for side, one in (("before", others.before), ("after", others.after))
            if one
        },
    }
    return render(request, "annotation/watching/rated_page.html", context)
