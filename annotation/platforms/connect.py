"""CloudResearch Connect: a link with the participant's id, and a redirect at the end.

Connect gives each project a Redirect URL that records who has finished. It takes no
code, so a study keeps that address; without it, people enter the completion code.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from annotation.platforms._base import BadAddress, Platform, gettext_noop

HOST = "connect.cloudresearch.com"
PATH = re.compile(r"/participant/project/([A-Za-z0-9-]{6,64})/complete/?")


def own_home(address: str, worker: str) -> str:
    """Written anew, so that nothing but a project's id comes from the address."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        parts = urlsplit("")
    found = PATH.fullmatch(parts.path)
    if (parts.scheme, parts.netloc.lower()) != ("https", HOST) or found is None:
        raise BadAddress(
            "Paste the Redirect URL of the project as Connect shows it:"
            f" https://{HOST}/participant/project/…/complete"
        )
    return f"https://{HOST}/participant/project/{found[1]}/complete"


PLATFORM = Platform(
    title="CloudResearch Connect",
    parameter="participantId",
    # 32 hexadecimal digits today; CloudResearch does not promise that.
    shape=re.compile(r"[A-Za-z0-9-]{8,64}"),
    how_to_arrive=gettext_noop(
        "Open this study from its page on CloudResearch Connect. The link there tells"
        " us who you are, so that you can be paid. Your browser must accept cookies"
        " from this site."
    ),
    how_to_return=gettext_noop(
        "Open this study again from its page on CloudResearch Connect, on any device."
        " You continue where you stopped."
    ),
    how_to_reach=gettext_noop(
        "the researcher, with a message on CloudResearch Connect"
    ),
    when_nothing_is_left=gettext_noop(
        "Please return your submission on CloudResearch Connect so that it does not"
        " count against you."
    ),
    own_home=own_home,
    keeps=("assignmentId", "projectId"),
    secret="assignmentId",
    place=2,
)
