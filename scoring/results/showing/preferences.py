"""The ranking by votes: strengths, the votes behind them, and what may be wrong."""

from __future__ import annotations

from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.results.showing import _systems
from scoring.results.showing._words import n_of
from scoring.stats.analyses.results.preferences import Fit, Position, Question, Result

LEAD = "Which systems do people prefer when they compare two texts?"
UNITS = {"pair": "pairs of texts", "rater": "raters"}
SMALL = 0.05


def sections(result: Result) -> list[Section]:
    if not result["questions"]:
        return [_empty(result)]
    found = []
    for number, question in enumerate(result["questions"], 1):
        after = "" if number == 1 else f"-{number}"
        said = f"{question['question']}: " if question["question"] else ""
        found += [
            _ranking(result, question, said, after),
            _pairs(result, question, said, after),
            _checks(result, question, said, after),
        ]
    return found


def _empty(result: Result) -> Section:
    if result["n_votes"]:
        words = "No vote is about this question and these systems."
        return Section("ranking", "No votes left", words)
    words = (
        "People see two texts and say which is better. This page ranks the systems by"
        " such votes, with intervals. To begin, upload a file with one vote in each"
        " row."
    )
    return Section("ranking", "No votes yet", words)


# Strengths ---------------------------------------------------------------------------


def _ranking(result: Result, question: Question, said: str, after: str) -> Section:
    drawn = [one for one in question["systems"] if one["elo"]["value"] is not None]
    figure = None
    if drawn:
        title = "Strength (Elo points)<br>400 points = odds of 10 to 1"
        figure = _systems.rows(
            drawn,
            [one["elo"] for one in drawn],
            x_title=title,
            digits=0,
            middle=1000,
        )
    return Section(
        f"ranking{after}",
        f"{said}strength of each system" if said else "Strength of each system",
        _basis(question) + _connected(question),
        figure,
        alt="Strength of each system with its interval.",
        tables={f"ranking{after}": _ranking_table(result, question)},
        after=_ranking_notes(result, question),
    )


def _basis(question: Question) -> str:
    raters = (
        f" by {n_of(question['n_raters'], 'rater')}" if question["n_raters"] else ""
    )
    ties = n_of(question["n_ties"], "tie") if question["n_ties"] else "no ties"
    return (
        f"{n_of(question['n_votes'], 'vote')} on {n_of(question['n_pairs'], 'pair')}"
        f"{raters}, with {ties}."
    )


def _connected(question: Question) -> str:
    """What to do where not all systems can be compared."""
    groups = question["components"]
    left = question["left_out"]
    said = f" No votes: {', '.join(left)}." if left else ""
    if len(groups) < 2:
        return said
    named = "; ".join(", ".join(names) for names in groups)
    return (
        f" These votes do not connect all systems. The groups are: {named}. Within a"
        " group, systems won and lost against each other, directly or through others."
        " Between groups, a system listed earlier never lost to one listed later, or"
        " never met one. So each group has its own scale, and the distance between"
        " groups is unknown. Collect more votes between groups, or use the option “Pull"
        f" strengths together”.{said}"
    )


def _ranking_table(result: Result, question: Question) -> Table:
    several = len(question["components"]) > 1
    header = ["System", "Strength", "Rank", "Votes", "Won", "Lost", "Tied"]
    rows: list[list[Value]] = []
    for one in question["systems"]:
        why = one["elo"]["reason"] or "no interval"
        row: list[Value] = [
            _systems.named(one),
            Cell.of(one["elo"], digits=0),
            _systems.rank(one["best"], one["worst"], why),
            *(one["n"], one["won"], one["lost"], one["tied"]),
        ]
        rows.append([*row, f"{one['component']}"] if several else row)
    return Table(
        [*header, "Group"] if several else header,
        rows,
        f"Strengths of systems by {_model(result)} from"
        f" {n_of(question['n_votes'], 'vote')}, on the Elo scale with mean 1,000; 95 %"
        f" intervals from {result['draws']:,} resamples of {UNITS[result['unit']]}.",
        title="Strength on the Elo scale",
        empty="No votes.",
    )


def _model(result: Result) -> str:
    name = "Bradley and Terry's model" if result["half_ties"] else "Davidson's model"
    return f"{name}, pulled together," if result["ridge"] else name


