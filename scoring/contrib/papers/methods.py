"""A paragraph on methods for a paper, with its tables, in Markdown and LaTeX. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scoring.contrib.papers import bibtex
from scoring.contrib.papers.latex import escaped
from scoring.drawing.tables import Cell, Table, Value, as_latex
from scoring.publishing.facts import Aspect, Facts
from scoring.publishing.markdown import number, plain

Words = Callable[[str], str]  # text of others -> text of the document
Cite = Callable[[Sequence[str]], str]


def paragraph(facts: Facts) -> str:
    """In Markdown, with keys of `references.bib` in brackets."""

    def cite(keys: Sequence[str]) -> str:
        return f" [{'; '.join(f'@{key}' for key in keys)}]"

    return " ".join(_sentences(facts, plain, cite)) + "\n"


def latex(facts: Facts) -> str:
    """In LaTeX, followed by a table of questions, of systems and of metrics."""

    def cite(keys: Sequence[str]) -> str:
        return rf"~\cite{{{','.join(keys)}}}"

    tables = [as_latex(one) for one in _tables(facts) if one.rows]
    return "\n\n".join([" ".join(_sentences(facts, escaped, cite)), *tables]) + "\n"


# Words --------------------------------------------------------------------------------


def _sentences(facts: Facts, words: Words, cite: Cite) -> Iterator[str]:
    how, n = facts.protocol, facts.counts
    yield (
        f"We evaluated {n.texts:,} texts by {len(facts.systems)} systems for"
        f" {n.prompts:,} prompts with EvalApp {words(facts.version)}"
        f"{cite(['evalapp'])}."
    )
    if facts.simulated:
        yield "All ratings are simulated."
    yield _asked(facts, words)
    if how.collected:
        yield _collected(facts)
        for one in (how.recruiting, how.pay, how.practice, how.sampling, how.damaged):
            if one:
                yield words(one)
        yield from map(words, how.quality)
        yield _kept(facts)
    else:
        yield "Ratings were collected elsewhere and imported."
    yield from _agreed(facts, words, cite)
    yield from _scored(facts, words, cite)
    if how.plan:
        yield words(how.plan)


def _asked(facts: Facts, words: Words) -> str:
    told = ", ".join(
        f"{words(one.title)} ({one.low} to {one.high})" for one in facts.aspects
    )
    return f"Raters judged each text on: {told}."


def _collected(facts: Facts) -> str:
    how, n = facts.protocol, facts.counts
    when = f" from {how.first} to {how.last}" if how.first else ""
    return (
        f"{n.raters:,} raters gave {n.ratings:,} ratings that count{when}, with"
        f" {how.ratings_per_text} ratings of each text as the aim."
    )


def _kept(facts: Facts) -> str:
    n = facts.counts
    return (
        f"Quality control discarded {n.pages_discarded:,} of"
        f" {n.pages + n.pages_discarded:,} pages."
    )


def _agreed(facts: Facts, words: Words, cite: Cite) -> Iterator[str]:
    known = [one for one in facts.aspects if one.alpha.value is not None]
    if known:
        told = ", ".join(_alpha(one, words) for one in known)
        key = cite(["krippendorff-2011-alpha"])
        yield f"Krippendorff's alpha{key} is {told}."


def _alpha(one: Aspect, words: Words) -> str:
    ends = ""
    if one.alpha.low is not None and one.alpha.high is not None:
        ends = f", 95 % interval {number(one.alpha.low)} to {number(one.alpha.high)}"
    # The percent sign begins a comment in LaTeX.
    return words(f"{number(one.alpha.value)} for {one.title} ({one.level}{ends})")


def _scored(facts: Facts, words: Words, cite: Cite) -> Iterator[str]:
    by_title: dict[str, list[str]] = {}
    for one in facts.outputs:
        keys = bibtex.keys_of(one.link, one.source)
        by_title.setdefault(one.title, keys)
    if by_title:
        told = ", ".join(
            f"{words(title)}{cite(keys) if keys else ''}"
            for title, keys in by_title.items()
        )
        yield f"We scored the texts with {told}."


# Tables -------------------------------------------------------------------------------


def _tables(facts: Facts) -> Iterator[Table]:
    simulated = " Simulated ratings, not from people." if facts.simulated else ""
    yield Table(
        ["Question", "Ratings", "Alpha"],
        [[a.title, a.n_ratings, Cell.of(a.alpha)] for a in facts.aspects],
        f"Krippendorff's alpha with 95 % intervals.{simulated}",
    )
    names = [one.title for one in facts.aspects]
    yield Table(
        ["System", "Texts", *names],
        [[s.name, s.n_texts, *map(Cell.of, s.means)] for s in facts.systems],
        f"Mean ratings with 95 % intervals.{simulated}",
    )
    agreeing = [one for one in facts.outputs if one.agreement]
    rows: list[list[Value]] = [
        [one.label, *map(Cell.of, one.agreement)] for one in agreeing
    ]
    caption = (
        f"Agreement of metrics with mean ratings: {facts.coefficient}, higher is"
        " better, with 95 % intervals."
    )
    yield Table(["Metric", *names], rows, f"{caption}{simulated}")
