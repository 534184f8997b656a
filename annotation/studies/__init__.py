"""A study as a whole: make it, change it, share it, copy it, put it away."""

from annotation.studies.archiving import archive, unarchive
from annotation.studies.closed import closed_for
from annotation.studies.copying import copied, copy
from annotation.studies.creating import (
    MOST_ASPECTS,
    NAME,
    AspectLike,
    Draft,
    StudyError,
    arrange_aspects,
    aspect_key,
    check_name,
    create,
    draft,
    set_human,
    taken,
    taken_names,
    why_aspect_stays,
)
from annotation.studies.deleting import delete, losses, purge, restore
from annotation.studies.group_roles import follow_groups
from annotation.studies.members import (
    MemberError,
    add_member,
    change_role,
    remove_member,
)
from annotation.studies.page_kinds import choose as choose_kinds
from annotation.studies.page_kinds import why_not
from annotation.studies.page_kinds import wrong as wrong_kinds
from annotation.studies.scales import (
    ScaleError,
    read_words,
    settle,
    why_no_other,
    why_no_scale,
    written_words,
)
from annotation.studies.setting_changes import SettingsError, change_settings
from annotation.studies.setting_rules import as_stored, problems
from annotation.studies.standard import KNOWN_ASPECTS
from annotation.studies.suiting import (
    are_standard,
    consent,
    has_standard_instructions,
    suit,
    suit_kinds,
    translate,
)

__all__ = [
    "KNOWN_ASPECTS",
    "MOST_ASPECTS",
    "NAME",
    "AspectLike",
    "Draft",
    "MemberError",
    "ScaleError",
    "SettingsError",
    "StudyError",
    "add_member",
    "archive",
    "are_standard",
    "arrange_aspects",
    "as_stored",
    "aspect_key",
    "change_role",
    "change_settings",
    "check_name",
    "choose_kinds",
    "closed_for",
    "consent",
    "copied",
    "copy",
    "create",
    "delete",
    "draft",
    "losses",
    "follow_groups",
    "has_standard_instructions",
    "problems",
    "purge",
    "read_words",
    "remove_member",
    "restore",
    "set_human",
    "settle",
    "suit",
    "suit_kinds",
    "taken",
    "taken_names",
    "translate",
    "unarchive",
    "why_aspect_stays",
    "why_no_other",
    "why_no_scale",
    "why_not",
    "written_words",
    "wrong_kinds",
]
