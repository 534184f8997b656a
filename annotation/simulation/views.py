from __future__ import annotations

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation import page_kinds
from annotation.access import get_study_for
from annotation.models import Study
from annotation.quality.rater_kinds import KINDS
from annotation.setup.checklist import SIMULATED, note_once
from annotation.simulation import rehearsing
from annotation.simulation.forms import SimulationForm
from annotation.simulation.rehearsing import Rehearsal
from annotation.simulation.simulating import SimulationError

# Together a few seconds; a request must not keep a process of the site for longer.
MAX_PAGES = 100
MAX_TEXTS = 2_000


@require_safe
def study_simulate(request: HttpRequest, name: str) -> HttpResponse:
    """Rehearse the study in memory. The address says with whom; nothing is written."""
    study = get_study_for(request.user, name)
    form = SimulationForm(request.GET or None)
    found, error = None, ""
    if form.is_bound and form.is_valid():
        try:
            found = _rehearse(study, form)
        except SimulationError as problem:
            error = str(problem)
        else:
            note_once(
                study=study, verb=SIMULATED, user=request.user, now=timezone.now()
            )
    context = {
        "study": study,
        "tab": "setup",
        "form": form,
        "found": found,
        "error": error,
        "n_texts": study.generations.count(),
        "max_pages": MAX_PAGES,
        "readers": KINDS,
        "simulations": [kind.simulation for kind in page_kinds.of(study)],
    }
    return render(request, "annotation/simulation/simulate.html", context)


def _rehearse(study: Study, form: SimulationForm) -> Rehearsal:
    if study.generations.count() > MAX_TEXTS:
        raise SimulationError(
            f"This study has more than {MAX_TEXTS:,} texts, too many to simulate"
            f" here. Run “python manage.py simulate {study.name}” on the server."
        )
    return rehearsing.rehearse(
        study=study,
        workers=form.cleaned_data["workers"],
        mix=form.mix(),
        rng=np.random.default_rng(form.cleaned_data["seed"]),
        now=timezone.now(),
        max_pages=MAX_PAGES,
    )
