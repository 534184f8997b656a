"""Two texts for a prompt are compared, and a text with its damaged twin."""

from __future__ import annotations

from annotation.kinds.pairs.checks import PairChecks
from annotation.kinds.pairs.content import PairAnswers, PairContent
from annotation.kinds.pairs.counting import PairCounting
from annotation.kinds.pairs.drawing import PairDrawing
from annotation.kinds.pairs.listing import PairListing
from annotation.kinds.pairs.matrix import PairMatrices
from annotation.kinds.pairs.review import PairReview
from annotation.kinds.pairs.scores import PairScores
from annotation.kinds.pairs.seating import PairSeating
from annotation.kinds.pairs.setup import PAIR_SETUP
from annotation.kinds.pairs.simulation import PairSimulation
from annotation.kinds.pairs.tables import PairTables
from annotation.kinds.pairs.workload import PairWorkload
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


class Pairs:
    key = "pair"
    facts = KindFacts(compares_texts=True, judges_texts=False)
    words = KindWords(
        title="Pairs",
        label="Pairs: which of two texts is better",
        does="Workers read two texts for a prompt side by side and say which is"
        " better.",
        check="one pair of a text and its damaged twin.",
        gives="a ranking of systems with intervals, and whether the side or the length"
        " of a text decides.",
        page="two texts for one prompt, side by side",
    )
    setup: Setup = PAIR_SETUP
    drawing: Drawing = PairDrawing()
    workload: Workload = PairWorkload()
    listing: Listing = PairListing()
    simulation: Simulation = PairSimulation()
    matrices: Matrices = PairMatrices()
    checks: Checks = PairChecks()
    counting: Counting = PairCounting()
    seating: Seating = PairSeating()
    scores: Scores = PairScores()
    content: Content = PairContent()
    answering: Answering = PairAnswers()
    review: Review = PairReview()
    tables: Tables = PairTables()
    practice: PracticeTask | None = None
    proposals: Proposals | None = None
