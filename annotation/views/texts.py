from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_

import numpy as np
from django.contrib import messages
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation import assistant, imports, page_kinds, studies
from annotation.access import get_study_for, page_of
from annotation.human_scores import HumanScores
from annotation.models import Generation, Item, Report, Study, Upload
from annotation.page_kinds import Measure, all_scores
from annotation.views import uploads
from annotation.views.bound import bound
from annotation.views.forms.studies import FileForm, NewStudyForm, TextFilter
from evalapp.limits.uploads import takes_files

TEXTS_PER_PAGE = 25
# Few texts are reported: asked from there, and not of each text of a study.
REPORTED = [
    Report.objects.exclude(**{text: None}).order_by().values(text)
    for text in ("item__generation", "item__pair__first", "item__pair__second")
]
SHOWN: dict[str, Callable[[QuerySet[Generation]], QuerySet[Generation]]] = {
    "": lambda rows: rows,
    "reported": lambda rows: rows.filter(
        reduce(or_, (Q(pk__in=some) for some in REPORTED))
    ),
    "excluded": lambda rows: rows.exclude(excluded_at=None),
    "unread": lambda rows: rows.filter(reviewed_at=None),
}


@require_safe
def study_texts(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = TextFilter(request.GET, study=study)
    rows = _matching(study, form)
    page = page_of(request, rows, TEXTS_PER_PAGE, dress=_with_what_is_shown)
    measures = page_kinds.measures(study)
    _attach_means(study, measures, page.object_list)
    _attach_facts(study, page.object_list)
    context = {
        "study": study,
        "tab": "texts",
        "form": form,
        "page": page,
        "aspects": [*study.aspects.all(), *measures] if study.judges_texts else [],
        "any_texts": page.paginator.count or study.generations.exists(),
    }
    return render(request, "annotation/views/texts.html", context)


def _matching(study: Study, form: TextFilter) -> QuerySet[Generation]:
    rows = study.generations.all()
    if not form.is_valid():
        return rows.none()
    wanted = form.cleaned_data
    if wanted["system"]:
        rows = rows.filter(system=wanted["system"])
    if wanted["label"]:
        rows = rows.filter(prompt__label=wanted["label"])
    if wanted["key"]:
        rows = rows.filter(key=wanted["key"])
    rows = SHOWN[wanted["show"]](rows)
    if words := wanted["q"]:
        rows = rows.filter(
            Q(text__icontains=words)
            | Q(prompt__prefix__icontains=words)
            | Q(key__iexact=words)
        )
    return rows


def _with_what_is_shown(rows: QuerySet[Generation]) -> QuerySet[Generation]:
    surveys = Item.objects.filter(generation=OuterRef("pk"))
    rows = rows.select_related("prompt__label", "system", "dialogue")
    rows = rows.annotate(survey_number=Subquery(surveys.values("survey__number")[:1]))
    for kind in page_kinds.every():
        rows = rows.annotate(**kind.review.counts)
    return rows


def _attach_means(
    study: Study, measures: Sequence[Measure], generations: list[Generation]
) -> None:
    """Give each text on the page its `human_means`: (value or None, n) per aspect."""
    shown = [generation.pk for generation in generations]
    scores = all_scores.means(study=study, measures=measures, generations=shown)
    row_of = {pk: row for row, pk in enumerate(scores.generations.tolist())}
    column_of = {key: column for column, key in enumerate(scores.aspects)}
    keys = [aspect.key for aspect in (*study.aspects.all(), *measures)]
    for generation in generations:
        row = row_of.get(generation.pk)
        generation.human_means = [
            _mean(scores, row, column_of.get(key)) for key in keys
        ]


def _attach_facts(study: Study, generations: list[Generation]) -> None:
    """Give each text on the page its `facts`: where else it stands, in words."""
    reviews = [kind.review for kind in page_kinds.of(study)]
    for generation in generations:
        facts = [review.fact(generation) for review in reviews]
        generation.facts = [fact for fact in facts if fact]


def _mean(
    scores: HumanScores, row: int | None, column: int | None
) -> tuple[float | None, int]:
    if row is None or column is None or np.isnan(scores.values[row, column]):
        return None, 0
    return float(scores.values[row, column]), int(scores.n_ratings[row, column])


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: HttpRequest) -> HttpResponse:
    """Choose a file that becomes a study, or make an empty one."""
    sends_file = "name" not in request.POST or bool(request.FILES)
    file = bound(FileForm, request) if sends_file else FileForm()
    form = NewStudyForm() if sends_file else NewStudyForm(request.POST)
    if file.is_valid() and (upload := _begun(request, file)):
        return redirect(upload)
    if form.is_valid():
        try:
            study = studies.create(owner=request.user, **form.study_fields())
        except studies.StudyError as error:  # someone was faster
            form.add_error("name", str(error))
        else:
            messages.success(request, f"Study {study.name} created.")
            return redirect(study)
    context = {"file": file, "form": form, "presets": imports.PRESETS}
    status = 400 if request.method == "POST" else 200
    return render(request, "annotation/views/study_new.html", context, status=status)


def _begun(request: HttpRequest, form: FileForm) -> Upload | None:
    try:
        return uploads.begin(request, form.cleaned_data["file"])
    except (assistant.Refused, assistant.Busy) as error:
        form.add_error("file", str(error))
        return None