def _ranking_notes(result: Result, question: Question) -> str:
    if result["half_ties"]:
        ties = "A tie counts as half a win for each (Bradley and Terry 1952)."
    else:
        ties = (
            "Wins and ties are fitted together (Davidson 1970). Without ties, this is"
            " the Bradley-Terry model."
        )
    pulled = (
        f" Strengths are pulled together: each pair of systems with votes gets"
        f" {result['ridge']} virtual wins each way."
        if result["ridge"]
        else ""
    )
    undefined = max((one["n_undefined"] for one in question["systems"]), default=0)
    lost = (
        f" In up to {undefined} of {result['draws']:,} resamples a system had no"
        " strength, because the votes drawn did not connect it to the others."
        if undefined
        else ""
    )
    return (
        f"The mean of a group is 1,000. {ties}{pulled} The value is the fit of all"
        f" votes. The interval comes from resamples of whole {UNITS[result['unit']]}."
        " Rank: the best and worst rank that the intervals allow. Best: one more than"
        " the number of systems whose intervals lie entirely above. Worst: the number"
        f" of systems minus those entirely below.{lost}"
    )


# Votes -------------------------------------------------------------------------------


def _pairs(result: Result, question: Question, said: str, after: str) -> Section:
    rows: list[list[Value]] = [
        [
            one["first"],
            one["second"],
            *(one["won"], one["lost"], one["tied"]),
            Cell.of(one["share"], digits=2),
        ]
        for one in question["pairs"]
    ]
    table = Table(
        ["System", "Against", "Won", "Lost", "Tied", "Share won"],
        rows,
        "Votes on each pair of systems; share won counts a tie as half; 95 % intervals"
        f" from {result['draws']:,} resamples of {UNITS[result['unit']]}.",
        title="Votes on each pair of systems",
        empty="No votes.",
    )
    name = "votes on each pair of systems"
    title = f"{said}{name}" if said else name.capitalize()
    return Section(f"pairs{after}", title, tables={f"pairs{after}": table})


# Checks ------------------------------------------------------------------------------


def _checks(result: Result, question: Question, said: str, after: str) -> Section:
    position, fit = question["position"], question["fit"]
    rows: list[list[Value]] = [
        [
            "Share won by the text shown first",
            Cell.of(position, digits=3),
            _p(position["p"], position["reason"] or "no vote is decided"),
            _of_position(position),
        ],
        [
            "Ties: ν of the model",
            Cell.of(question["nu"]),
            Cell(None, reason="no test"),
            _of_ties(question),
        ],
        [
            "Fit: χ² of the votes of each pair",
            Cell.of(fit, digits=1),
            _p(fit["p"], fit["reason"] or "no test"),
            _of_fit(fit),
        ],
    ]
    table = Table(
        ["Check", "Value", "p", "Meaning"],
        rows,
        "Position bias, ties and model fit.",
        title="Position bias, ties and fit",
    )
    name = "can you rely on these votes?"
    title = f"{said}{name}" if said else name.capitalize()
    return Section(
        f"checks{after}",
        title,
        tables={f"checks{after}": table},
        after=(
            "The share won by the text shown first leaves out ties, and its p assumes"
            " that votes are independent. Fit compares the votes of each pair of"
            " systems with those that one strength per system predicts. Its p is"
            " approximate if fewer than 5 votes are expected for some pair."
        ),
    )


def _p(p: float | None, reason: str) -> Cell:
    return Cell(p, reason="" if p is not None else reason)


def _of_position(position: Position) -> str:
    unknown = position["n_unknown"]
    more = f" {n_of(unknown, 'vote')} of unknown order left out." if unknown else ""
    if position["value"] is None:
        return f"Not enough votes to tell.{more}"
    low, high = position["low"], position["high"]
    if low is not None and high is not None and low <= 0.5 <= high:
        return f"No sign that the order matters.{more}"
    if low is None:
        return f"0.5 means no bias.{more}"
    first = "first" if position["value"] > 0.5 else "second"
    return (
        f"The text shown {first} wins more often. Either the order matters, or better"
        f" systems were shown {first} more often.{more}"
    )


def _of_ties(question: Question) -> str:
    rate = question["tie_rate"]
    if rate is None:
        return "Ties are not modelled."
    return f"Two equal systems tie in {100 * rate:.0f} % of votes."


def _of_fit(fit: Fit) -> str:
    if fit["p"] is None:
        return "Not enough votes to tell."
    freedom = f"{fit['df']} degree{'' if fit['df'] == 1 else 's'} of freedom."
    if fit["p"] < SMALL:
        return (
            "One strength per system does not explain the votes: some pairs differ from"
            f" what the ranking predicts. {freedom}"
        )
    return f"One strength per system explains the votes. {freedom}"
