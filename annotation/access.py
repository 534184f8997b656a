from __future__ import annotations

from typing import TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from annotation.models import Study

ROWS_PER_PAGE = 50

Row = TypeVar("Row", bound=Model)


def get_study_for(user: User | AnonymousUser, name: str) -> Study:
    """The study, or 404 for strangers: they do not learn that the name exists."""
    return get_object_or_404(Study.objects.visible_to(user), name=name)


def page_of(
    request: HttpRequest, rows: QuerySet[Row], size: int = ROWS_PER_PAGE
) -> Page[Row]:
    """The page that ?page= names; the nearest one if it does not exist."""
    return Paginator(rows, size).get_page(request.GET.get("page"))
