"""Single texts: all ratings of one, excluding it, and reading all of them in turn."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for
from annotation.models import Generation, Study
from annotation.watching import one_text, reviewing

# Where a form that excludes a text leads back to. Names, never addresses.
BACK = {"text": "study_text", "review": "study_review", "texts": "study_texts"}


@require_safe
def study_text(request: HttpRequest, name: str) -> HttpResponse:
    """All ratings of the text that ?key= names; of the first one without a key."""
    study = get_study_for(request.user, name)
    text = _text(study, request.GET.get("key", ""))
    context = {"study": study, "tab": "texts", "text": text}
    if text is not None:
        context |= {
            "said": one_text.read(study=study, text=text),
            "aspects": [one for one in study.aspects.all() if one.asks_about(text)],
            "item": text.items.select_related("survey").first(),
            "references": text.prompt.references.all(),
            "corrections": text.references.all(),
            "most": one_text.MOST_ROWS,
            **_neighbours(study, text),
        }
    return render(request, "annotation/watching/text.html", context)


def _text(study: Study, key: str) -> Generation | None:
    if not (key := key.strip()):
        key = study.generations.values_list("key", flat=True).first() or ""
        return one_text.find(study=study, key=key)
    if (found := one_text.find(study=study, key=key)) is None:
        raise Http404("The study has no text with this key.")
    return found


def _neighbours(study: Study, text: Generation) -> dict[str, str | None]:
    """Keys of the texts before and after this one."""
    keys = study.generations.order_by("pk").values_list("key", flat=True)
    return {
        "before": keys.filter(pk__lt=text.pk).last(),
        "after": keys.filter(pk__gt=text.pk).first(),
    }


@require_POST
def text_exclude(request: HttpRequest, name: str) -> HttpResponse:
    def exclude(text: Generation) -> str:
        words = request.POST.get("words", "")
        reviewing.exclude(
            text=text, reason=words, user=request.user, now=timezone.now()
        )
        return f"{text.key} is excluded. Statistics leave it out."

    return _do(request, get_study_for(request.user, name), exclude)


@require_POST
def text_include(request: HttpRequest, name: str) -> HttpResponse:
    def include(text: Generation) -> str:
        words = request.POST.get("words", "")
        reviewing.include(text=text, note=words, user=request.user, now=timezone.now())
        return f"{text.key} is included again. Its ratings count."

    return _do(request, get_study_for(request.user, name), include)


def _do(
    request: HttpRequest, study: Study, verb: Callable[[Generation], str]
) -> HttpResponse:
    text = one_text.find(study=study, key=request.POST.get("key", ""))
    if text is None:
        raise Http404("The study has no text with this key.")
    try:
        messages.success(request, verb(text))
    except reviewing.ReviewError as error:
        messages.error(request, str(error))
    return _back(request, study, text)


def _back(request: HttpRequest, study: Study, text: Generation) -> HttpResponse:
    where = request.POST.get("back", "text")
    text.refresh_from_db(fields=["excluded_at"])
    if where == "review" and text.excluded_at:
        return _to_next(study, text)
    address = reverse(BACK.get(where, BACK["text"]), args=[study.name])
    # The filter of the list goes along; it stays behind our own address.
    query = request.POST.get("query", "") if where == "texts" else ""
    return redirect(f"{address}?{query or urlencode({'key': text.key})}")


@require_safe
def study_review(request: HttpRequest, name: str) -> HttpResponse:
    """One text at a time: the one that ?key= names, else the first one not read."""
    study = get_study_for(request.user, name)
    text = one_text.find(study=study, key=request.GET.get("key", "").strip())
    if text is None:
        text = _unread(study, after=0)
    done, total = reviewing.n_read(study=study)
    context = {
        "study": study,
        "tab": "texts",
        "text": text,
        "done": done,
        "total": total,
        "n_excluded": study.generations.exclude(excluded_at=None).count(),
    }
    if text is not None:
        context |= _neighbours(study, text)
    return render(request, "annotation/watching/review.html", context)


@require_POST
def review_read(request: HttpRequest, name: str) -> HttpResponse:
    """The text stays; on to the next one that nobody has read."""
    study = get_study_for(request.user, name)
    text = one_text.find(study=study, key=request.POST.get("key", ""))
    if text is None:
        raise Http404("The study has no text with this key.")
    reviewing.mark_read(text=text, user=request.user, now=timezone.now())
    return _to_next(study, text)


def _to_next(study: Study, text: Generation) -> HttpResponse:
    """To the next text that nobody has read; to the end where there is none."""
    address = reverse("study_review", args=[study.name])
    if (following := _unread(study, after=text.pk)) is not None:
        address += f"?{urlencode({'key': following.key})}"
    return redirect(address)


def _unread(study: Study, after: int) -> Generation | None:
    """The next text that nobody has read, beginning again at the end."""
    rows = reviewing.unread(study=study).order_by("pk")
    rows = rows.select_related("prompt__label", "system", "reviewed_by", "dialogue")
    return rows.filter(pk__gt=after).first() or rows.first()
