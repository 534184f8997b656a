"""How studies of ratings begin."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop

from annotation.kinds._setup import TextSetup
from annotation.models import Study
from annotation.page_kinds import TextFields
from annotation.studies.standard import INSTRUCTIONS

# What a page shows, by whether texts have an opening, and a prompt beside them.
PAGES = {
    (True, False): gettext_noop(
        "Each page shows the opening of a text and several ways it could continue."
    ),
    (True, True): gettext_noop(
        "Each page shows a prompt, the opening of a text and several ways it could"
        " continue."
    ),
    (False, True): gettext_noop(
        "Each page shows a prompt and several texts that were written for it."
    ),
    (False, False): gettext_noop("Each page shows several texts."),
}
LABELS = gettext_noop(
    "Some pages also say which feeling or topic the texts should express."
)


class RatingSetup(TextSetup):
    def is_needed(self, study: Study) -> bool:
        return study.generations.filter(dialogue=None).exists()

    def instructions(self, fields: TextFields) -> str:
        """As a new study has them, but for what each page shows."""
        shows = gettext(PAGES[fields.prefix, fields.source])
        first = f"{shows} {gettext(LABELS)}" if fields.label else shows
        rest = gettext(INSTRUCTIONS).partition("\n\n")[2]
        return f"{first}\n\n{rest}"

    def all_instructions(self) -> list[str]:
        possible = [
            TextFields(*shown, label) for shown in PAGES for label in (True, False)
        ]
        return [gettext(INSTRUCTIONS), *map(self.instructions, possible)]


RATING_SETUP = RatingSetup(INSTRUCTIONS)
