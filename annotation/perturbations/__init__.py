"""Ways to damage a text. Each file without a leading underscore is one of them.

A file defines `apply(text, rng)`, which returns the damaged text or None where it
cannot change it, `TITLE`, what it does in a few words, and `HURTS`, the keys of the
aspects that suffer. It may say more of itself: `WHOLE_SENTENCES = True`, it moves
sentences as they are; `BREAKS_OFF = True`, it leaves the last one unfinished;
`FROM_ELSEWHERE = True`, the damage is where the text stands;
`ENGLISH = True`, it knows English words only. Pure: no Django, no state.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence

from annotation.perturbations._base import Perturbation
from annotation.perturbations._text import is_cut_off

__all__ = [
    "EXCHANGE",
    "PERTURBATIONS",
    "Perturbation",
    "in_words",
    "is_cut_off",
    "of_language",
]


def _load(name: str) -> Perturbation:
    module = importlib.import_module(f"{__name__}.{name}")
    return Perturbation(
        name=name,
        title=module.TITLE,
        hurts=tuple(module.HURTS),
        apply=module.apply,
        whole_sentences=getattr(module, "WHOLE_SENTENCES", False),
        breaks_off=getattr(module, "BREAKS_OFF", False),
        from_elsewhere=getattr(module, "FROM_ELSEWHERE", False),
        english=getattr(module, "ENGLISH", False),
        does=(module.__doc__ or "").partition("\n")[0].removesuffix(" English only."),
    )


# Done to a dialogue and not to a text, so it has no file here: see `kinds.dialogues`.
EXCHANGE = "exchange"


def in_words(name: str) -> str:
    """What a perturbation does; its name if there is none of that name any more."""
    if name == EXCHANGE:
        return "a turn exchanged with one of another dialogue"
    known = PERTURBATIONS.get(name)
    return known.title if known else name


PERTURBATIONS: dict[str, Perturbation] = {
    name: _load(name)
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__))
    if not name.startswith("_")
}


def of_language(language: str, chosen: Sequence[str] = ()) -> list[str]:
    """Names of those that can damage texts in a language: the chosen ones, else all."""
    usable = [
        name
        for name, one in PERTURBATIONS.items()
        if language == "en" or not one.english
    ]
    return [name for name in usable if name in chosen] or usable
