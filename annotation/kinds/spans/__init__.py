"""Errors are marked in texts, which are rated too, a damaged one among them."""

from __future__ import annotations

from annotation.kinds._listing import TextListing
from annotation.kinds._text_scores import TEXT_SCORES
from annotation.kinds._texts import TextDrawing
from annotation.kinds.spans.answers import MarkAnswers
from annotation.kinds.spans.checks import MarkChecks
from annotation.kinds.spans.content import MarkContent
from annotation.kinds.spans.counting import MarkCounting
from annotation.kinds.spans.matrix import MarkMatrices
from annotation.kinds.spans.practice import MarkPractice
from annotation.kinds.spans.proposals import MarkProposals
from annotation.kinds.spans.review import MarkReview
from annotation.kinds.spans.setup import MARK_SETUP
from annotation.kinds.spans.simulation import MarkSimulation
from annotation.kinds.spans.tables import MarkTables
from annotation.kinds.spans.workload import MarkWorkload
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


class Spans:
    key = "spans"
    facts = KindFacts(gives_ratings=True, rates_single_texts=True)
    words = KindWords(
        title="Marked errors",
        label="Marked errors: errors are marked in each text, which is then rated",
        does="Workers select words that are wrong, and say what is wrong with them."
        " Then they rate the text.",
        check="one more text, damaged on purpose, whose damage must be marked.",
        gives="errors by kind and severity, a score that adds them up (MQM), and"
        " ratings of each text (ESA).",
        page="texts in which errors are marked, each with the questions below",
    )
    setup: Setup = MARK_SETUP
    drawing: Drawing = TextDrawing("spans")
    workload: Workload = MarkWorkload()
    listing: Listing = TextListing()
    simulation: Simulation = MarkSimulation()
    matrices: Matrices = MarkMatrices()
    checks: Checks = MarkChecks()
    counting: Counting = MarkCounting()
    seating: Seating = Shuffled()
    scores: Scores = TEXT_SCORES
    content: Content = MarkContent()
    answering: Answering = MarkAnswers()
    review: Review = MarkReview()
    tables: Tables = MarkTables()
    practice: PracticeTask | None = MarkPractice()
    proposals: Proposals | None = MarkProposals()
