"""The score from 0 to 100 that ESA asks for once the errors are marked.

It is the standard question about the whole text, with a slider (Kocmi et al. 2024).
"""

from __future__ import annotations

from django.utils.translation import gettext, override

from annotation import studies
from annotation.models import Aspect, Study
from annotation.studies.standard import OVERALL


def is_asked(study: Study) -> bool:
    return study.aspects.filter(key=OVERALL["key"], kind=Aspect.Kind.SLIDER).exists()


def add(study: Study) -> None:
    """As the first question: `Scheme.needed_below` looks at that one."""
    with override(study.language):
        words = {name: gettext(OVERALL[name]) for name in ("title", "question")}
        words |= {name: gettext(OVERALL[name]) for name in ("low", "high")}
    questions = list(study.aspects.all())
    taken = any(aspect.key == OVERALL["key"] for aspect in questions)
    key = "" if taken else OVERALL["key"]
    score = Aspect(key=key, kind="slider", level="interval", **words)
    studies.arrange_aspects(study=study, kept=[score, *questions], removed=[])
