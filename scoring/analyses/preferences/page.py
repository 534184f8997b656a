"""The ranking by votes: strengths, the votes behind them, and what may be wrong."""

from __future__ import annotations

from functools import partial

from scoring.analyses.needs import Missing, Need
from scoring.analyses.preferences import page_judge
from scoring.analyses.preferences.result import (
    Effect,
    Fit,
    Position,
    Question,
    Result,
    Steady,
)
from scoring.analyses.shared import page_systems
from scoring.analyses.shared.page_words import n_of
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

LEAD = "Which systems do people prefer when they compare two texts?"
# Votes come in files: the workers that a study was simulated with do not vote.
SIMULATED = False
NEED = Need(
    lambda facts: facts.votes,
    Missing(
        "Needs votes: for each pair of texts, which of two systems a person"
        " preferred. Let workers compare pairs, or add votes.",
        "Add votes",
        "study_import",
    ),
)
UNITS = {"pair": "pairs of texts", "rater": "raters"}
SMALL = 0.05


def sections(result: Result) -> list[Section]:
    beside = [page_judge.section(result["judge"])] if "judge" in result else []
    if not result["questions"]:
        return [_empty(result), *beside]
    found = []
    for number, question in enumerate(result["questions"], 1):
        after = "" if number == 1 else f"-{number}"
        said = f"{question['question']}: " if question["question"] else ""
        found += [
            _ranking(result, question, said, after),
            _pairs(result, question, said, after),
            _checks(result, question, said, after),
        ]
        if question["steady"] is not None:
            found.append(_steady(question["steady"], said, after))
    return [*found, *beside]


def _empty(result: Result) -> Section:
    if result["n_votes"]:
        words = "No vote is about this question and these systems."
        return Section("ranking", "No votes left", words)
    words = (
        "People see two texts and say which is better. This page ranks the systems by"
        " such votes, with intervals. To begin, let workers compare pairs (Setup, Kinds"
        " of pages), or upload a file with one vote in each row."
    )
    return Section("ranking", "No votes yet", words)


# Strengths ---------------------------------------------------------------------------


def _ranking(result: Result, question: Question, said: str, after: str) -> Section:
    drawn = [one for one in question["systems"] if one["elo"]["value"] is not None]
    figure = None
    if drawn:
        title = "Strength (Elo points)<br>400 points = odds of 10 to 1"
        figure = partial(
            page_systems.rows,
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
        " groups is unknown. Collect more votes between groups, or use the option"
        f" “Shrink strengths towards each other”.{said}"
    )


def _ranking_table(result: Result, question: Question) -> Table:
    several = len(question["components"]) > 1
    header = ["System", "Strength", "Rank", "Votes", "Won", "Lost", "Tied"]
    rows: list[list[Value]] = []
    for one in question["systems"]:
        why = one["elo"]["reason"] or "no interval"
        row: list[Value] = [
            page_systems.named(one),
            Cell.of(one["elo"], digits=0),
            page_systems.rank(one["best"], one["worst"], why),
            *(one["n"], one["won"], one["lost"], one["tied"]),
        ]
        rows.append([*row, f"{one['component']}"] if several else row)
    return Table(
        [*header, "Group"] if several else header,
        rows,
        f"Strengths of systems by {_model(result)} from"
        f" {n_of(question['n_votes'], 'vote')}, on the Elo scale with mean 1,000; 95 %"
        f" intervals by the jackknife over {UNITS[result['unit']]}.",
        title="Strength on the Elo scale",
        empty="No votes.",
    )


def _model(result: Result) -> str:
    name = "Bradley and Terry's model" if result["half_ties"] else "Davidson's model"
    return f"{name}, with shrinkage," if result["ridge"] else name


