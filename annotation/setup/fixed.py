"""What can no longer be changed once a study opens."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.text import Truncator

from annotation.models import Aspect, Practice, Study
from annotation.setup.kinds import in_words
from annotation.studies.settings import ON_THE_PAGE, Fixed, Setting


def fixed(*, study: Study) -> list[tuple[str, str]]:
    """Names and values of all that cannot be changed once the study is open.

    A few small queries.
    """
    aspects = list(study.aspects.all())
    lines = [  # with the settings that each tells
        ("Title that workers read", study.public_title, "title"),
        ("Language of the pages", study.get_language_display(), "language"),
        ("Shown as code", study.get_monospaced_display(), "monospaced"),
        ("Instructions", _begin(study.instructions), "instructions"),
        ("Kinds of pages", in_words(study=study), ""),
        ("Questions", ", ".join(aspect.title for aspect in aspects), ""),
        ("Scale", scales_in_words(aspects), "scale_min scale_max"),
        ("Texts that people rate", part_in_words(study), "rated_share share_of"),
        ("Texts on a page", f"up to {study.texts_per_survey}", "texts_per_survey"),
        ("Prompts", _prompts(study), "one_by_one"),
        ("Pay", _pay(study), "pay_per_page currency pay_unused"),
        ("Platform", study.get_platform_display(), "platform"),
        ("Practice page", _practice(study), ""),
        ("Analysis plan", _plan(study), ""),
    ]
    worded = {name for *_, names in lines for name in names.split()}
    others = [
        (setting.label, _value(study, setting))
        for setting in ON_THE_PAGE
        if setting.fixed == Fixed.ONCE_OPEN and setting.name not in worded
    ]
    return [*((title, value) for title, value, _ in lines), *others]


def _value(study: Study, setting: Setting) -> str:
    """A setting that no line above has words for."""
    value = getattr(study, setting.name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    choice = getattr(study, f"get_{setting.name}_display", None)
    return str(choice() if choice else value) if value not in (None, "") else "none"


def part_in_words(study: Study) -> str:
    if not study.rates_part:
        return "all"
    return f"{study.rated_share} % of {study.get_share_of_display()}, drawn at random"


def scales_in_words(aspects: Sequence[Aspect]) -> str:
    """One scale, or that of each question."""
    found = [_scale(aspect) for aspect in aspects]
    if len(set(found)) == 1:
        return found[0]
    pairs = zip(aspects, found, strict=True)
    return "; ".join(f"{aspect.title} {scale}" for aspect, scale in pairs)


def _scale(aspect: Aspect) -> str:
    low, high = aspect.ends
    by = " by slider" if aspect.is_slider else ""
    unsaid = ", or “Cannot say”" if aspect.cannot_say else ""
    return f"from {low} to {high}{by}{unsaid}"


def _prompts(study: Study) -> str:
    return "one at a time" if study.one_by_one else "all at once"


def has_locked_plan(study: Study) -> bool:
    """The plan belongs to the app that scores, which may not be there."""
    plan = getattr(study, "plan", None)
    return plan is not None and plan.locked_at is not None


def _begin(words: str) -> str:
    return Truncator(" ".join(words.split())).words(14) or "none"


def _pay(study: Study) -> str:
    if not study.pay_per_page:
        return "none stated"
    unused = "also" if study.pay_unused else "not"
    return (
        f"{study.pay_per_page:.2f} {study.currency} per page,"
        f" {unused} for pages that are not used"
    )


def _practice(study: Study) -> str:
    page = Practice.objects.filter(study=study).first()
    if page is None:
        return "none"
    n = page.texts.count()
    return f"{n} text{'' if n == 1 else 's'}"


def _plan(study: Study) -> str:
    return "locked" if has_locked_plan(study) else "none: it cannot be locked later"
