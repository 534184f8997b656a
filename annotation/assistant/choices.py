"""What a researcher has chosen about a file, as the import takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation import imports
from annotation.models import Upload

FORMAT = "columns"
# Keys of `Upload.choices`. The first are reset when another sheet, preset or encoding
# is chosen.
MAP, PRESET, SHEET, LEAVE_OUT = "map", "preset", "sheet", "leave_out"
ENCODING = "encoding"
LOOK = "look"  # at a file that takes long to read, so that it is not read for each page
PROBLEMS = "problems"  # why nothing can be shown of the file, with these choices
NEW_STUDY = ("title", "language", "ratings_per_text", "scale")
# What answers stand for; what a comma is; whether what was proposed is right.
VALUES, DECIMAL, YES = "values", "decimal", "yes"
AGAIN = "again"  # what the same words are that one rater has rated twice
NAME = "name"
# What the file is, a key of `intakes.INTAKES`; none: it has texts. As long as it may be
# several things, KINDS are these.
OF, KINDS = "of", "kinds"


def options(upload: Upload) -> dict[str, Any]:
    """For `imports.run`, `imports.into` and `imports.check`."""
    chosen: Mapping[str, Any] = upload.choices
    taken = (
        *(MAP, PRESET, SHEET, ENCODING, LEAVE_OUT, VALUES, DECIMAL, AGAIN, YES, "cut"),
        *NEW_STUDY,
    )
    found = {key: chosen[key] for key in taken if chosen.get(key) not in (None, "")}
    if PRESET in chosen and chosen[PRESET] == "":
        found[PRESET] = ""
    if upload.study_id is None:
        found.setdefault("scale", imports.AUTO)
    return found