def _ranking_notes(result: Result, question: Question) -> str:
    if result["half_ties"]:
        ties = "A tie counts as half a win for each (Bradley and Terry 1952)."
    else:
        ties = (
            "Wins and ties are fitted together (Davidson 1970). Without ties, this is"
            " the Bradley-Terry model."
        )
    pulled = (
        " Strengths are shrunk towards each other: each pair of systems with votes"
        f" gets {result['ridge']} virtual wins each way."
        if result["ridge"]
        else ""
    )
    undefined = max((one["n_undefined"] for one in question["systems"]), default=0)
    lost = (
        " A system without an interval has no strength without one of the"
        f" {UNITS[result['unit']]}: the other votes do not connect it to the rest."
        if undefined
        else ""
    )
    return (
        f"The mean of a group is 1,000. {ties}{pulled} The value is the fit of all"
        f" votes. Intervals leave out each of the {UNITS[result['unit']]} in turn."
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
        f" by Wilson's method for votes that share {UNITS[result['unit']]}.",
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


# Position and length ------------------------------------------------------------------


def _steady(steady: Steady, said: str, after: str) -> Section:
    name = "does length or position explain the ranking?"
    return Section(
        f"steady{after}",
        f"{said}{name}" if said else name.capitalize(),
        _moved(steady),
        tables={
            f"steady{after}": _steady_table(steady),
            f"effects{after}": _effects_table(steady),
        },
        after=_steady_notes(steady),
    )


def _moved(steady: Steady) -> str:
    """Whether the order changes where both are held fixed."""
    known = [
        one
        for one in steady["systems"]
        if one["plain"]["value"] is not None and one["steady"]["value"] is not None
    ]
    if len(known) < 2:
        return "There are not enough votes to tell."
    plain = sorted(known, key=lambda one: -(one["plain"]["value"] or 0.0))
    if [one["system"] for one in plain] == [one["system"] for one in known]:
        return "No: with both held fixed, the systems stay in the same order."
    names = ", ".join(one["system"] for one in known)
    return f"In part: with both held fixed, the order is {names}."


def _steady_table(steady: Steady) -> Table:
    rows: list[list[Value]] = [
        [
            one["system"],
            Cell.of(one["plain"], digits=0),
            Cell.of(one["steady"], digits=0),
        ]
        for one in steady["systems"]
    ]
    return Table(
        ["System", "Strength", "With position and length held fixed"],
        rows,
        "Strengths of systems on the Elo scale, from the"
        f" {n_of(steady['n_votes'], 'vote')} on texts of known length, without and with"
        " position and length held fixed; a tie is half a win for each; 95 % intervals"
        " of t, clustered as above.",
        title="Strength with position and length held fixed",
        empty="No votes.",
    )


def _effects_table(steady: Steady) -> Table:
    rows: list[list[Value]] = [
        [_name_of(one), Cell.of(one, digits=3), _of_effect(one)]
        for one in steady["effects"]
    ]
    return Table(
        ["Between two equal systems", "Share won", "Meaning"],
        rows,
        "Share of votes that position and length alone would win, with 95 % intervals;"
        " 0.5 means no effect.",
        title="Effect of position and length",
    )


def _name_of(one: Effect) -> str:
    if one["key"] == "position":
        return "the text shown first"
    return "the longer text"


def _of_effect(one: Effect) -> str:
    low, high = one["low"], one["high"]
    if one["value"] is None:
        return f"Not known: {one['reason']}."
    if low is None or high is None:
        return "Not enough votes to tell."
    if low <= 0.5 <= high:
        return f"No sign that {one['key']} matters."
    wins = "wins" if one["value"] > 0.5 else "loses"
    return f"{_name_of(one).capitalize()} {wins} more often."


def _steady_notes(steady: Steady) -> str:
    one = next(e["one"] for e in steady["effects"] if e["key"] == "length") or 0.0
    unknown = steady["n_unknown"]
    left = (
        f" {n_of(unknown, 'vote')} left out: which texts were compared is not known."
        if unknown
        else ""
    )
    ratio = (1 + one) / (1 - one) if one < 1 else float("inf")
    return (
        "Bradley and Terry's model with position and length as covariates, as in"
        " length-controlled leaderboards. Length: the difference of the two numbers of"
        f" words over their sum. The longer text is {ratio:.2f} times as long here (one"
        f" standard deviation). Longer texts may be better for good reasons, so neither"
        f" column is the true one.{left}"
    )
