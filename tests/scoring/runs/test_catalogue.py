"""Which metrics stand together where they are listed."""

from scoring.metrics import Metric, SystemMetric
from scoring.runs import catalogue


class Alone(Metric):
    title = "beta"


class Other(Metric):
    title = "Alpha"


class Compared(Metric):
    title = "Compared"
    needs = frozenset({"references", "source"})


class Varied(SystemMetric):
    title = "Varied"
    uses = frozenset({"corpus"})


class Human(SystemMetric):
    title = "Human"
    needs = frozenset({"corpus"})


def test_metrics_stand_by_what_they_score_and_compare_with():
    found = catalogue.families(
        {"human": Human, "varied": Varied, "compared": Compared, "alone": Alone}
    )
    assert [(family.slug, names) for family, names in found] == [
        ("each-text", ["alone"]),
        ("references", ["compared"]),
        ("systems", ["varied"]),
        ("human-texts", ["human"]),
    ]


def test_each_family_is_in_the_order_of_titles_and_empty_ones_are_left_out():
    [(_, names)] = catalogue.families({"a": Alone, "b": Other})
    assert names == ["b", "a"]
