"""A study whose questions have different scales, for tests in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from annotation import surveys
from annotation.models import Aspect, Study

WORDS = {"2": "Poor: hard to follow", "4": "Good: small slips only"}


def of_all_kinds(make_study, *, opened: bool = True) -> Study:
    """Five points with words, eleven points, and a slider; two offer "Cannot say"."""
    study = make_study(prompts=1, samples=2, ratings_per_text=1)
    worded, long, slider = study.aspects.all()
    set_scale(
        worded,
        question="How well does it read?",
        words=WORDS,
        low="Very poor: no sentence makes sense",
        middle="Fair",
        high="Very good: as if printed",
    )
    set_scale(
        long,
        question="How likely is it that a person wrote this?",
        scale_min=0,
        scale_max=10,
        low="Surely a machine",
        middle="Could be either",
        high="Surely a person",
        cannot_say=True,
    )
    set_scale(
        slider,
        question="How much of it is true?",
        kind=Aspect.Kind.SLIDER,
        level=Aspect.Level.INTERVAL,
        low="Nothing",
        middle="",
        high="Everything",
        cannot_say=True,
    )
    if opened:
        surveys.open_study(study=study)
    return study


def set_scale(aspect: Aspect, **fields: object) -> None:
    for name, value in fields.items():
        setattr(aspect, name, value)
    aspect.save()


def begin(page: Page, base: str, study: Study) -> Page:
    page.goto(base + study.get_worker_url())
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("fieldset").first).to_be_visible()
    return page
