"""Facts of a made-up study, for tests of what is written of them."""

from __future__ import annotations

from dataclasses import replace

from scoring.publishing.facts import (
    Aspect,
    Counts,
    Estimate,
    Facts,
    Has,
    Output,
    Protocol,
    Published,
    System,
)

NASTY = "<script>alert(1)</script> | `x` [a](http://evil) \\end{document} {{7*7}} 100%"

COHERENCE = Aspect(
    key="coherence",
    title="Coherence",
    question="Does it hold together?",
    low=1,
    high=5,
    labels={1: "not at all", 5: "completely"},
    kind="points",
    level="ordinal",
    about="text",
    higher_is_better=True,
    cannot_say=False,
    standard=True,
    n_ratings=40,
    alpha=Estimate(0.5, 0.4, 0.6, 40, signature="bootstrap over texts"),
)
ROUGE = Output(
    id="0123456789:rouge1",
    metric="rouge",
    title="ROUGE",
    key="rouge1",
    label="ROUGE-1",
    signature="rouge|v:1",
    higher_is_better=True,
    unit="[0, 1]",
    source="Lin (2004), as in rouge-score",
    link="https://aclanthology.org/W04-1013",
    judge="",
    options={},
    agreement=[Estimate(0.3, 0.1, 0.5, 20, signature="bootstrap over prompts")],
)
JUDGE = replace(
    ROUGE, id="abcdef0123:score", metric="llm_judge", key="score", judge="lab/judge-1"
)
HOW = Protocol(
    collected=True,
    platform="Prolific",
    recruiting="Raters were recruited through Prolific.",
    pay="0.50 USD for each page.",
    paid=True,
    practice="",
    quality=["A page was discarded if its damaged text was rated above the best."],
    damaged="Each page may hide a text that was damaged on purpose.",
    pages="A page shows several texts.",
    order="In a random order.",
    sampling="All texts that were uploaded are rated.",
    timing="Raters choose when they work.",
    contact=True,
    plan="",
    first="2026-03-01",
    last="2026-03-02",
    pairs=False,
    ratings_per_text=2,
)


def facts(**changes: object) -> Facts:
    """Two systems, one question, a metric and a judge."""
    mean = Estimate(3.5, 3.1, 3.9, 10, signature="bootstrap over prompts")
    none = Estimate(None, reason="not scored")
    made = Facts(
        name="ferry",
        title="The ferry",
        language="en",
        simulated=False,
        made_at="2026-11-26T12:00:00+00:00",
        version="0.1.0",
        instructions="Read each text.",
        consent=["We publish single ratings."],
        debrief="",
        warning="",
        contact="ada@example.org",
        level="all",
        aspects=[COHERENCE],
        systems=[
            System("a", "generator", "lab/small", 0.9, None, 10, [mean], [mean, none]),
            System("b", "human", "", None, None, 10, [none], [none, none]),
        ],
        outputs=[ROUGE, JUDGE],
        counts=Counts(20, 10, 40, 8, 1, 19, 1, 0, 10, 0),
        has=Has(True, False, True, False, False),
        protocol=HOW,
        published=Published("cc-by-4.0", ["Ada Lovelace"], "Lab", "", ""),
    )
    return replace(made, **changes)
