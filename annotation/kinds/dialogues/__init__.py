"""Turns of conversations, and wholes, are rated, a damaged one among them."""

from __future__ import annotations

from annotation.kinds._listing import TextListing
from annotation.kinds._simulation import TextSimulation
from annotation.kinds._text_scores import TEXT_SCORES
from annotation.kinds.dialogues.checks import DialogueChecks
from annotation.kinds.dialogues.content import DialogueContent, TurnAnswers
from annotation.kinds.dialogues.counting import DialogueCounting
from annotation.kinds.dialogues.drawing import DialogueDrawing
from annotation.kinds.dialogues.matrix import DialogueMatrices
from annotation.kinds.dialogues.review import DialogueReview
from annotation.kinds.dialogues.seating import DialogueSeating
from annotation.kinds.dialogues.setup import DIALOGUE_SETUP
from annotation.kinds.dialogues.tables import DialogueTables
from annotation.kinds.dialogues.workload import DialogueWorkload
from annotation.page_kinds import (
    Answering,
    Checks,
    Content,
    Counting,
    Drawing,
    KindFacts,
    KindWords,
    Listing,
    Matrices,
    PracticeTask,
    Proposals,
    Review,
    Scores,
    Seating,
    Setup,
    Simulation,
    Tables,
    Workload,
)


class Dialogues:
    key = "dialogue"
    facts = KindFacts(gives_ratings=True)
    words = KindWords(
        title="Dialogues",
        label="Dialogues: turns of a conversation, and the whole, are rated",
        does="Workers read conversations turn by turn, and rate marked turns and the"
        " whole.",
        check="one more conversation, in which a turn is from another one.",
        gives="scores of turns and of whole dialogues, with agreement and metrics at"
        " both levels.",
        page="conversations, with questions on marked turns and the whole",
    )
    setup: Setup = DIALOGUE_SETUP
    drawing: Drawing = DialogueDrawing()
    workload: Workload = DialogueWorkload()
    listing: Listing = TextListing(template="annotation/kinds/dialogues/survey.html")
    simulation: Simulation = TextSimulation()
    matrices: Matrices = DialogueMatrices()
    checks: Checks = DialogueChecks()
    counting: Counting = DialogueCounting()
    seating: Seating = DialogueSeating()
    scores: Scores = TEXT_SCORES
    content: Content = DialogueContent()
    answering: Answering = TurnAnswers()
    review: Review = DialogueReview()
    tables: Tables = DialogueTables()
    practice: PracticeTask | None = None
    proposals: Proposals | None = None
