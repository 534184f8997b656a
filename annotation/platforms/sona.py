"""Sona Systems: students of an institution, who get credit when a link is opened.

Each institution has a site of its own and each study a credit token, so a study keeps
the Completion URL (client-side) that Sona shows; the worker's code is put into it.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

from annotation.platforms._base import BadAddress, Platform, gettext_noop

# Of institutions: a site of their own below Sona’s domain, and nothing else. Any
# other address would carry workers off.
HOST = re.compile(r"[a-z0-9-]{1,63}\.sona-systems\.com")
PATH = "/webstudy_credit.aspx"
NUMBER = re.compile(r"[0-9]{1,12}")
TOKEN = re.compile(r"[A-Za-z0-9]{1,64}")
ASKED = {"experiment_id", "credit_token", "survey_code"}


def own_home(address: str, worker: str) -> str:
    """Written anew, so that nothing but two ids comes from the address."""
    found = _read(address)
    if found is None:
        raise BadAddress(
            "Paste the Completion URL (client-side) as Sona shows it:"
            " https://YOUR-SCHOOL.sona-systems.com/webstudy_credit.aspx"
            "?experiment_id=…&credit_token=…&survey_code=XXXX"
        )
    host, experiment, token = found
    query = {
        "experiment_id": experiment,
        "credit_token": token,
        "survey_code": worker,
    }
    return f"https://{host}{PATH}?{urlencode(query)}"


def _read(address: str) -> tuple[str, str, str] | None:
    """The host, the number of the study and its token; None if anything is unusual."""
    try:
        parts = urlsplit(address.strip())
        pairs = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=4)
    except ValueError:
        return None
    asked, host = dict(pairs), parts.netloc.lower()
    if parts.scheme != "https" or not HOST.fullmatch(host) or parts.path != PATH:
        return None
    if len(pairs) != len(ASKED) or asked.keys() != ASKED:
        return None
    experiment, token = asked["experiment_id"], asked["credit_token"]
    if not NUMBER.fullmatch(experiment) or not TOKEN.fullmatch(token):
        return None
    return host, experiment, token


PLATFORM = Platform(
    title="Sona Systems",
    parameter="survey_code",
    # A number today; Sona does not promise that.
    shape=re.compile(r"[A-Za-z0-9]{1,64}"),
    how_to_arrive=gettext_noop(
        "Open this study from its page on Sona Systems. The link there tells us who you"
        " are, so that you can get your credit. Your browser must accept cookies from"
        " this site."
    ),
    how_to_return=gettext_noop(
        "Open this study again from its page on Sona Systems, on any device. You"
        " continue where you stopped."
    ),
    how_to_reach=gettext_noop("the researcher"),
    when_nothing_is_left=gettext_noop(
        "Please cancel your sign-up on Sona Systems so that it does not count against"
        " you."
    ),
    own_home=own_home,
    link_end="?survey_code=%SURVEY_CODE%",
    place=3,
    has_codes=False,
    grants_credit=True,
)
