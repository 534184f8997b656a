from annotation.models.answers import Annotation, ImportedMean, Verdict
from annotation.models.aspects import Aspect, AttributeLabel
from annotation.models.copying import CopyCheck
from annotation.models.dialogues import Dialogue
from annotation.models.edits import Edit
from annotation.models.mailing import Mail, Mailing, Recipient
from annotation.models.members import Member
from annotation.models.openings import Opening
from annotation.models.policies import Policy
from annotation.models.practice import Practice, PracticeText, PracticeTry
from annotation.models.recruiting import (
    BonusBatch,
    BonusLine,
    Recruitment,
    Submission,
)
from annotation.models.rejudgings import Rejudging
from annotation.models.reports import Dismissal, Event, Report
from annotation.models.studies import Study
from annotation.models.summaries import Summary
from annotation.models.surveys import (
    Invite,
    Item,
    Negative,
    Pair,
    Place,
    Seat,
    Survey,
    Worker,
)
from annotation.models.texts import Generation, Import, Prompt, Reference, System
from annotation.models.uploads import Importing, Recipe, Storing, Upload
from annotation.models.votes import Vote
from evalapp.work.models import FirstLook, WrongClock

__all__ = [
    "Annotation",
    "Aspect",
    "AttributeLabel",
    "BonusBatch",
    "BonusLine",
    "CopyCheck",
    "Dialogue",
    "Dismissal",
    "Edit",
    "Event",
    "FirstLook",
    "Generation",
    "Import",
    "ImportedMean",
    "Importing",
    "Invite",
    "Item",
    "Mail",
    "Mailing",
    "Member",
    "Negative",
    "Opening",
    "Pair",
    "Place",
    "Policy",
    "Practice",
    "PracticeText",
    "PracticeTry",
    "Prompt",
    "Recipe",
    "Recipient",
    "Recruitment",
    "Reference",
    "Rejudging",
    "Report",
    "Seat",
    "Storing",
    "Study",
    "Submission",
    "Summary",
    "Survey",
    "System",
    "Upload",
    "Verdict",
    "Vote",
    "Worker",
    "WrongClock",
]
