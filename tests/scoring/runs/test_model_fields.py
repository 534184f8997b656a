from __future__ import annotations

import pytest

from scoring.runs.forms import OptionsForm


@pytest.mark.parametrize(
    ("hub", "has", "has_not"),
    [
        ("on", ["google/pegasus-large", "hub name, folder"], ["a/b@v1"]),
        ("", ["bundled:infill-small; the list"], ["google/pegasus", "hub name"]),
        ("list", [", or a/b@v1; the list"], ["google/pegasus", "hub name"]),
    ],
)
def test_a_form_names_only_models_that_may_be_had(settings, hub, has, has_not):
    settings.HUB, settings.HUB_MODELS = hub, ["a/b@v1"]
    field = OptionsForm("ctrleval")["model"]
    shown = f"{field} {field.help_text}"
    assert [one for one in has if one not in shown] == []
    assert [one for one in has_not if one in shown] == []
