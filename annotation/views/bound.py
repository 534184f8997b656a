from __future__ import annotations

from django.http import HttpRequest

from annotation.views.forms.studies import FileForm


def bound(form: type[FileForm], request: HttpRequest) -> FileForm:
    """The form with the request's data, if it was sent."""
    if request.method != "POST":
        return form()
    files = request.FILES  # reading these is what may mark the request
    refused = getattr(request, "upload_refused", False)
    return form(request.POST, files, upload_refused=refused)
