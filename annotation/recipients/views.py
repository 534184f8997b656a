"""The way out that stands in each email: no login, and a mail program may use it.

Opening the link changes nothing, because programs that check emails for harm open every
link. A POST refuses, with the button or, as RFC 8058 has it, by the mail program, which
has no cookie and so no CSRF token.
"""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.crowd import speaking
from annotation.recipients import links, retention


@csrf_exempt
@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def refusal(request: HttpRequest, signed: str) -> HttpResponse:
    recipient = links.of_refusal(signed)
    if recipient is None:
        raise Http404
    speaking.speak(recipient.study)
    if request.method == "POST":
        retention.refuse(recipient=recipient, now=timezone.now())
        recipient.refresh_from_db()
    context = {"study": recipient.study, "recipient": recipient}
    return render(request, "annotation/recipients/refusal.html", context)
