from __future__ import annotations

import re

from annotation.platforms._base import Platform, random_id

PLATFORM = Platform(
    title="a plain link",
    parameter="worker",
    # An id like those of the invited is given by their links only.
    shape=re.compile(r"(?!invite-[0-9]+$)[A-Za-z0-9_.@:+-]{1,128}"),
    how_to_arrive="Open the link that you were given.",
    how_to_return="Open the link that you were given.",
    how_to_reach="the person who sent you the link",
    when_nothing_is_left=(
        "Pages become free again when somebody does not finish one,"
        " so you can try the same link again later."
    ),
    new_id=random_id,
    label="Plain link",
)
