"""What an email says: a researcher's words, a name, a link, and the way out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext, override

from annotation.crowd import invites
from annotation.models import Mailing, Recipient, Study
from annotation.recipients.links import refusal_link

PLACE = re.compile(r"\{(name|link|study)\}")


def filled(text: str, values: Mapping[str, str]) -> str:
    """In one pass: a name that reads {link} stays a name. "Hello ," is no greeting."""
    if not values["name"]:
        text = text.replace(" {name}", "{name}")
    return PLACE.sub(lambda found: values[found[1]], text)


def message(mailing: Mailing, recipient: Recipient, token: str) -> EmailMessage:
    """The email to one person. No header holds a line break."""
    study = mailing.study
    values = values_for(study, recipient.name, invite_link(study, token))
    out = refusal_link(recipient)
    headers = {
        "List-Unsubscribe": f"<{out}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return EmailMessage(
        subject=" ".join(filled(mailing.subject, values).split()),
        body=f"{filled(mailing.body, values)}\n\n-- \n{footer(study, out)}\n",
        to=[recipient.address],
        reply_to=[study.contact] if study.contact else None,
        headers=headers,
    )


def values_for(study: Study, name: str, link: str) -> dict[str, str]:
    return {"name": name, "link": link, "study": study.public_title}


def footer(study: Study, link: str) -> str:
    with override(study.language):
        words = gettext(
            "If you do not want to get emails about this study, open %(link)s"
        )
        return words % {"link": link}


def invite_link(study: Study, token: str) -> str:
    query = urlencode({invites.PARAMETER: token})
    return f"{settings.PUBLIC_URL}{study.get_worker_url()}?{query}"


def is_only_here() -> bool:
    """Whether links in emails lead nobody else to this site."""
    return urlsplit(settings.PUBLIC_URL).hostname in ("127.0.0.1", "localhost", "::1")
