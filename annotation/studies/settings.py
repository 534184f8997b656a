"""The settings of a study, each declared once.

The settings page, the API, copies, data sets and what opening fixes follow from here. A
new setting is a field of the model, a line here, and the place where it acts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from annotation.models import Study


class Fixed(IntEnum):
    """From when on a setting stays as it is.

    Once people came, all must have answered the same questions, on the same scale and
    for the same pay.
    """

    NEVER = 0
    ONCE_CLOSED = 1  # workers are asked to agree to a new consent text
    WHILE_OPEN = 2  # how much is collected: places are fitted when it is resumed
    ONCE_OPEN = 3


class Archive(IntEnum):
    """What bundles and data sets have of a setting."""

    PRIVATE = 0  # it leads to people, or lets someone in
    WRITTEN = 1
    RESTORED = 2  # what workers read and numbers rest on


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of the study that researchers set."""

    name: str
    label: str = ""  # empty: that of the field
    help: str = ""
    fixed: Fixed = Fixed.ONCE_OPEN
    group: str = ""  # on the settings page; empty: another page sets it
    beside: bool = False  # in one row with the one before
    lines: int = 0  # of its field, where it is words in Markdown
    secret: bool = False  # only for those who see people
    draws: bool = False  # pages are drawn from it
    copied: bool = True
    archive: Archive = Archive.RESTORED


