from __future__ import annotations

import re

from annotation.platforms._base import Platform, gettext_noop, random_id

PLATFORM = Platform(
    title="a plain link",
    parameter="worker",
    # An id like those of the invited is given by their links only.
    shape=re.compile(r"(?!invite-[0-9]+$)[A-Za-z0-9_.@:+-]{1,128}"),
    how_to_arrive=gettext_noop("Open the link you were given."),
    how_to_return=gettext_noop("Open the link you were given."),
    how_to_reach=gettext_noop("the person who sent you the link"),
    when_nothing_is_left=gettext_noop(
        "Pages become free again when someone does not finish one, so you can try the"
        " same link later."
    ),
    new_id=random_id,
    label="Plain link",
    place=0,
)
