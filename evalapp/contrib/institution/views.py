"""Log in at the institution, come back, log out."""

from __future__ import annotations

import logging

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from evalapp.accounts.forms import LinkForm
from evalapp.contrib.institution import admitting, protocol, rescuing
from evalapp.contrib.institution.protocol import LINK, LOGIN, Answer, Problem
from evalapp.limits import throttling

BACKEND = "django.contrib.auth.backends.ModelBackend"
LOG_OUT = "log_out_at_institution"  # in the session: where that is
A_MINUTE = 60  # logins from one address, each of which stores a session
LONGEST_NEXT = 2000
HERE = "evalapp/contrib/institution"
STATUS = {"away": 503, "broken": 502, "expired": 400, "often": 429}  # 403 otherwise

log = logging.getLogger(__name__)


@login_not_required
@never_cache
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Send the browser to the institution."""
    address = throttling.address_of(request)
    if throttling.is_too_often("institution", address, A_MINUTE):
        answer = _problem(request, "often")
        answer["Retry-After"] = str(throttling.SECONDS)
        return answer
    return _leave(request, LOGIN, request.POST.get("next", ""))


@never_cache
@require_POST
@sensitive_post_parameters()
def link(request: HttpRequest) -> HttpResponse:
    """The same, to attach the account there to the one here."""
    form = LinkForm(request, request.POST)
    if not form.is_valid():
        for said in form.errors.get("link_password", ["Enter your password."]):
            messages.error(request, said)
        return redirect("account")
    return _leave(request, LINK, resolve_url("account"))


def _leave(request: HttpRequest, process: str, next_url: str) -> HttpResponse:
    """A page that the browser leaves at once.

    Not a redirect: browsers hold the redirects of a form to the policy's form-action,
    which would have to name each host that the institution passes people on to.
    """
    hosts = {request.get_host()}
    allowed = url_has_allowed_host_and_scheme(next_url, hosts, request.is_secure())
    # A path: `redirect` would take a word for the name of a page. Sessions keep it.
    if not (allowed and next_url.startswith("/") and len(next_url) <= LONGEST_NEXT):
        next_url = ""
    try:
        address = protocol.begin(request, process, next_url)
    except Problem as problem:
        return _problem(request, problem.what, problem.told)
    answer = render(request, f"{HERE}/leaving.html", {"address": address, **_named()})
    answer["Refresh"] = f"0;url={address}"
    return answer


@login_not_required
@never_cache
@require_safe
def callback(request: HttpRequest) -> HttpResponse:
    """Where the institution sends the browser back to."""
    try:
        answer = protocol.complete(request)
        if answer.process == LINK:
            return _link(request, answer)
        return _log_in(request, answer)
    except Problem as problem:
        return _problem(request, problem.what, problem.told)
    except admitting.Refused as refused:
        return _refused(request, str(refused))


def _refused(request: HttpRequest, said: str) -> HttpResponse:
    """Told on the page Account to whoever is, and stays, logged in."""
    if not request.session.exists(request.session.session_key):
        logout(request)  # it has ended with their account, and cannot be saved
    if request.user.is_authenticated:
        messages.error(request, said)
        return redirect("account")
    return _problem(request, "refused", said=said)


def _log_in(request: HttpRequest, answer: Answer) -> HttpResponse:
    user = admitting.admit(
        person=answer.person, institution=settings.INSTITUTION, now=timezone.now()
    )
    login(request, user, backend=BACKEND)
    request.session[LOG_OUT] = answer.log_out
    return redirect(answer.next_url or settings.LOGIN_REDIRECT_URL)


def _link(request: HttpRequest, answer: Answer) -> HttpResponse:
    if not request.user.is_authenticated or request.user.pk != answer.user:
        raise Problem("expired", "somebody else has logged in meanwhile")
    institution = settings.INSTITUTION
    admitting.link(
        user=request.user,
        person=answer.person,
        institution=institution,
        now=timezone.now(),
    )
    request.session[LOG_OUT] = answer.log_out
    done = f"Your account is linked: from now on you can log in with {institution.name}"
    messages.success(request, f"{done}.")
    return redirect("account")


@never_cache
@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """End the session here, and say that the one at the institution goes on."""
    address = request.session.get(LOG_OUT)
    logout(request)
    if not address:
        return redirect(settings.LOGOUT_REDIRECT_URL)
    return render(request, f"{HERE}/logged_out.html", {"address": address, **_named()})


@login_not_required
@never_cache
def rescue(request: HttpRequest, key: str) -> HttpResponse:
    """A link of `manage.py rescue`. It asks once: mail programs open links by GET."""
    user = rescuing.user_of(key=key)
    if user is None:
        return _problem(request, "rescue")
    if request.method != "POST":
        return render(request, f"{HERE}/rescue.html", {"rescued": user})
    login(request, user, backend=BACKEND)
    log.warning("%s has logged in with a rescue link", user)
    return redirect(settings.LOGIN_REDIRECT_URL)


def _problem(
    request: HttpRequest, what: str, told: str = "", said: str = ""
) -> HttpResponse:
    if told:
        log.warning("login at %s failed: %s", settings.INSTITUTION.url, told)
    context = {"what": what, "said": said, **_named()}
    status = STATUS.get(what, 403)
    return render(request, f"{HERE}/problem.html", context, status=status)


def _named() -> dict[str, str]:
    return {"institution": settings.INSTITUTION.name}