WORDS = (
    Setting(
        "title",
        "Title",
        "Workers see this. Never name a system. Empty: “Rate texts”.",
        group="words",
    ),
    Setting(
        "language",
        "Language",
        "Of the pages that workers see.",
        group="words",
        draws=True,
    ),
    Setting(
        "monospaced",
        "Show as code",
        "Code has letters of one width and keeps its indents, and its long lines"
        " scroll.",
        group="words",
    ),
    Setting(
        "instructions",
        "Instructions",
        "You can use Markdown: # heading, **bold**, - list, [link](https://…).",
        group="words",
        lines=8,
    ),
    Setting(
        "consent",
        "Consent",
        "You can use Markdown. What is kept, and whom to ask, is added to it.",
        fixed=Fixed.ONCE_CLOSED,
        group="words",
        lines=6,
    ),
    Setting(
        "content_warning",
        "Content warning",
        "Shown before the first text. Empty: no warning.",
        fixed=Fixed.ONCE_CLOSED,
        group="words",
    ),
    Setting(
        "contact",
        "Contact",
        "Workers write to this email address with questions, or to withdraw.",
        fixed=Fixed.NEVER,
        group="words",
        archive=Archive.PRIVATE,
    ),
)
SCALE = (
    Setting("scale_min", "Lowest answer", group="scale"),
    Setting("scale_max", "Highest answer", group="scale", beside=True),
)
AMOUNT = (
    Setting(
        "ratings_per_text",
        "Ratings per text",
        "Each from a different person.",
        fixed=Fixed.WHILE_OPEN,
        group="amount",
        draws=True,
    ),
    Setting(
        "texts_per_survey",
        "Texts per page",
        "At most this many texts on a page. One damaged text is added.",
        group="amount",
        beside=True,
        draws=True,
    ),
    Setting(
        "max_pages",
        "Maximum pages per worker",
        "Empty: as many as there are.",
        fixed=Fixed.WHILE_OPEN,
        group="amount",
        beside=True,
        archive=Archive.WRITTEN,
    ),
    Setting(
        "lease_minutes",
        "Minutes to keep a page for a worker",
        "A page goes to someone else this long after its last answer.",
        fixed=Fixed.WHILE_OPEN,
        group="amount",
        beside=True,
        archive=Archive.WRITTEN,
    ),
    Setting(
        "spare_seats",
        "Spare places per page",
        "Extra people who may rate a page while others have not finished it. Those who"
        " finish too late are paid, but not counted.",
        fixed=Fixed.WHILE_OPEN,
        group="amount",
        beside=True,
        draws=True,
        archive=Archive.WRITTEN,
    ),
)
PART = (
    Setting(
        "rated_share",
        "Percent of the texts to rate",
        "Below 100, we draw texts at random when the study opens, and “Saved ratings”"
        " corrects means with metrics’ scores of the others. Pages then hold fewer"
        " texts.",
        group="part",
        draws=True,
    ),
    Setting(
        "share_of",
        "Drawn at random from",
        "If drawn from the texts of each system, every system has the same share.",
        group="part",
        beside=True,
        draws=True,
    ),
    Setting(
        "one_by_one",
        "Collect ratings one prompt at a time",
        "In random order. Prompts then get all their ratings early, so that Monitor can"
        " tell you when you can stop.",
        group="part",
        draws=True,
    ),
    Setting(
        "damaged_texts",
        "Damaged texts",
        "A page without one gets the other checks only.",
        fixed=Fixed.WHILE_OPEN,
        group="part",
        draws=True,
    ),
    Setting(
        "canary",
        "Hide a sentence for programs on each page",
        "Nobody sees it. It asks a program that answers for a person to give one text"
        " an answer drawn at random, and says that people can ignore it. Anyone who"
        " copies a text, into a translator for example, copies it too. Workers are told"
        " in the consent that there is such a check. Exports never have it.",
        fixed=Fixed.ONCE_CLOSED,
        group="part",
        archive=Archive.WRITTEN,
    ),
)
PAY = (
    Setting(
        "pay_per_page",
        "Pay per page",
        "Workers see this. Empty: unpaid, or paid elsewhere.",
        group="pay",
        archive=Archive.WRITTEN,
    ),
    Setting(
        "currency",
        "Currency",
        "Three letters, such as USD, EUR or INR.",
        group="pay",
        beside=True,
    ),
    Setting(
        "minutes_per_page",
        "Expected minutes per page",
        "Workers see this. Empty: estimated from the length of the texts.",
        fixed=Fixed.ONCE_CLOSED,
        group="pay",
        beside=True,
    ),
    Setting(
        "pay_unused",
        "Pay for pages that are not used",
        "Platforms restrict rejections.",
        group="pay",
    ),
)
PLATFORM = (
    Setting("platform", "Platform", group="platform"),
    Setting(
        "invited_only",
        "Only people with an invite link",
        "Each person needs their own invite link.",
        fixed=Fixed.ONCE_CLOSED,
        group="entry",
        archive=Archive.WRITTEN,
    ),
    Setting(
        "completion_code",
        "Completion code",
        "Workers see this at the end and enter it on the platform.",
        fixed=Fixed.NEVER,
        group="codes",
        secret=True,
        copied=False,
        archive=Archive.PRIVATE,
    ),
    Setting(
        "nothing_left_code",
        "Code when nothing is left",
        "For workers who arrive when nothing is left. Empty: no code.",
        fixed=Fixed.NEVER,
        group="codes",
        beside=True,
        secret=True,
        copied=False,
        archive=Archive.PRIVATE,
    ),
    Setting(
        "screen_out_code",
        "Code after the practice page",
        "For workers who do not pass the practice page. Empty: no code.",
        fixed=Fixed.NEVER,
        group="codes",
        beside=True,
        secret=True,
        copied=False,
        archive=Archive.PRIVATE,
    ),
    Setting(
        "completion_url",
        "Address for those who have finished",
        "Connect: the Redirect URL. Sona: the Completion URL (client-side). Empty on"
        " other platforms.",
        fixed=Fixed.NEVER,
        group="codes",
        secret=True,
        copied=False,
        archive=Archive.PRIVATE,
    ),
)
END = (
    Setting(
        "debrief",
        "Debriefing",
        "You can use Markdown. Workers read this at the end. We already tell those who"
        " saw damaged texts about them.",
        fixed=Fixed.NEVER,
        group="end",
        lines=3,
    ),
    Setting(
        "retention_days",
        "Days to keep platform ids",
        "Platform ids of workers are deleted this long after the study closes. Empty:"
        " never. The consent says which.",
        fixed=Fixed.NEVER,
        group="end",
        archive=Archive.WRITTEN,
    ),
)
# Chosen together: see `studies.choose_kinds`.
KINDS = (
    Setting("page_kinds", draws=True),
    Setting("pairs_per_text", draws=True),
    Setting("pair_ties"),
    Setting("pair_strength"),
)
ON_THE_PAGE = (*WORDS, *SCALE, *AMOUNT, *PART, *PAY, *PLATFORM, *END)
SETTINGS = {setting.name: setting for setting in (*ON_THE_PAGE, *KINDS)}

_CHANGEABLE = {
    Study.State.DRAFT: Fixed.ONCE_OPEN,
    Study.State.PAUSED: Fixed.WHILE_OPEN,
    Study.State.OPEN: Fixed.ONCE_CLOSED,
    Study.State.CLOSED: Fixed.NEVER,
}


def why_fixed(name: str, state: str) -> str:
    """Why a study in this state cannot change it any more; empty where it can."""
    fixed = SETTINGS[name].fixed
    if fixed <= _CHANGEABLE[Study.State(state)]:
        return ""
    if fixed == Fixed.WHILE_OPEN and state == Study.State.OPEN:
        return "Pause the study to change it."
    if fixed == Fixed.ONCE_OPEN:
        return "It is fixed since the study opened."
    return "It is fixed since the study was closed."
