from annotation.models.answers import Annotation, ImportedMean, Verdict
from annotation.models.aspects import Aspect, AttributeLabel
from annotation.models.members import Member
from annotation.models.policies import Policy
from annotation.models.practice import Practice, PracticeText, PracticeTry
from annotation.models.reports import Dismissal, Event, Report
from annotation.models.studies import Study
from annotation.models.surveys import (
    Invite,
    Item,
    Negative,
    Opening,
    Place,
    Seat,
    Survey,
    Worker,
)
from annotation.models.texts import Generation, Import, Prompt, Reference, System
from annotation.models.uploads import Importing, Storing, Upload
from annotation.models.votes import Vote

__all__ = [
    "Annotation",
    "Aspect",
    "AttributeLabel",
    "Dismissal",
    "Event",
    "Generation",
    "Import",
    "ImportedMean",
    "Importing",
    "Invite",
    "Item",
    "Member",
    "Negative",
    "Opening",
    "Place",
    "Policy",
    "Practice",
    "PracticeText",
    "PracticeTry",
    "Prompt",
    "Reference",
    "Report",
    "Seat",
    "Storing",
    "Study",
    "Survey",
    "System",
    "Upload",
    "Verdict",
    "Vote",
    "Worker",
]
