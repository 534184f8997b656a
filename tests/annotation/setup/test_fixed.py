"""The page before a study opens names each setting that opening fixes."""

from __future__ import annotations

from importlib import import_module

import pytest

from annotation.setup.fixed import fixed
from annotation.studies.settings import ON_THE_PAGE, Fixed, Setting

pytestmark = pytest.mark.django_db


def test_each_setting_of_today_has_a_line_in_words(make_study):
    labels = {one.label for one in ON_THE_PAGE} - {"Instructions", "Platform"}
    assert not labels & {*dict(fixed(study=make_study()))}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("max_pages", None, "none"),
        ("max_pages", 7, "7"),
        ("canary", True, "yes"),
        ("damaged_texts", "none", "on no page"),
    ],
)
def test_one_without_words_is_told_as_it_is(make_study, monkeypatch, name, value, said):
    new = Setting(name, "New setting", fixed=Fixed.ONCE_OPEN)
    module = import_module("annotation.setup.fixed")  # not the function of that name
    monkeypatch.setattr(module, "ON_THE_PAGE", (*ON_THE_PAGE, new))
    lines = dict(fixed(study=make_study(**{name: value})))
    assert lines["New setting"] == said
