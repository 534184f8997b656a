"""What a worker's link said beside their id: claims of the platform, kept as they came.

Kept in the signed cookie until the worker starts, because no GET writes a row.
"""

from __future__ import annotations

from django.http import HttpRequest

from annotation import platforms
from annotation.crowd import visitors
from annotation.models import Study, Worker


def note(request: HttpRequest, study: Study) -> None:
    """Remember what the link carries. Of the study opened last: a cookie is small."""
    platform = platforms.of(study)
    if platform and (said := platform.arrival(request.GET)):
        visitors.of(request)["arrival"] = [study.public_id.hex, said]


def keep(request: HttpRequest, worker: Worker) -> None:
    """Store with the worker what their newest link said."""
    study_id, said = visitors.of(request).get("arrival", ["", {}])
    if study_id != worker.study.public_id.hex or worker.arrival == said:
        return
    worker.arrival = said
    worker.save(update_fields=["arrival"])
