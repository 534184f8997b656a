"""Who is this worker, and how do we send them home? One module for each platform.

What a link carries is an unsigned claim: its shape is checked, nothing is proven by it.
"""

from __future__ import annotations

from annotation.models import Study
from annotation.platforms import direct, mturk, prolific
from annotation.platforms._base import BadWorkerId, Platform

PLATFORMS: dict[str, Platform] = {
    Study.Platform.DIRECT: direct.PLATFORM,
    Study.Platform.PROLIFIC: prolific.PLATFORM,
    Study.Platform.MTURK: mturk.PLATFORM,
}

__all__ = ["PLATFORMS", "BadWorkerId", "Platform", "of"]


def of(study: Study) -> Platform | None:
    """The study's platform, None where its workers cannot be received yet."""
    return PLATFORMS.get(study.platform)
