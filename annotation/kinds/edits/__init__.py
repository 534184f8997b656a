"""Texts are corrected, a damaged one among them."""

from __future__ import annotations

from annotation.kinds._listing import TextListing
from annotation.kinds._text_scores import TEXT_SCORES
from annotation.kinds._texts import TextDrawing
from annotation.kinds.edits.checks import EditChecks
from annotation.kinds.edits.content import EditAnswers, EditContent
from annotation.kinds.edits.counting import EditCounting
from annotation.kinds.edits.matrix import EditMatrices
from annotation.kinds.edits.review import EditReview
from annotation.kinds.edits.setup import EDIT_SETUP
from annotation.kinds.edits.simulation import EditSimulation
from annotation.kinds.edits.tables import EditTables
from annotation.kinds.edits.workload import EditWorkload
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
from annotation.page_kinds.seating import Shuffled


class Edits:
    key = "edit"
    facts = KindFacts(corrects_texts=True, asks_aspects=False)
    words = KindWords(
        title="Corrections",
        label="Corrections: a text is corrected with as few changes as possible",
        does="Workers correct each text with as few changes as possible, or say that"
        " nothing is wrong with it.",
        check="one more text, damaged on purpose, that must be changed.",
        gives="references of the very texts for metrics, and how much people change"
        " (HTER).",
        page="texts to be corrected",
    )
    setup: Setup = EDIT_SETUP
    drawing: Drawing = TextDrawing("edit")
    workload: Workload = EditWorkload()
    listing: Listing = TextListing()
    simulation: Simulation = EditSimulation()
    matrices: Matrices = EditMatrices()
    checks: Checks = EditChecks()
    counting: Counting = EditCounting()
    seating: Seating = Shuffled()
    scores: Scores = TEXT_SCORES
    content: Content = EditContent()
    answering: Answering = EditAnswers()
    review: Review = EditReview()
    tables: Tables = EditTables()
    practice: PracticeTask | None = None
    proposals: Proposals | None = None
