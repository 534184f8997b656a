from __future__ import annotations

import re
from urllib.parse import urlencode

from annotation.platforms._base import Platform


def home(code: str) -> str:
    return f"https://app.prolific.com/submissions/complete?{urlencode({'cc': code})}"


PLATFORM = Platform(
    title="Prolific",
    parameter="PROLIFIC_PID",
    # 24 hexadecimal digits today; Prolific does not promise that.
    shape=re.compile(r"[A-Za-z0-9]{8,64}"),
    how_to_arrive=(
        "Open this study from its page on Prolific: the link there tells us who you"
        " are, so that you can be paid. Your browser must accept cookies of this site."
    ),
    how_to_return=(
        "Open this study again from its page on Prolific, on any device: you go on"
        " where you stopped."
    ),
    how_to_reach="the researcher, with a message on Prolific",
    when_nothing_is_left=(
        "Please return your submission on Prolific, so that it does not count"
        " against you."
    ),
    home=home,
    keeps=("STUDY_ID", "SESSION_ID"),
    secret="SESSION_ID",
    link_end="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}",
)
