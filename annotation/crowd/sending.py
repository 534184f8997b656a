"""Forms that a script sends, so that a lost connection leaves the page as it is.

A script cannot read where a redirect leads, so the answer says it. See `sending.js`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseRedirectBase

SENT_BY_SCRIPT = "X-Sent-By-Script"
GO_TO = "X-Go-To"

View = Callable[..., HttpResponse]


def by_script(view: View) -> View:
    """Let the view's forms be sent by a script, too."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        is_redirect = isinstance(response, HttpResponseRedirectBase)
        if SENT_BY_SCRIPT not in request.headers or not is_redirect:
            return response
        told = HttpResponse(status=204, headers={GO_TO: response["Location"]})
        told.cookies = response.cookies
        return told

    return answered
