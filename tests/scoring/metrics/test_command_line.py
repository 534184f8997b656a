import io
import json
import re
import subprocess
import sys

import pytest

from scoring.metrics import OptionError, get, names
from scoring.metrics import __main__ as command_line
from scoring.metrics._engine.arguments import made


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process: status, output, errors."""

    def run(*arguments, lines=()):
        content = b"".join(
            line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
            for line in lines
        )
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        status = command_line.main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.mark.slow
def test_it_works_without_django():
    code = (
        "import sys; from scoring.metrics.__main__ import main\n"
        "main(['length']); assert 'django' not in sys.modules"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        input='{"text": "Two words."}\n',
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == {"words": 2, "characters": 10, "sentences": 1}
    assert found.stderr.startswith("signature: length|splitter:")


def test_without_a_name_it_lists_the_metrics(run):
    status, out, _ = run()
    assert status == 0 and re.search(r"^ctrleval +CTRLEval$", out, re.MULTILINE)


def test_it_scores_line_by_line(run, pegasus, iwf):
    status, out, err = run(
        *("ctrleval", "--model", pegasus, "--iwf", iwf, "--device", "cpu"),
        lines=[
            {"id": 7, "text": "the ferry left", "prefix": "the", "label": "positive"},
            b"\n",
            {"text": "the ferry left", "prefix": "a", "label": "negative"},
        ],
    )
    first, second = map(json.loads, out.splitlines())
    assert status == 0 and "\nsignature: ctrleval|" in f"\n{err}"
    assert first["id"] == 7 and first["consistency"] < 0 and "reasons" not in first
    assert second["consistency"] is None
    assert second["reasons"] == {
        "consistency": "the text does not start with its prefix"
    }


def test_it_scores_each_system_as_a_whole(run):
    rows = [
        {"text": "a b", "system": "x"},
        {"text": "a", "system": "y"},
        {"text": "a b", "system": "x"},
    ]
    _, out, _ = run("corpus_distinct", lines=rows)
    found = [json.loads(line) for line in out.splitlines()]
    assert [(one["system"], one["texts"], one["distinct_1"]) for one in found] == [
        ("x", 2, 0.5),
        ("y", 1, 1.0),
    ]


def test_a_corpus_tells_probabilities_under_each_system(run, tmp_path):
    corpus = tmp_path / "people.jsonl"
    rows = [{"text": text, "log_probability:x": -4} for text in ("a b", "c")]
    corpus.write_text("\n".join(map(json.dumps, rows)))
    _, out, _ = run(
        *("string_divergence", "--estimator", "monte_carlo", "--corpus", corpus),
        lines=[{"text": "a", "system": "x"}],
    )
    assert json.loads(out)["cross_entropy"] == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{text}\n", "line 2: not JSON: "),
        (b'"text"\n', 'line 2: expected an object like {"text": ...}'),
        (b'{"text": "\xff"}\n', "line 2: not UTF-8"),
        ({"prefix": "a"}, 'line 2: there is no "text"'),
        ({"text": 3}, 'line 2: "text" must be a string'),
        ({"text": "", "sentences": "a"}, 'line 2: "sentences" must be a list of str'),
    ],
)
def test_a_bad_line_is_named(run, line, message):
    status, out, err = run("length", lines=[{"text": "fine"}, line])
    assert (status, out) == (2, "") and err.startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bleurgh"], "no metric 'bleurgh'; there are: "),
        (["repetition", "--window", "x"], "window=x: expected a whole number"),
        (["repetition", "--window", "0"], "window=0: expected 1 or more"),
        (["ctrleval", "--evaluators", "x"], "evaluators=x: expected one of auto, "),
        (["perplexity", "--model", "/nowhere"], "there is no model folder /nowhere"),
        (["corpus_distinct", "--corpus", "/nowhere"], "cannot read /nowhere"),
    ],
)
def test_an_error_is_one_sentence(run, arguments, message):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "") and err.startswith(message)
    assert err.count("\n") == 1


def test_no_metric_has_the_name_of_a_command():
    assert not {*command_line.COMMANDS} & {*names()}


class TestTextsFromFiles:
    def given(self, value):
        return made(get("llm_judge"), {"model": "x", "steps": value}).options.steps

    def test_an_option_that_is_a_text_may_be_a_file(self, tmp_path):
        file = tmp_path / "steps.txt"
        file.write_text("1. Read.\n2. Judge.\n")
        assert self.given(f"@{file}") == "1. Read.\n2. Judge."
        assert self.given("1. Look.") == "1. Look."

    def test_one_that_is_not_there_is_told(self, tmp_path):
        with pytest.raises(OptionError, match="No such file"):
            self.given(f"@{tmp_path / 'none'}")
