"""From a dropped file to a study: keep it, look at it, ask, check, import.

A file is kept once, so that what its columns mean can be corrected without choosing it
again. Small files are checked and imported while the researcher waits; a worker does
large ones.
"""

from annotation.assistant.adding import choose_kind, read, recognise, store
from annotation.assistant.keeping import Refused, discard, keep, opened, tidy
from annotation.assistant.locks import Busy, alone
from annotation.assistant.looking import Look, look
from annotation.assistant.working import cancel, choose, finish, progress

__all__ = [
    "Busy",
    "Look",
    "Refused",
    "alone",
    "cancel",
    "choose",
    "choose_kind",
    "discard",
    "finish",
    "keep",
    "look",
    "opened",
    "progress",
    "read",
    "recognise",
    "store",
    "tidy",
]
