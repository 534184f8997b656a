"""What the help of an option says in a form, beside its label."""

from __future__ import annotations

from scoring.drawing.words import sentence
from scoring.endpoints import configuration
from scoring.metrics import OptionField

# Of options that only models over the network have, and those that these lack.
OF_NETWORK = {
    "mode": "For a model over the network. One on this server always gives the"
    " probability of each number.",
    "samples": "For a model over the network, and the mean of several answers: 2 to"
    f" {configuration.MOST_SAMPLES}.",
    "scheme": "For a model over the network that marks errors: categories and"
    " severities, as JSON.",
}
COMMAND = "`python -m"  # nobody can run one in a browser
SMALL = frozenset("a an and by for in is it of or the to what which with".split())


def beside(option: OptionField) -> str:
    """The help without what its label says already, and without commands."""
    if option.hidden:
        return OF_NETWORK[option.name]
    clauses = [_without_command(one) for one in option.help.split("; ")]
    first, *others = clauses
    head, mark, tail = first.partition(": ")
    if mark and _words(head) <= _words(option.title):
        first = tail
    said = [one for one in (first, *others) if not _repeats(option, one)]
    return sentence("; ".join(said)) if said else ""


def _without_command(clause: str) -> str:
    before, mark, _ = clause.partition(COMMAND)
    return before.rpartition(",")[0] if mark else clause


def _repeats(option: OptionField, clause: str) -> bool:
    return _words(clause) <= _words(option.title)


def _words(said: str) -> set[str]:
    plain = (word.strip("(),.:;’'`").casefold() for word in said.split())
    return {word for word in plain if word} - SMALL
