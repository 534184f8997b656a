"""What a worker agrees to, in words."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext

from annotation import platforms, studies
from annotation.models import Study


def contact(study: Study) -> str:
    """Whom a worker writes to."""
    platform = platforms.of(study)
    if study.contact or platform is None:
        return study.contact or gettext("the researcher")
    return gettext(platform.how_to_reach)


def words(study: Study) -> str:
    """Everything a worker agrees to, as it is shown and as it is kept."""
    said = [study.consent.strip() or studies.consent(study.page_kinds).strip()]
    if warning := study.content_warning:
        said.append(gettext("Please note: %(warning)s") % {"warning": warning})
    if earned := pay(study):
        said.append(gettext("Pay: %(pay)s.") % {"pay": earned})
    said.append(
        gettext(
            "In text fields, the page counts how often you paste, how many characters"
            " you paste, and how often you leave the page for 5 seconds or longer while"
            " you write. Besides your text, it keeps only these numbers."
        )
    )
    if study.canary:
        said.append(gettext("Pages have a check for answers that a program gave."))
    said.append(gettext("Contact: %(contact)s.") % {"contact": contact(study)})
    return "\n\n".join(said)


def pay(study: Study) -> str:
    """What a page earns, and whether it has to be used for that; empty if unpaid."""
    if not study.pay_per_page:
        # A platform has said what it pays. A plain link may well be unpaid.
        if study.platform == platforms.DIRECT or not study.pay_unused:
            return ""
        return gettext("as announced, even if we cannot use your ratings")
    number = number_format(study.pay_per_page, decimal_pos=2)
    amount = {"amount": f"{number} {study.currency}"}
    if study.pay_unused:
        return (
            gettext(
                "%(amount)s for each page you submit, even if we cannot use your"
                " ratings"
            )
            % amount
        )
    return (
        gettext(
            "%(amount)s for each page you submit that passes our checks for careful"
            " work"
        )
        % amount
    )
