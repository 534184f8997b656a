"""What a worker agrees to, in words."""

from __future__ import annotations

from annotation import platforms, studies
from annotation.models import Study


def contact(study: Study) -> str:
    """Whom a worker writes to."""
    platform = platforms.of(study)
    return study.contact or (platform.how_to_reach if platform else "the researcher")


def words(study: Study) -> str:
    """Everything a worker agrees to, as it is shown and as it is kept."""
    said = [study.consent.strip() or studies.CONSENT.strip()]
    if study.content_warning:
        said.append(f"Please note: {study.content_warning}")
    if earned := pay(study):
        said.append(f"Pay: {earned}.")
    said.append(f"Contact: {contact(study)}.")
    return "\n\n".join(said)


def pay(study: Study) -> str:
    """What a page earns, and whether it has to be used for that; empty if unpaid."""
    if not study.pay_per_page:
        # A platform has said what it pays. A plain link may well be unpaid.
        if study.platform == platforms.DIRECT or not study.pay_unused:
            return ""
        return "as announced, also if we cannot use your ratings"
    earned = f"{study.pay_per_page:.2f} {study.currency} for every page that you submit"
    if study.pay_unused:
        return f"{earned}, also if we cannot use your ratings"
    return f"{earned} and that passes our checks for careful work"
