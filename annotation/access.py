"""Who may do what with a study. Decided here, and asked for every address of a study.

Viewers read, editors change and start things, owners decide on members, archive and
delete. Staff may do what an owner may.

Nothing has to be remembered in a view: any request to an address of a study that is not
safe (POST, DELETE) needs an editor. `Roles` asks it for pages, `MayAsk` for the API. A
view says so, with a decorator or `needs`, where it is otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS, BasePermission

from annotation.models import Study
from evalapp.api.nearer_end import FromNearerEnd

if TYPE_CHECKING:  # `rest_framework.views` itself imports this file, by the settings
    from rest_framework.request import Request
    from rest_framework.views import APIView

    from evalapp.work.models import Leased

ROWS_PER_PAGE = 50
OF_A_STUDY = "studies/<slug:name>/"  # what the address of its pages begins with

Row = TypeVar("Row", bound=Model)
View = TypeVar("View", bound=Callable[..., HttpResponse])


class Level(IntEnum):
    """What someone wants to do in a study."""

    READ = 1
    SEE_PEOPLE = 2  # what leads to a worker: platform ids, names of the invited
    EDIT = 3
    MANAGE = 4


class StoredInto(APIException):  # type: ignore[misc]
    """A file is being stored into the study: nobody sees half of it."""

    status_code = 503
    SECONDS = 3  # then ask again

    def __init__(self, study: Study) -> None:
        self.study = study
        super().__init__(
            f"A file is being added to {study}, or undone. It is back when that is"
            " done: try again in some seconds."
        )
        self.wait = self.SECONDS  # what an answer of the API says in Retry-After


def get_study_for(user: User | AnonymousUser, name: str) -> Study:
    """The study, or 404 for strangers: they do not learn that the name exists.

    Raises:
        StoredInto: It is back in some seconds. Pages and the API answer it.
    """
    found = Study.objects.visible_to(user).filter(name=name).first()
    if found is None:
        hidden = Study.objects.stored_into_of(user).select_related("storing__record")
        raise StoredInto(get_object_or_404(hidden, name=name))
    return found


def stored_into(request: HttpRequest, error: StoredInto) -> HttpResponse:
    """The page instead of any page of such a study. It loads itself again."""
    record = error.study.storing.record
    n_stored = error.study.generations.filter(imported=record).count()
    undoes = error.study.storing.undoes
    context = {"study": error.study, "record": record, "n_stored": n_stored}
    context["undoes"] = undoes
    page = render(request, "annotation/stored_into.html", context, status=503)
    page["Retry-After"] = page["Refresh"] = str(error.SECONDS)
    return page


def why_not(study: Study, level: Level) -> str:
    """Why the user for whom `study` was found may not do this; empty if they may."""
    if level == Level.MANAGE and not study.may_manage:
        return f"Only owners of {study} can do this. You are {_a(study.role)}."
    if level == Level.SEE_PEOPLE and not study.sees_people:
        return (
            f"You are a viewer of {study}. Only editors and owners can see who the"
            " workers are and what they are paid."
        )
    if level == Level.EDIT and not study.may_edit:
        if study.archived_at is None or not study.sees_people:
            return (
                f"You are a viewer of {study}: you can read everything, but change"
                " nothing. Ask an owner to make you an editor."
            )
        return (
            f"{study} is archived, so nothing in it can be changed. An owner can take"
            " it out of the archive, under Manage."
        )
    return ""


def why_not_now(user: User, study: Study, level: Level) -> str:
    """The same for what is done later, or at an address that names no study.

    Reads the role again. After opening a page or queueing work, the user may have been
    removed or made a viewer, or the study may have been archived or deleted.
    """
    studies = Study.objects.filter(pk=study.pk)
    whole, filling = studies.visible_to(user), studies.stored_into_of(user)
    now = whole.first() or filling.first()
    if now is None or not user.is_active:
        return (
            f"You are no longer a member of {study}, or it was deleted. Ask an owner to"
            " add you again."
        )
    return why_not(now, level)


def why_not_begin(row: Leased) -> str:
    """The same for work of the queue, whatever it does: asked before each attempt.

    Whoever reads it may be somebody else: a page of the study shows it.
    """
    begun = row.on_behalf()
    if begun is None or begun[0] is None:  # the operator, at a command line
        return ""
    user, study = begun
    if not why_not_now(user, study, Level.EDIT):
        return ""
    return (
        f"Whoever began this may not change {study} any more: they were removed or"
        " became a viewer, or the study was archived or deleted. Someone who may edit"
        " it can begin it again."
    )


def _a(role: str) -> str:
    return f"an {role}" if role[:1] in "aeiou" else f"a {role}"


# For pages ----------------------------------------------------------------------------


def reads(view: View) -> View:
    """A POST that changes nothing of the study: a preview, a computation, leaving."""
    return _needing(view, Level.READ)


def sees_people(view: View) -> View:
    """A page about people themselves: not for viewers."""
    return _needing(view, Level.SEE_PEOPLE)


def manages(view: View) -> View:
    """For owners alone."""
    return _needing(view, Level.MANAGE)


def _needing(view: View, level: Level) -> View:
    view.needs = level  # type: ignore[attr-defined]
    return view


class Roles:
    """Middleware: refuse what a member's role does not allow, before the view begins.

    Behind the one that asks for a login.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: tuple[object, ...],
        kwargs: Mapping[str, Any],
    ) -> HttpResponse | None:
        try:
            self._ask(request, view, kwargs)
        except StoredInto as error:
            return stored_into(request, error)
        return None

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        return stored_into(request, error) if isinstance(error, StoredInto) else None

    def _ask(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        kwargs: Mapping[str, Any],
    ) -> None:
        match = request.resolver_match
        if match is None or not match.route.startswith(OF_A_STUDY):
            return
        level = getattr(view, "needs", None)
        if level is None or level == Level.SEE_PEOPLE:
            # What people are in a study is read by some and changed by editors, too.
            level = max(level or Level.READ, _usual(request.method))
        if level == Level.READ:
            return  # the view asks `get_study_for` itself
        if said := why_not(get_study_for(request.user, kwargs["name"]), level):
            raise PermissionDenied(said)


