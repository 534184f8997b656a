"""How pages of each kind are drawn. A new kind is a file here and a line below."""

from annotation.models import PageKind
from annotation.surveys.kinds._base import Kind, NewPages, Units
from annotation.surveys.kinds.dialogues import Dialogues
from annotation.surveys.kinds.pairs import Pairs
from annotation.surveys.kinds.texts import Texts

__all__ = ["KINDS", "Kind", "NewPages", "Units"]

KINDS: dict[str, Kind] = {
    PageKind.RATINGS: Texts(PageKind.RATINGS),
    PageKind.PAIR: Pairs(),
    PageKind.EDIT: Texts(PageKind.EDIT),
    PageKind.DIALOGUE: Dialogues(),
}
