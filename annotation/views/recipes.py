"""What people have chosen about files: saved, used again, listed and deleted."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation import assistant, imports
from annotation.access import page_of
from annotation.assistant import recipes
from annotation.imports.recipes import as_text, checked
from annotation.models import Recipe
from annotation.views import uploads
from annotation.views.forms.recipes import RecipeForm

A_PAGE = 20


@require_POST
def upload_save_recipe(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Keep what is chosen about a file under a name."""
    upload = uploads.found_for(request, public_id)
    form = RecipeForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(form.errors["name"]))
        return redirect(upload)
    name = form.cleaned_data["name"]
    try:
        recipe = recipes.shown_of(upload, assistant.look(upload))
        columns = upload.columns
        recipes.save(user=request.user, name=name, columns=columns, recipe=recipe)
    except imports.UploadError as error:
        messages.error(request, " ".join(error.lines))
    except (assistant.Busy, recipes.NotSaved) as error:
        messages.error(request, str(error))
    else:
        told = "It is proposed when a file with the same columns comes."
        messages.success(request, f"Recipe {name} saved. {told}")
    return redirect(upload)


@require_POST
def upload_use_recipe(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Choose about a file what was chosen before."""
    upload = uploads.found_for(request, public_id)
    found = Recipe.objects.filter(user=request.user, name=request.POST.get("name", ""))
    recipe = found.first()
    if recipe is None:
        messages.error(request, "This recipe was deleted. Choose another one.")
        return redirect(upload)
    try:
        choices = recipes.choices_with(upload, checked(recipe.content))
        assistant.choose(upload=upload, choices=choices)
    except imports.UploadError as error:
        messages.error(request, " ".join(error.lines))
    except assistant.Busy as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Recipe {recipe.name} is used. Check what it gives.")
    return redirect(upload)


@require_safe
def saved_recipes(request: HttpRequest) -> HttpResponse:
    page = page_of(request, request.user.recipes.all(), A_PAGE)
    shown = [(one, as_text(one.content)) for one in page]
    return render(
        request, "annotation/views/recipes.html", {"page": page, "recipes": shown}
    )


@require_POST
def recipe_delete(request: HttpRequest, pk: int) -> HttpResponse:
    recipe = get_object_or_404(Recipe, user=request.user, pk=pk)
    recipe.delete()
    messages.success(request, f"Recipe {recipe.name} is deleted.")
    return redirect("recipes")
