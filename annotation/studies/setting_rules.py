"""What settings of a study must be together, beyond what each field allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation import platforms
from annotation.models import Study
from annotation.studies.scales import why_no_scale


def as_stored(values: Mapping[str, Any]) -> dict[str, Any]:
    """These settings in the one way in which they are written."""
    stored = dict(values)
    if "currency" in stored:
        stored["currency"] = stored["currency"].strip().upper()
    return stored


def problems(study: Study) -> dict[str, str]:
    """Why the study cannot have its settings, by the one to change."""
    reasons = {
        "scale_max": why_no_scale(study, study.scale_min, study.scale_max),
        "currency": _why_no_currency(study.currency),
        "invited_only": _why_no_invites(study),
        "completion_url": _why_no_address(study),
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _why_no_currency(code: str) -> str:
    if code.isascii() and code.isalpha() and len(code) == 3:
        return ""
    return "Use three letters, such as USD, EUR or INR."


def _why_no_invites(study: Study) -> str:
    if not study.invited_only or study.platform == platforms.DIRECT:
        return ""
    return f'Invite links need the platform "{platforms.label(platforms.DIRECT)}".'


def _why_no_address(study: Study) -> str:
    platform = platforms.of(study)
    if not study.completion_url or platform is None:
        return ""
    return platform.why_no_address(study.completion_url)
