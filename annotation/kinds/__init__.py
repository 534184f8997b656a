"""The kinds of pages, one folder each: see `annotation.page_kinds`."""

from annotation.kinds.dialogues import Dialogues
from annotation.kinds.edits import Edits
from annotation.kinds.pairs import Pairs
from annotation.kinds.ratings import Ratings
from annotation.kinds.spans import Spans
from annotation.page_kinds import PageKind

KINDS: tuple[PageKind, ...] = (Ratings(), Pairs(), Edits(), Spans(), Dialogues())
