"""Who is this worker, and how do we send them home? One file for each platform.

Each file without a leading underscore defines PLATFORM. To add a platform, add a file:
its name is what a study keeps. No Django here.

What a link carries is an unsigned claim: its shape is checked, nothing is proven by it.
Where a platform signs its links, `crowd.signatures` asks for that.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Protocol

from annotation.platforms._base import BadAddress, BadWorkerId, Platform

# Those that code outside this folder treats in a way of its own.
DIRECT, MTURK, PROLIFIC = "direct", "mturk", "prolific"

PLATFORMS: dict[str, Platform] = {
    name: importlib.import_module(f"{__name__}.{name}").PLATFORM
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__))
    if not name.startswith("_")
}

__all__ = [
    "DIRECT",
    "MTURK",
    "PLATFORMS",
    "PROLIFIC",
    "BadAddress",
    "BadWorkerId",
    "Platform",
    "choices",
    "label",
    "of",
    "offers",
]


class OnAPlatform(Protocol):
    """A study, of which the platform's name is all that is asked here."""

    platform: str


def of(study: OnAPlatform) -> Platform | None:
    """The study's platform, None where its workers cannot be received yet."""
    return PLATFORMS.get(study.platform)


def choices() -> list[tuple[str, str]]:
    """What forms offer. Called by models, so that a new file needs no migration."""
    return [(name, label(name)) for name in _in_order()]


def offers() -> list[tuple[str, str]]:
    """The same where a researcher chooses one, with what to know before."""
    return [
        (name, f"{label(name)} ({platform.note})" if platform.note else label(name))
        for name, platform in ((one, PLATFORMS[one]) for one in _in_order())
    ]


def _in_order() -> list[str]:
    return sorted(PLATFORMS, key=lambda name: (PLATFORMS[name].place, name))


def label(name: str) -> str:
    return PLATFORMS[name].label or PLATFORMS[name].title
