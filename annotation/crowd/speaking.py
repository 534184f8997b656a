"""Worker pages speak the language of their study; all other pages speak English."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import translation

from annotation.models import Study


def speak(study: Study) -> None:
    """Answer the rest of this request in the language of the study."""
    translation.activate(study.language)


def study_of(public_id: UUID) -> Study:
    """The study that a worker's page belongs to, whose language the page then speaks.

    Raises:
        Http404: There is no such study.
    """
    study = get_object_or_404(Study, public_id=public_id)
    speak(study)
    return study


def one_request(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: the language that a request speaks ends with it.

    Else the next page of the same thread would speak it, too.
    """

    def serve(request: HttpRequest) -> HttpResponse:
        with translation.override(settings.LANGUAGE_CODE):
            return get_response(request)

    return serve