def _usual(method: str | None) -> Level:
    return Level.READ if method in SAFE_METHODS else Level.EDIT


# For the API --------------------------------------------------------------------------


class MayAsk(BasePermission):  # type: ignore[misc]
    """A view of the API may say otherwise in `needs`, by method: {"POST": Level}."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        name = view.kwargs.get("name")
        needs: Mapping[str, Level] = getattr(view, "needs", {})
        level = needs.get(request.method or "", _usual(request.method))
        if name is not None and level > Level.READ:
            self.message = why_not(get_study_for(request.user, name), level)
            return not self.message
        return True


def page_of(
    request: HttpRequest,
    rows: QuerySet[Row],
    size: int = ROWS_PER_PAGE,
    dress: Callable[[QuerySet[Row]], QuerySet[Row]] | None = None,
) -> Page[Row]:
    """The page that ?page= names; the nearest one if it does not exist.

    `dress` adds what takes counting, to the rows of this page only: a database counts
    for all rows before it takes those of a page. Many rows want an order without ties.
    """
    page = FromNearerEnd(rows, size).get_page(request.GET.get("page"))
    if dress is not None:
        page.object_list = dressed(page.object_list, dress)
    return page


def dressed(
    shown: Iterable[Row], dress: Callable[[QuerySet[Row]], QuerySet[Row]]
) -> list[Row]:
    """These rows with what `dress` adds, in the same order. One query."""
    shown = list(shown)
    if not shown:
        return []
    plain = type(shown[0])._default_manager
    found = dress(plain.filter(pk__in=[row.pk for row in shown])).in_bulk()
    return [found[row.pk] for row in shown if row.pk in found]
