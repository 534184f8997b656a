"""Recipes that people save for files with the same columns, and use again."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation import imports
from annotation.assistant.choices import NAME, NEW_STUDY
from annotation.assistant.looking import Look
from annotation.imports import intakes, recipes
from annotation.models import Recipe, Upload

MOST = 200  # of one user


class NotSaved(ValueError):
    """The message says why, and what to do."""


def shown_of(upload: Upload, look: Look) -> dict[str, Any]:
    """What stands on the page of a file, as a recipe."""
    tables = (upload.report or {}).get("values", {})
    answered = {
        about: {word: number for word, number in table.items() if number is not None}
        for about, table in tables.items()
    }
    chosen = {
        "map": look.mapping(),
        "values": {about: table for about, table in answered.items() if table},
        "decimal": upload.choices.get("decimal"),
        "again": upload.choices.get("again"),
        "sheet": look.sheet if len(look.sheets) > 1 else "",
        "encoding": upload.choices.get("encoding"),
        "preset": look.preset,
        "cut": upload.choices.get("cut"),
    }
    return recipes.of_choices([column.name for column in look.columns], chosen)


def proposed_for(upload: Upload) -> QuerySet[Recipe]:
    """Those that whoever sent the file has saved for its columns, the newest first."""
    if not upload.columns:
        return Recipe.objects.none()
    return Recipe.objects.filter(user=upload.user_id, columns=upload.columns)


def save(*, user: User, name: str, columns: str, recipe: dict[str, Any]) -> Recipe:
    """Keep it under a name, in place of an earlier one of that name.

    Raises:
        NotSaved: If there are too many.
        imports.UploadError: If it is none.
    """
    content = recipes.checked(recipe)
    with transaction.atomic():
        found, _ = Recipe.objects.update_or_create(
            user=user, name=name, defaults={"columns": columns, "content": content}
        )
        if Recipe.objects.filter(user=user).count() > MOST:
            raise NotSaved(f"You have {MOST} recipes, the most. Delete some first.")
    return found


def named(*, user: User, name: str) -> dict[str, Any]:
    """The recipe that somebody has saved under this name, to be used.

    Raises:
        imports.UploadError: If there is none, or it does not fit this version.
    """
    found = Recipe.objects.filter(user=user, name=name).first()
    if found is None:
        names = list(user.recipes.order_by("name").values_list("name", flat=True))
        have = f" There are {intakes.listed(names)}." if names else ""
        said = f"{user} has saved no recipe {imports.shown(name)}.{have}"
        raise imports.UploadError([said])
    return recipes.checked(found.content)


def choices_with(upload: Upload, recipe: dict[str, Any]) -> dict[str, Any]:
    """What is chosen about a file once a recipe is used; of a new study as before."""
    about_study = (NAME, *NEW_STUDY)
    kept = {k: v for k, v in upload.choices.items() if k in about_study}
    return {**kept, **recipes.options_of(recipe)}
