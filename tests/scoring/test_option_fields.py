"""Options of metrics, trainings and analyses are listed the same way."""

from dataclasses import dataclass, field

from scoring import analyses
from scoring.metrics import get, option, option_fields
from scoring.option_fields import OptionField
from scoring.stats.option import fixed
from scoring.stats.option import option as choice


@dataclass(frozen=True)
class OfAMetric:
    model: str = option("small", "which weights", path="model")
    way: str = option("near", "how", ["near", "far"])
    plain: int = 3


@dataclass(frozen=True)
class OfAnAnalysis:
    level: str = choice(
        "texts", "Level", choices=(("texts", "single texts"), ("systems", "means"))
    )
    outputs: tuple[str, ...] = choice((), "Metrics", of="outputs")
    seed: int = choice(0, "Seed", min=0, help="Any.")
    both: bool = fixed(True)


@dataclass(frozen=True)
class Narrower(OfAMetric):
    way: str = option("far", "how")


def test_an_option_of_a_metric_has_its_facts():
    model, way, plain = option_fields(OfAMetric)
    assert model == OptionField(
        "small", "which weights", path="model", name="model", type=str
    )
    assert (way.default, way.choices) == ("near", ("near", "far"))
    assert plain == OptionField(3, name="plain", type=int)


def test_an_option_of_an_analysis_has_its_label_and_where_it_is_chosen_from():
    level, outputs, seed, both = option_fields(OfAnAnalysis)
    assert level.choices == ("texts", "systems")
    assert level.titles == ("single texts", "means")
    assert (outputs.of, outputs.type) == ("outputs", tuple[str, ...])
    assert (seed.min, seed.max, seed.help) == (0, None, "Any.")
    assert both.fixed and not seed.fixed


def test_what_has_no_label_is_called_by_its_name():
    assert option_fields(OfAnAnalysis)[0].title == "Level"
    assert OptionField(name="with_discarded").title == "With discarded"


def test_a_class_that_inherits_may_declare_an_option_anew():
    assert [one.name for one in option_fields(Narrower)] == ["model", "way", "plain"]
    assert option_fields(Narrower)[1] == OptionField("far", "how", name="way", type=str)


def test_what_others_keep_in_a_field_is_not_read():
    @dataclass(frozen=True)
    class Foreign:
        word: str = field(default="sun", metadata={"help": "not ours"})

    assert option_fields(Foreign) == (OptionField("sun", name="word", type=str),)


def test_metrics_and_analyses_are_listed_by_one_function():
    assert option_fields(get("ctrleval").Options)
    assert option_fields(analyses.get("agreement").Options)
