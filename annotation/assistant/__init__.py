"""From a dropped file to a study: keep it, look at it, ask, check, import.

A file is kept once, so that what its columns mean can be corrected without choosing it
again. Small files are checked and imported while the researcher waits; a worker does
large ones.
"""

from annotation.assistant.adding import choose_kind, read, recognise, store
from annotation.assistant.keeping import Refused, discard, keep, opened, tidy
from annotation.assistant.locks import Busy, alone
from annotation.assistant.looking import Look, look
from annotation.assistant.working import IMPORTS, choose, finish, under_way

__all__ = [
    "IMPORTS",
    "Busy",
    "Look",
    "Refused",
    "alone",
    "choose",
    "choose_kind",
    "discard",
    "finish",
    "keep",
    "look",
    "opened",
    "read",
    "recognise",
    "store",
    "tidy",
    "under_way",
]
