"""A recipe of each kind of file that people have reads that file the same way again."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from annotation import assistant
from annotation.assistant import recipes
from annotation.imports.recipes import as_text, read
from annotation.models import Upload

pytestmark = pytest.mark.django_db

PEOPLE = Path(__file__).parents[2] / "annotation/imports/people"
FILES = sorted(one.name for one in PEOPLE.iterdir() if one.name[0].isdigit())
SAME = (
    *("texts", "prompts", "systems", "references", "labels", "aspects", "metrics"),
    *("ratings", "means", "scores", "by_id", "left_out", "scale"),
)


def kept(user: User, name: str) -> Upload:
    with (PEOPLE / name).open("rb") as file:
        upload = assistant.keep(user=user, file=file, file_name=name)
    if assistant.look(upload).problems:
        pytest.skip("has no texts")
    assistant.choose(upload=upload, choices=upload.choices)
    return upload


def cells(report: dict) -> dict[str, tuple[str, int]]:
    return {one["column"]: (one["role"], one["used"]) for one in report["account"]}


@pytest.mark.parametrize("name", FILES)
def test_it_is_read_to_the_same_content(name, alice, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    first = kept(alice, name)
    recipe = recipes.shown_of(first, assistant.look(first))
    assert read(as_text(recipe)) == recipe
    again = kept(alice, name)
    assert again.columns == first.columns != ""
    assistant.choose(upload=again, choices=recipes.choices_with(again, recipe))
    assert {k: again.report[k] for k in SAME} == {k: first.report[k] for k in SAME}
    assert cells(again.report) == cells(first.report)
    assert recipes.shown_of(again, assistant.look(again)) == recipe
