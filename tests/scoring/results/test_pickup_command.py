"""`manage.py pickup`: how early metrics find real texts, from a terminal."""

from __future__ import annotations

import dataclasses
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Generation, System
from scoring.metrics import get
from scoring.models import Score, Signature


@pytest.fixture
def study(make_study):
    """Texts of system a have the highest quality, but for one of them."""
    made = make_study(prompts=12, systems=("a", "b", "c"))
    text = "argent|v:1"
    signature = Signature.objects.create(
        digest=Signature.digest_of(text),
        text=text,
        metric="argent",
        outputs=[dataclasses.asdict(one) for one in get("argent")().outputs],
    )
    for generation in Generation.objects.filter(study=made).select_related("system"):
        is_odd = generation.key == "3-a-1"
        value = 0.9 if generation.system.name == "a" and not is_odd else 0.1
        value += 0.01 * generation.prompt.position
        Score.objects.create(
            generation=generation, signature=signature, output="quality", value=value
        )
    return made


def said(*command: str) -> str:
    out = StringIO()
    call_command("pickup", *command, stdout=out)
    return out.getvalue()


def test_each_metric_has_its_area_with_an_interval(study) -> None:
    found = said("ferry", "--real", "a", "--synthetic", "b", "--synthetic", "c")
    numbers = re.search(r"ARGENT: quality.*?([\d.]+) \[([\d.]+), ([\d.]+)\]", found)
    assert numbers, found
    area, low, high = map(float, numbers.groups())
    assert 50 < low <= area <= high <= 100 and area < 100
    assert "50 is chance" in " ".join(found.split())


def test_who_is_marked_as_people_is_real_without_being_named(study) -> None:
    System.objects.filter(study=study, name="a").update(kind="human")
    named = said("ferry", "--real", "a", "--synthetic", "b", "--synthetic", "c")
    assert said("ferry") == named


def test_what_has_no_number_says_why(study) -> None:
    assert "— no real texts with a score" in said("ferry", "--real", "a")


@pytest.mark.parametrize(("how", "part"), [("csv", "low"), ("latex", r"\toprule")])
def test_other_formats_have_the_same_table(study, how, part) -> None:
    assert part in said("ferry", "--real", "a", "--format", how)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["typo"], "There is no study named 'typo'"),
        (["ferry", "--real", "x"], "There is no system 'x'. There are: a, b, c."),
        (["ferry"], "no text is by a system that is marked as people"),
        (["ferry", "--real", "a", "--synthetic", "a"], "on both sides: a"),
    ],
)
def test_a_mistake_is_named(study, command, reason) -> None:
    with pytest.raises(CommandError, match=reason):
        said(*command)
