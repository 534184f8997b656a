from annotation.models.answers import Annotation, ImportedMean, Verdict
from annotation.models.studies import Aspect, AttributeLabel, Policy, Study
from annotation.models.surveys import Item, Negative, Place, Seat, Survey, Worker
from annotation.models.texts import Generation, Import, Prompt, Reference, System

__all__ = [
    "Annotation",
    "Aspect",
    "AttributeLabel",
    "Generation",
    "Import",
    "ImportedMean",
    "Item",
    "Negative",
    "Place",
    "Policy",
    "Prompt",
    "Reference",
    "Seat",
    "Study",
    "Survey",
    "System",
    "Verdict",
    "Worker",
]
