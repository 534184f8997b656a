from __future__ import annotations

import re
from urllib.parse import urlencode

from annotation.platforms._base import Platform, gettext_noop


def home(code: str) -> str:
    return f"https://app.prolific.com/submissions/complete?{urlencode({'cc': code})}"


PLATFORM = Platform(
    title="Prolific",
    parameter="PROLIFIC_PID",
    # 24 hexadecimal digits today; Prolific does not promise that.
    shape=re.compile(r"[A-Za-z0-9]{8,64}"),
    how_to_arrive=gettext_noop(
        "Open this study from its page on Prolific. The link there tells us who you"
        " are, so that you can be paid. Your browser must accept cookies from this"
        " site."
    ),
    how_to_return=gettext_noop(
        "Open this study again from its page on Prolific, on any device. You continue"
        " where you stopped."
    ),
    how_to_reach=gettext_noop("the researcher, with a message on Prolific"),
    when_nothing_is_left=gettext_noop(
        "Please return your submission on Prolific so that it does not count against"
        " you."
    ),
    home=home,
    place=1,
    keeps=("STUDY_ID", "SESSION_ID"),
    secret="SESSION_ID",
    signs=True,
    link_end="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}",
)
