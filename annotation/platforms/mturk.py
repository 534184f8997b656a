"""Mechanical Turk shows a study in a frame on its own page, as an ExternalQuestion.

A HIT is a worker's whole part in the study: they rate as many pages as they like, and
submit it once. So its number of assignments is the number of workers.

Amazon has accepted no new customers since 30 July 2026; those who had an account then
can go on.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from annotation.platforms._base import Platform, gettext_noop

# Where a finished HIT may be sent. Any other address in a link would carry workers off.
HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"

_SCHEMA = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
    "ExternalQuestion.xsd"
)


def question(url: str) -> str:
    """The ExternalQuestion that shows this address. Height 0 fits the frame."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<ExternalQuestion xmlns="{_SCHEMA}">\n'
        f"  <ExternalURL>{escape(url)}</ExternalURL>\n"
        "  <FrameHeight>0</FrameHeight>\n"
        "</ExternalQuestion>\n"
    )


PLATFORM = Platform(
    title="Mechanical Turk",
    # Ids come with an assignment, to the page in the frame, and nowhere else.
    parameter="",
    shape=re.compile(r"[A-Z0-9]{5,64}"),
    how_to_arrive=gettext_noop(
        "Open this study from its HIT on Mechanical Turk. That page tells us who you"
        " are, so that you can be paid."
    ),
    how_to_return=gettext_noop(
        "Open this HIT again from your queue on Mechanical Turk before its time is up."
        " You continue where you stopped."
    ),
    how_to_reach=gettext_noop("the requester, with a message on Mechanical Turk"),
    when_nothing_is_left=gettext_noop(
        "Please return the HIT so that it does not count against you."
    ),
    note="closed to new customers since 30 July 2026",
    place=9,
    door="mturk",
    approves_by="assignmentId",
)
