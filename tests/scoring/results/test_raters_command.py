"""`manage.py raters`: who is strict, from a terminal."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation
from tests.support.scored import rate

pytestmark = pytest.mark.django_db


def said(*given: str) -> str:
    out = StringIO()
    call_command("raters", *given, stdout=out)
    return out.getvalue()


@pytest.fixture
def study(make_study):
    """Forty texts, three ratings each; the last rater of each text is the strictest."""
    study = make_study(prompts=10, aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = rng.integers(2, 6, size=40)
    given = quality[:, np.newaxis] + rng.integers(-1, 2, size=(40, 3)) - [0, 0, 1]
    rate(study, "coherence", np.clip(given, 1, 5).tolist())
    for n, row in enumerate(Annotation.objects.order_by("pk")):
        row.rater = f"r{n % 3}"
        row.save()
    return study


def test_it_says_the_sentence_and_the_tables(study):
    found = said("ferry")
    first = found.splitlines()[0]
    assert first.startswith("Keep all ratings of coherence: ")
    assert "r2" in first and "stricter" in first
    assert "Stricter by" in found and "Corrected" in found


def test_json_has_every_number(study):
    (one,) = json.loads(said("ferry", "--json", "--aspect", "coherence"))["aspects"]
    assert len(one["raters"]) == 3 and one["raters"][0]["severity"]["value"] > 0


def test_an_unknown_aspect_is_refused_with_those_there_are(study):
    with pytest.raises(CommandError, match="There are: coherence"):
        said("ferry", "--aspect", "style")
