"""`check` passes what keeps the contract, and names what breaks it."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import scoring.metrics
from scoring.metrics import (
    Evaluator,
    Metric,
    Output,
    Rated,
    SystemMetric,
    TrainedMetric,
    TrainingData,
    get,
    names,
)
from scoring.metrics import __main__ as command_line
from scoring.metrics._check import facts
from scoring.metrics._check.checking import findings
from scoring.metrics._engine import base as _base
from tests.scoring.metrics.pairs import sibling
from tests.scoring.metrics.test_llm_judge import WORDS, saved
from tests.scoring.metrics.tiny_encoder import tiny_encoder

README = Path(scoring.metrics.__file__).with_name("README.md")
# What the metrics of the project need to be checked: names of fixtures, or values. One
# that is trained gets a checkpoint.
OPTIONS: dict[str, dict[str, str]] = {
    "bartscore": {"model": "pegasus"},
    "bertscore": {"model": "gpt2"},
    "cdm": {"expert": "gpt2", "amateur": "amateur"},
    "cdm_probe": {"model": "probe"},
    "corpus_perplexity": {"model": "gpt2"},
    "corpus_cdm": {"expert": "gpt2", "amateur": "amateur"},
    "ctrleval": {"model": "pegasus", "weighting": "mean", "iwf": "iwf"},
    "divergence": {"model": "gpt2"},
    "fidelity": {"model": "gpt2", "seeds": "2"},
    "llm_judge": {"model": "judge", "prompt": "{text} {question} :"},
    "moverscore": {"model": "gpt2"},
    "perplexity": {"model": "gpt2"},
}


@pytest.fixture(scope="module")
def amateur(gpt2, tmp_path_factory):
    return sibling(gpt2, tmp_path_factory.mktemp("amateur") / "gpt2")


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("judge"), [*map(str, range(10)), *WORDS])


@pytest.fixture
def checkpoint(request, tmp_path):
    """What a training of the metric would leave, with random weights."""
    import torch

    from scoring.metrics._learning import heads

    base, folder = tiny_encoder(tmp_path / "base"), tmp_path / "made"
    facts = {"metric": request.getfixturevalue("name"), "aspect": "coherence"}
    if facts["metric"] in ("argent", "bleurt"):
        facts |= {"outputs": 1, "labels": [], "kind": "number"}
    else:
        facts |= {"outputs": 2, "labels": ["damaged", "human"], "kind": "classes"}
    torch.manual_seed(0)
    reader = heads.begun(
        str(base), pooling="mean", outputs=facts["outputs"], device="cpu"
    )
    heads.save(reader, heads.Tokens(base, 100, reader.encoder), folder, facts)
    return folder


@pytest.fixture
def probe(gpt2, amateur, tmp_path):
    """A probe of CDM, fitted to made-up ratings."""
    chosen = {"expert": str(gpt2), "amateur": str(amateur), "folds": 2}
    orders = itertools.permutations("the boat came in then".split())
    texts = [" ".join(order) for order in itertools.islice(orders, 60)]
    rated = [Rated(text, "", k / 60, f"{k}") for k, text in enumerate(texts)]
    options = get("cdm_probe").training(**chosen)
    data = TrainingData(rated=rated)
    given = {"seconds": None, "device": "cpu", "about": {"options": chosen}}
    assert get("cdm_probe").go_on(data, options, tmp_path, print, **given)
    return tmp_path / "model"


@pytest.fixture
def drop(tmp_path, monkeypatch):
    """Drop a file into a folder of metrics, as an author does."""
    monkeypatch.setattr(
        scoring.metrics, "__path__", [*scoring.metrics.__path__, str(tmp_path)]
    )

    def drop(name: str, content: str) -> None:
        (tmp_path / f"{name}.py").write_text(content)

    return drop


def failed(metric) -> dict[str, str]:
    """Problems by check. Metrics of this file cannot be listed: they are no files."""
    return {
        finding.what: finding.problem
        for finding in findings(metric)
        if finding.problem and not finding.what.startswith("listing")
    }


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("name", names())
def test_every_metric_of_the_project_keeps_the_contract(name, request):
    trained = issubclass(get(name), TrainedMetric)
    usual = {"model": "checkpoint"} if trained else {}
    given = OPTIONS.get(name, usual)
    fixtures = {"amateur", "checkpoint", "gpt2", "iwf", "judge", "pegasus", "probe"}
    options = {
        key: str(request.getfixturevalue(value)) if value in fixtures else value
        for key, value in given.items()
    }
    found = [str(one) for one in findings(get(name)(**options)) if one.problem]
    assert not found, "\n".join(found)


class TestTheExample:
    def test_that_of_the_readme_keeps_the_contract(self, drop, capsys):
        (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
        drop("shouting", code)
        assert len(code.splitlines()) < 30
        assert command_line.main(["check", "shouting"]) == 0
        printed = capsys.readouterr().out
        assert "FAILED" not in printed and printed.endswith("all ok\n")

    def test_what_is_broken_gets_a_line_and_the_status(self, drop, capsys):
        content = "import django\nfrom scoring.metrics.length import lengths\n"
        content += "from scoring.metrics._engine.base import Metric, Output\n"
        content += "from scoring.metrics._engine.words import CountingScorer\n"
        content += "class Sad(Metric):\n    '''Sad.'''\n    title = source = 'Sad'\n"
        content += "    outputs = (Output('Sad', 'Sad', 'tears', True),)\n"
        content += "    def load(self, device): raise ZeroDivisionError('no')\n"
        drop("sad", content)
        assert command_line.main(["check", "sad"]) == 1
        lines = capsys.readouterr().out.splitlines()
        bad = [line for line in lines if line.startswith("FAILED")]
        assert "listing it imported django. Import" in bad[1]
        assert "the key 'Sad' is not small letters" in bad[0]
        assert "ZeroDivisionError: no at sad.py:9" in bad[2]
        assert lines[-1] == "3 failed"

    def test_an_unknown_metric_is_answered_with_the_known_ones(self, capsys):
        assert command_line.main(["check", "nix"]) == 2
        assert "no metric 'nix'; there are:" in capsys.readouterr().err

    def test_options_are_checked_as_for_scoring(self, capsys):
        assert command_line.main(["check", "repetition", "--window", "0"]) == 2
        assert "window=0: expected 1 or more" in capsys.readouterr().err

    def test_without_a_name_it_explains_itself(self, capsys):
        assert command_line.main(["check"]) == 2
        assert "check NAME" in capsys.readouterr().out


@dataclasses.dataclass(frozen=True)
class Options:
    weight: float = _base.option(1.0, "what counts how much")


class Sound(Metric):
    """Letters of a text, weighted. What is broken below is broken by one line."""

    title, source, Options = "Sound", "here", Options
    outputs = (Output("letters", "Letters", "letters, [0, inf)", True),)

    def load(self, device: str = "cpu") -> Scorer:
        return Scorer(self)


class Scorer:
    def __init__(self, metric) -> None:
        self.signature, self.weight = metric.signature(), metric.options.weight
        self.seen = 0

    def __call__(self, examples, progress=None):
        if progress:
            progress(len(examples))
        return self.give(np.array([self.value(e) for e in examples], dtype=np.float64))

    def value(self, example):
        return len(example.text) * self.weight if example.text else np.nan

    def give(self, values):
        why = ["empty" if np.isnan(value) else None for value in values]
        return _base.Scores({"letters": values}, {"letters": why})


def broken(**members) -> Metric:
    """Sound, but for these members of its scorer."""
    scorer = type("Broken", (Scorer,), members)
    return type("Sound", (Sound,), {"load": lambda self, device: scorer(self)})()


def test_what_is_sound_passes():
    assert failed(Sound()) == {}


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"title": " "}, "title is ' '"),
        ({"link": "javascript:alert(1)"}, "link is 'javascript:alert(1)'"),
        ({"needs": frozenset({"luck"})}, "needs names luck"),
        ({"outputs": ()}, "outputs is ()"),
        ({"outputs": Sound.outputs * 2}, "the key letters is there twice"),
        (
            {"outputs": (Output("letters", "Letters", "", True),)},
            "letters has no title or no unit",
        ),
    ],
)
def test_facts_that_are_missing_are_named(facts, problem):
    assert problem in failed(type("Sound", (Sound,), facts)()).values()


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ([("colour", str, "red")], "colour has no help"),
        ([("device", str, _base.option("a", "b"))], "a --device of its own"),
        ([("list", tuple, _base.option((), "b"))], "list is neither bool, int"),
        ([("a", str, _base.option("x", "b", ("y",)))], "is none of its choices"),
    ],
)
def test_options_that_no_form_can_show_are_named(fields, problem):
    kind = dataclasses.make_dataclass("Options", fields, frozen=True)
    found = failed(type("Sound", (Sound,), {"Options": kind})())
    assert problem in found["its options are described"]


CASES = {
    "its scores match its outputs": [
        (
            {"give": lambda self, values: _base.Scores({}, {})},
            "the outputs announced are letters; returned were none",
        ),
        (
            {"give": lambda self, v: Scorer.give(self, v.astype("float32"))},
            "letters is float32, not float64",
        ),
        (
            {"give": lambda self, v: _base.Scores({"letters": v}, {})},
            "letters has 0 reasons for 5 texts",
        ),
        ({"value": lambda self, e: np.inf}, "letters of text 1 is inf"),
        (
            {"give": lambda self, v: Scorer.give(self, v)._replace(notes=(3,))},
            "notes are (3,)",
        ),
    ],
    "ordinary texts have scores": [
        ({"value": lambda self, e: np.nan}, "all are undefined: empty"),
    ],
    "scores are the same twice": [
        (
            {"value": lambda self, e: self.__dict__.update(seen=self.seen + 1)
             or float(self.seen)},
            "letters of text 1 is 1 the first time, 6 the second time",
        ),
    ],
    "scores are the same for one text alone": [
        (
            {"give": lambda self, v: Scorer.give(self, v - v.mean() if len(v) else v)},
            "among others, 0 alone",
        ),
    ],
    "scores are the same in another order": [
        (
            {"give": lambda self, v: Scorer.give(self, np.sort(v))},
            "in one order",
        ),
    ],
    "no text at all gives no score": [
        (
            {"__call__": lambda self, examples, progress=None:
             Scorer.__call__(self, [examples[0], *examples[1:]], progress)},
            "IndexError",
        ),
    ],
    "odd and incomplete texts give a number or a reason": [
        (
            {"value": lambda self, e: 1 / len(e.text.split())},
            "an empty text: ZeroDivisionError: division by zero",
        ),
        (
            {"value": lambda self, e: float(e.text.index(e.prefix))},
            "a prefix that it does not begin with: ValueError",
        ),
        (
            {"value": lambda self, e: float(len(e.references[0]))},
            "nothing but the text: IndexError",
        ),
        (
            {"value": lambda self, e: np.nan if "a" * 9 in e.text else 1.0,
             "give": lambda self, v: _base.Scores(
                 {"letters": v}, {"letters": [None] * len(v)})},
            "10,000 letters without a space: letters of text 1 is NaN without a reason",
        ),
    ],
    "odd neighbours change no score": [
        (
            {"give": lambda self, v: Scorer.give(
                self, np.full_like(v, 1.0 if len(v) < 9 else 2.0))},
            "letters of text 1 is 1 alone, 2 among odd texts",
        ),
    ],
    "progress adds up to the texts": [
        (
            {"__call__": lambda self, examples, progress=None:
             Scorer.__call__(self, examples)},
            "0 reported for 5 texts",
        ),
    ],
    "its input stays as it was": [
        (
            {"__call__": lambda self, examples, progress=None:
             Scorer.__call__(self, examples, progress)
             if not examples.sort(key=str) else None},
            "the list of texts was changed",
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("what", "members", "problem"),
    [(what, *case) for what, cases in CASES.items() for case in cases],
)
def test_a_scorer_that_breaks_the_contract_is_told_how(what, members, problem):
    assert problem in failed(broken(**members)).get(what, "nothing")


def test_a_path_in_the_signature_is_found(tmp_path):
    fields = [("model", str, _base.option("", "m", path="model"))]
    kind = dataclasses.make_dataclass("Options", fields, frozen=True)
    metric = type("Sound", (Sound,), {"Options": kind})
    metric.load = lambda self, device: Counting(self)

    class Counting(Scorer):
        def __init__(self, metric):
            self.signature, self.weight = metric.signature(), 1.0

    what = "its signature holds no path"
    assert failed(metric(model=str(tmp_path)))[what] == f"it holds model:{tmp_path}"
    by_name = failed(metric(model="org/model"))[what]
    assert by_name == "it holds model by its name, org/model"
    assert what not in failed(metric())


@pytest.mark.parametrize(
    ("prompt", "problem"),
    [
        ("{0.text} {0.label} {0.prefix} {0.source}", None),
        (
            "{0.text} {0.prefix} {0.source}",
            "two texts with different label get the same prompt",
        ),
    ],
)
def test_who_asks_in_words_shows_what_a_text_was_written_for(prompt, problem):
    asks = {"prompts": lambda self, example: {"words": prompt.format(example)}}
    asking = type("Asking", (Sound,), asks)()
    found = facts.shows_what_a_text_was_written_for(asking)
    assert (found or "").startswith(problem or "") and bool(found) == bool(problem)


def test_two_ways_to_ask_for_the_same_numbers_may_share_a_signature():
    def forget(self, metric):
        Scorer.__init__(self, metric)
        self.signature, self.weight = f"{metric.name()}|v:1", 1.0

    assert failed(broken(__init__=forget)) == {}


def test_an_option_that_the_signature_forgets_is_found():
    def forget(self, metric):
        Scorer.__init__(self, metric)
        self.signature = f"{metric.name()}|v:1"

    found = failed(broken(__init__=forget))
    what = "its signature changes with its options"
    assert found == {what: "weight=0.5 gives other scores under the same signature"}


@pytest.mark.parametrize(("n", "fine"), [(2, True), (1, False)])
def test_parts_need_as_many_explanations(n, fine):
    def give(self, values):
        parts = {"letters.s": np.array([[1.0, 2.0, np.nan]] * len(values))}
        return Scorer.give(self, values)._replace(parts=parts)

    metric = broken(give=give)
    evaluators = [Evaluator("source", "target")] * n
    type(metric).explain = lambda self, example: {"letters": evaluators}
    problem = f"letters of text 1 has 2 parts, {n} are explained"
    assert [problem] * (not fine) == list(failed(metric).values())


class Crowd(SystemMetric):
    """How many texts there are."""

    title = source = "Crowd"
    outputs = (Output("texts", "Texts", "texts, [0, inf)", None),)

    def score(self, texts, corpus, rng):
        return {"texts": float(len(texts))}


@pytest.mark.parametrize(
    ("score", "what", "problem"),
    [
        (
            lambda self, texts, corpus, rng: {"texts": np.random.rand()},
            "scores are the same twice with one seed",
            "and the second time",
        ),
        (
            lambda self, texts, corpus, rng: {"texts": float(len((*texts, "")[0]))},
            "scores are the same in another order of the texts",
            "and in another order",
        ),
        (
            lambda self, texts, corpus, rng: {"texts": len(texts[0])},
            "no text, one text and odd texts give a number or None",
            "no text: IndexError",
        ),
        (
            lambda self, texts, corpus, rng: {"texts": len(corpus[0])},
            "it handles a missing corpus",
            "IndexError",
        ),
        (
            lambda self, texts, corpus, rng: {"texts": np.inf},
            "its scores match its outputs",
            "texts is [inf]",
        ),
    ],
)
def test_a_metric_of_systems_that_breaks_the_contract_is_told_how(score, what, problem):
    assert failed(Crowd()) == {}
    broken = type("Crowd", (Crowd,), {"score": score})()
    assert problem in failed(broken)[what]
