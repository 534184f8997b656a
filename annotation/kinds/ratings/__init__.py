"""Texts that share a prompt are rated one by one, a damaged one among them."""

from __future__ import annotations

from annotation.kinds._listing import TextListing
from annotation.kinds._rated_texts import TextReview
from annotation.kinds._simulation import TextSimulation
from annotation.kinds._text_scores import TEXT_SCORES
from annotation.kinds._texts import TextDrawing
from annotation.kinds._workload import TextWorkload
from annotation.kinds.ratings.content import TextAnswers, TextContent
from annotation.kinds.ratings.matrix import RatingMatrices
from annotation.kinds.ratings.practice import RatedPractice
from annotation.kinds.ratings.setup import RATING_SETUP
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
from annotation.page_kinds.checks import RuleOnly
from annotation.page_kinds.counting import RatingCounting
from annotation.page_kinds.seating import Shuffled
from annotation.page_kinds.tables import NoTables


class Ratings:
    key = "ratings"
    facts = KindFacts(gives_ratings=True, rates_single_texts=True)
    words = KindWords(
        title="Ratings",
        label="Ratings: each text is rated on its own",
        does="Workers read several texts for one prompt and rate each of them on a"
        " scale.",
        check="one more text, damaged on purpose, that should get low ratings.",
        gives="a score for each text, agreement between workers, and how well metrics"
        " agree with people.",
        page="several texts for one prompt, each with the questions below",
    )
    setup: Setup = RATING_SETUP
    drawing: Drawing = TextDrawing("ratings")
    workload: Workload = TextWorkload()
    listing: Listing = TextListing()
    simulation: Simulation = TextSimulation()
    matrices: Matrices = RatingMatrices()
    checks: Checks = RuleOnly()
    counting: Counting = RatingCounting()
    seating: Seating = Shuffled()
    scores: Scores = TEXT_SCORES
    content: Content = TextContent()
    answering: Answering = TextAnswers()
    review: Review = TextReview()
    tables: Tables = NoTables()
    practice: PracticeTask | None = RatedPractice()
    proposals: Proposals | None = None
