"""What a worker agrees to, in words."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

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
    said.append(kept(study))
    if study.canary:
        said.append(gettext("Pages have a check for answers that a program gave."))
    said.append(gettext("Contact: %(contact)s.") % {"contact": contact(study)})
    return "\n\n".join(said)


def kept(study: Study) -> str:
    """What is kept of a worker besides answers, and how long, as the study is set.

    Without it, "under a code" promised more than is done.
    """
    said = [*_ids(study)]
    if not study.invited_only:  # others are bounded by their address
        said.append(
            gettext(
                "While you work on a page, we may also keep a code made from your"
                " internet address."
            )
        )
    if study.platform != platforms.MTURK:  # whose frame has no cookie
        said.append(gettext("We also keep a code by which we recognise your browser."))
    return " ".join([*said, _how_long(study)])


def _ids(study: Study) -> Iterator[str]:
    platform = platforms.of(study)
    if platform is not None and platform.gives_ids:
        yield gettext(
            "With your answers, we keep your id on %(platform)s, and the id of your"
            " visit where %(platform)s gives one."
        ) % {"platform": platform.title}
        return
    if not study.invited_only:
        yield gettext("With your answers, we keep the id in your link.")
    yield gettext(
        "If you were invited by name or by email, we keep your name and address, and"
        " the researcher can see which answers are yours."
    )


def _how_long(study: Study) -> str:
    days = study.retention_days
    if days is None:
        return gettext(
            "There is no date by which this is deleted. You can ask for it at any time."
        )
    return ngettext(
        "All this is deleted %(days)s day after the study is closed, but your answers"
        " stay. Backups may keep it for longer.",
        "All this is deleted %(days)s days after the study is closed, but your answers"
        " stay. Backups may keep it for longer.",
        days,
    ) % {"days": days}


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
