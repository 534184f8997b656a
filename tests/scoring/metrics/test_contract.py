"""Every file of scoring/metrics keeps the contract."""

import dataclasses
import re
import subprocess
import sys

import pytest

from scoring.metrics import (
    Metric,
    OptionError,
    SystemMetric,
    UnknownMetric,
    get,
    names,
    option_fields,
)
from scoring.metrics._engine import base

NEEDS = {
    *("prefix", "label", "source", "references", "corpus", "training"),
    "log-probabilities",
}


@pytest.mark.parametrize("name", names())
class TestEveryMetric:
    def test_it_has_its_facts(self, name):
        metric = get(name)()
        assert metric.name() == name
        assert metric.title and metric.source and metric.needs <= NEEDS
        assert isinstance(metric, Metric) != isinstance(metric, SystemMetric)

    def test_its_outputs_have_keys_of_words_joined_by_underscores(self, name):
        keys = [output.key for output in get(name)().outputs]
        assert keys and len(set(keys)) == len(keys)
        assert all(re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", key) for key in keys)

    def test_its_options_explain_themselves(self, name):
        for field in option_fields(get(name).Options):
            assert field.help
            assert not field.choices or field.default in field.choices

    def test_its_signature_starts_with_name_and_ends_with_version(self, name):
        signature = get(name)().signature()
        assert signature.startswith(f"{name}|") and re.search(r"\|v:\d+$", signature)

    def test_it_names_unknown_options_and_the_known_ones(self, name):
        with pytest.raises(OptionError, match="unknown option colour; there are: "):
            get(name)(colour="red")


def test_listing_metrics_imports_neither_django_nor_torch():
    code = (
        "import sys; from scoring.metrics import get, names\n"
        "for name in names(): get(name)().outputs\n"
        "print({'django', 'torch', 'transformers', 'nltk'} & set(sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "set()"


def test_an_unknown_metric_is_answered_with_the_known_ones():
    with pytest.raises(UnknownMetric, match="no metric 'bleurgh'; there are: .*length"):
        get("bleurgh")


@dataclasses.dataclass(frozen=True)
class Options:
    count: int = base.option(3, "how many")
    share: float = base.option(0.5, "how much")
    strict: bool = base.option(True, "whether")
    kind: str = base.option("a", "which", ("a", "b"))


class Sample(Metric):
    title, source, Options, outputs = "Sample", "here", Options, ()
    load = None


class TestOptions:
    def test_they_come_from_the_text_of_a_form(self):
        options = Sample(count="7", share="0.25", strict="false", kind="b").options
        assert options == Options(7, 0.25, False, "b")

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"count": "x"}, "count=x: expected a whole number"),
            ({"count": 2.5}, "count=2.5: expected a whole number"),
            ({"count": None}, "count=None: expected a whole number"),
            ({"count": float("inf")}, "count=inf: expected a whole number"),
            ({"count": 10**400}, f"count=1{'0' * 99}: expected a whole number"),
            ({"share": 10**400}, f"share=1{'0' * 99}: expected a number"),
            ({"share": "nan"}, "share=nan: expected a number"),
            ({"strict": "perhaps"}, "strict=perhaps: expected true or false"),
            ({"kind": None}, "kind=None: expected text"),
            (
                {"kind": "a\0"},
                "kind contains a NUL character at position 2: delete it",
            ),
            ({"kind": "c"}, "kind=c: expected one of a, b"),
        ],
    )
    def test_bad_values_are_answered_with_what_is_expected(self, given, message):
        with pytest.raises(OptionError) as error:
            Sample(**given)
        assert str(error.value) == message

    def test_every_option_is_in_the_signature(self):
        expected = "test_contract|count:3|kind:b|share:0.5|strict:True|v:1"
        assert Sample(kind="b").signature() == expected

    def test_contents_replace_options_in_the_signature(self):
        assert "|kind:sha256:1|" in Sample().signature(kind="sha256:1")
