"""Ways to damage a text. Each file without a leading underscore is one of them.

A file defines `apply(text, rng)`, which returns the damaged text or None where it
cannot change it, and `HURTS`, the keys of the aspects that suffer. It may say more of
itself: `WHOLE_SENTENCES = True`, it moves sentences as they are; `BREAKS_OFF = True`,
it leaves the last one unfinished; `FROM_ELSEWHERE = True`, the damage is where the text
stands. Pure: no Django, no state.
"""

from __future__ import annotations

import importlib
import pkgutil

from annotation.perturbations._base import Perturbation
from annotation.perturbations._text import is_cut_off

__all__ = ["PERTURBATIONS", "Perturbation", "is_cut_off"]


def _load(name: str) -> Perturbation:
    module = importlib.import_module(f"{__name__}.{name}")
    return Perturbation(
        name=name,
        hurts=tuple(module.HURTS),
        apply=module.apply,
        whole_sentences=getattr(module, "WHOLE_SENTENCES", False),
        breaks_off=getattr(module, "BREAKS_OFF", False),
        from_elsewhere=getattr(module, "FROM_ELSEWHERE", False),
    )


PERTURBATIONS: dict[str, Perturbation] = {
    name: _load(name)
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__))
    if not name.startswith("_")
}
