"""How studies of pairs begin."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from annotation.kinds._setup import TextSetup
from annotation.page_kinds import Option

INSTRUCTIONS = gettext_noop("""\
Each page shows pairs of texts that were written for the same prompt. Read both texts \
of a pair to the end. Then say for each question which of them is better.

There are no right answers: we want your own impression. Judge each pair on its own. \
Ignore small spelling or spacing mistakes unless a question asks about them.
""")
OPTIONS = (
    Option(
        "pairs_per_text",
        "Comparisons per text",
        "With how many other texts for its prompt each text is compared. Empty: with"
        " all of them.",
    ),
    Option("pair_ties", "Offer “No difference”"),
    Option(
        "pair_strength",
        "Ask how much better",
        "Adds “much better” on each side. Votes count the same.",
    ),
)

PAIR_SETUP = TextSetup(INSTRUCTIONS, OPTIONS)
