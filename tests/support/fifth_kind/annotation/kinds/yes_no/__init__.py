"""Each text gets a yes or a no, and a tick where the worker doubts it."""

from __future__ import annotations

from annotation.kinds.yes_no.content import YesNoAnswers, YesNoContent
from annotation.kinds.yes_no.setup import YesNoSetup
from annotation.kinds.yes_no.simulation import YesNoSimulation

from annotation.kinds._listing import TextListing
from annotation.kinds._rated_texts import TextReview
from annotation.kinds._text_scores import TEXT_SCORES
from annotation.kinds._texts import TextDrawing
from annotation.kinds._workload import TextWorkload
from annotation.kinds.ratings.matrix import RatingMatrices
from annotation.page_kinds import KindFacts, KindWords
from annotation.page_kinds.checks import RuleOnly
from annotation.page_kinds.counting import RatingCounting
from annotation.page_kinds.seating import Shuffled
from annotation.page_kinds.tables import NoTables


class YesNo:
    key = "yes_no"
    facts = KindFacts(gives_ratings=True, rates_single_texts=True)
    words = KindWords(
        title="Yes or no",
        label="Yes or no: each text gets one of two answers",
        does="Workers say yes or no to each text.",
        check="one more text, damaged on purpose.",
        gives="the share of people who say yes to a text.",
        page="several texts for one prompt, each with a yes and a no",
    )
    setup = YesNoSetup("Read each text and say yes or no.")
    drawing = TextDrawing("yes_no")
    workload = TextWorkload()
    listing = TextListing()
    simulation = YesNoSimulation()
    matrices = RatingMatrices()
    checks = RuleOnly()
    counting = RatingCounting()
    seating = Shuffled()
    scores = TEXT_SCORES
    content = YesNoContent()
    answering = YesNoAnswers()
    review = TextReview()
    tables = NoTables()
    practice = proposals = None
