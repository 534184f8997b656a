"""What a worker's browser keeps: who they say they are, for each study apart."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from annotation.crowd import visitors
from annotation.models import Study, Worker

# A cookie holds 4 kB: only the studies visited last are remembered.
MAX_STUDIES_REMEMBERED = 12


def remembered_id(request: HttpRequest, study: Study) -> str | None:
    found: str | None = of_study(request, "workers", study)
    return found


def remember(request: HttpRequest, study: Study, external_id: str) -> None:
    keep(request, "workers", study, external_id)


def current_worker(request: HttpRequest, study: Study) -> Worker | None:
    external_id = remembered_id(request, study)
    known = study.workers.filter(platform=study.platform, external_id=external_id)
    return known.first()


def of_study(request: HttpRequest, what: str, study: Study) -> Any:
    return visitors.of(request).get(what, {}).get(study.public_id.hex)


def keep(request: HttpRequest, what: str, study: Study, value: str) -> None:
    others = dict(visitors.of(request).get(what, {}))
    others.pop(study.public_id.hex, None)
    kept = list(others.items())[1 - MAX_STUDIES_REMEMBERED :]
    visitors.of(request)[what] = dict([*kept, (study.public_id.hex, value)])
