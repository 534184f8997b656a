"""Ways to damage a text. Each file without a leading underscore is one of them.

A file defines `apply(text, rng)`, which returns the damaged text or None where it
cannot change it; `HURTS`, the keys of the aspects that suffer; and, where it moves
sentences as they are, `WHOLE_SENTENCES = True`. Pure: no Django, no state.
"""

from __future__ import annotations

import importlib
import pkgutil

from annotation.perturbations._base import Perturbation

__all__ = ["PERTURBATIONS", "Perturbation"]


def _load(name: str) -> Perturbation:
    module = importlib.import_module(f"{__name__}.{name}")
    return Perturbation(
        name=name,
        hurts=tuple(module.HURTS),
        apply=module.apply,
        whole_sentences=getattr(module, "WHOLE_SENTENCES", False),
    )


PERTURBATIONS: dict[str, Perturbation] = {
    name: _load(name)
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__))
    if not name.startswith("_")
}
