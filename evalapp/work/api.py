"""The API of background work: list, read, cancel and try again, of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalapp.api.errors import REFUSED
from evalapp.api.pages import Pages
from evalapp.work import kinds
from evalapp.work.kinds import Refused, Work
from evalapp.work.models import Leased
from evalapp.work.progress import Progress

AnyWork = Work[Any, Any]


class JobSerializer(serializers.Serializer):
    """A piece of background work and how far it is.

    `total` is 0 as long as it is not known. `workers` are alive that can do it.
    `page` is the address of the page that shows it. `retry_refused` says why no program
    may try it again: it could spend money, or write to people.
    """

    kind = serializers.CharField()
    id = serializers.IntegerField()
    words = serializers.CharField()
    state = serializers.ChoiceField(choices=Leased.State.choices)
    error = serializers.CharField()
    stage = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    share = serializers.FloatField()
    seconds_left = serializers.FloatField(allow_null=True)
    workers = serializers.IntegerField()
    page = serializers.CharField()
    retry_refused = serializers.CharField()


class WorkApi(APIView):
    tag = "Background work"

    @extend_schema(
        parameters=[
            OpenApiParameter("kind", str, description="Such as runs: of all if empty."),
            OpenApiParameter("state", str, description="Such as failed."),
        ],
        responses={200: JobSerializer(many=True), **REFUSED},
    )
    def get(self, request: Request, name: str) -> Response:
        """List background work

        By kind, the newest first.
        """
        kind, state = (request.query_params.get(key, "") for key in ("kind", "state"))
        works, pages = [_work(kind)] if kind else kinds.registered(), Pages()
        listed = Listed([(work, _jobs(work, request, name, state)) for work in works])
        page = pages.paginate_queryset(listed, request, view=self)
        return pages.get_paginated_response(_shown(page))


class JobApi(APIView):
    tag = "Background work"

    @extend_schema(responses={200: JobSerializer, **REFUSED})
    def get(self, request: Request, name: str, work: str, pk: int) -> Response:
        """Read how far work is"""
        return Response(_shown([_job_for(request, name, work, pk)])[0])


class CancelJobApi(APIView):
    tag = "Background work"

    @extend_schema(request=None, responses={200: JobSerializer, **REFUSED})
    def post(self, request: Request, name: str, work: str, pk: int) -> Response:
        """Cancel work

        Its worker notices within seconds. What has ended stays as it is.
        """
        kind, job = _job_for(request, name, work, pk)
        kind.cancel(job)
        return Response(_shown([(kind, job)])[0])


class RetryJobApi(APIView):
    tag = "Background work"

    @extend_schema(request=None, responses={200: JobSerializer, **REFUSED})
    def post(self, request: Request, name: str, work: str, pk: int) -> Response:
        """Try work again

        Work that failed or was cancelled. Emails and judges over the network are
        refused: people write to people, and spend money.
        """
        kind, job = _job_for(request, name, work, pk)
        if refusal := kind.why_no_retry(job):
            raise ValidationError(refusal)
        try:
            kind.retry(job, user=request.user)
        except (Refused, *kind.refusals) as error:
            raise ValidationError(str(error)) from error
        return Response(_shown([(kind, job)])[0])


class Listed:
    """Jobs of several kinds, one kind after the other, as pages of the API cut them."""

    ordered = False  # cannot be read from the other end

    def __init__(self, parts: list[tuple[AnyWork, QuerySet[Any]]]) -> None:
        self.parts = [(work, jobs, jobs.count()) for work, jobs in parts]

    def count(self) -> int:
        return sum(n for _, _, n in self.parts)

    def __getitem__(self, part: slice) -> list[tuple[AnyWork, Any]]:
        start, stop, rows = part.start, part.stop, []
        for work, jobs, n in self.parts:
            these = jobs[max(0, min(start, n)) : max(0, min(stop, n))]
            rows += [(work, job) for job in these]
            start, stop = start - n, stop - n
        return rows


def _work(kind: str) -> AnyWork:
    work = kinds.find(kind)
    if work is None:
        names = ", ".join(work.name for work in kinds.registered())
        raise ValidationError({"kind": f"expected one of: {names}"})
    return work


def _jobs(work: AnyWork, request: Request, name: str, state: str) -> QuerySet[Any]:
    if state and state not in Leased.State.values:
        expected = ", ".join(Leased.State.values)
        raise ValidationError({"state": f"expected one of: {expected}"})
    study = kinds.find_study[0](request.user, name)
    jobs = work.jobs(study=study, user=request.user).order_by("-pk")
    return jobs.filter(state=state) if state else jobs


def _job_for(request: Request, name: str, kind: str, pk: int) -> tuple[AnyWork, Any]:
    work = kinds.find(kind)
    if work is None:
        raise Http404(f"no kind of work {kind!r}")
    return work, get_object_or_404(_jobs(work, request, name, ""), pk=pk)


def _shown(jobs: Sequence[tuple[AnyWork, Any]]) -> list[dict[str, Any]]:
    """One query or two for each kind, however many jobs there are."""
    by_kind: dict[str, list[Any]] = {}
    for work, job in jobs:
        by_kind.setdefault(work.name, []).append(job)
    progress = {kind: _work(kind).progress_of(of_it) for kind, of_it in by_kind.items()}
    rows = [_row(work, job, progress[work.name][job.pk]) for work, job in jobs]
    return JobSerializer(rows, many=True).data


def _row(work: AnyWork, job: Any, progress: Progress) -> dict[str, Any]:
    names = "state error stage done total share seconds_left workers".split()
    return {
        "kind": work.name,
        "id": job.pk,
        "words": work.words(job),
        **{name: getattr(progress, name) for name in names},
        "page": job.get_absolute_url(),
        "retry_refused": work.why_no_retry(job),
    }
