"""How studies of corrections begin."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from annotation.kinds._setup import TextSetup

INSTRUCTIONS = gettext_noop("""\
Each page shows one or more texts. Read each text to the end and correct what is wrong \
with it, with as few changes as possible. If nothing is wrong, say so.

Keep what is right, even if you would have written it differently.
""")

EDIT_SETUP = TextSetup(INSTRUCTIONS)
