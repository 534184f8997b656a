"""Inverse word frequencies from texts of one's own."""

import json
import re

import numpy as np
import pytest

from scoring.metrics import __main__ as command
from scoring.metrics import get
from scoring.metrics._ctrleval import iwf as _iwf
from scoring.metrics._engine import backbones, models

TEXTS = ["the ferry left. the ferry was good.", "so good. so good."]
# Sentences with each word; the full stop is in all of the four.
COUNTS = {"the": 2, "ferry": 2, "left": 1, "was": 1, "good": 3, "so": 2, ".": 4}


@pytest.fixture
def made(pegasus, tmp_path):
    """Run the command on the lines of a file; its status and the table's path."""

    def make(content, name="texts.txt", model=pegasus, out="table.txt"):
        texts = tmp_path / name
        if content is not None:
            texts.write_bytes(content)
        arguments = ["--model", model, "--texts", texts, "--out", tmp_path / out]
        return command.main(["iwf", *map(str, arguments)]), tmp_path / out

    return make


def lines(texts) -> bytes:
    return "\n".join([*texts, ""]).encode()


def test_by_hand(pegasus):
    backbone = backbones.load(pegasus)
    found, n = _iwf.counted(backbone, TEXTS)
    iwf = _iwf.frequencies(found, n)
    ids = backbone.ids(COUNTS, end=False)
    assert n == 4 and iwf.shape == (backbone.vocabulary,)
    for word, count in COUNTS.items():
        assert iwf[ids[word][0]] == pytest.approx(np.log(5) / count)
    # What never occurs has the lowest weight.
    assert (iwf > 0).sum() == len(COUNTS)


def test_tokens_that_are_no_text_get_nothing(pegasus):
    found, _ = _iwf.counted(backbones.load(pegasus), ["nonsense </s> good."])
    assert (found[:4] == 0).all() and found.sum() == 2


def test_slabs_make_no_difference(pegasus, monkeypatch):
    backbone = backbones.load(pegasus)
    whole, _ = _iwf.counted(backbone, TEXTS * 3)
    monkeypatch.setattr(_iwf, "SLAB", 2)
    assert (_iwf.counted(backbone, iter(TEXTS * 3))[0] == whole).all()


class TestCommand:
    def test_the_metric_takes_what_it_writes(self, made, pegasus):
        status, table = made(lines(TEXTS))
        assert status == 0
        scorer = get("ctrleval")(model=str(pegasus), iwf=str(table)).load("cpu")
        found, n = _iwf.counted(backbones.load(pegasus), TEXTS)
        assert (scorer.iwf == _iwf.frequencies(found, n)).all()

    def test_it_says_what_the_table_was_made_of(self, made, pegasus):
        _, table = made(lines(TEXTS))
        facts = json.loads(table.with_suffix(".json").read_text())
        backbone = backbones.load(pegasus)
        assert facts["model"] == models.content_hash(pegasus)
        assert (facts["texts"], facts["sentences"]) == (2, 4)
        assert facts["tokens"] == backbone.vocabulary
        assert facts["tokens_never_seen"] == backbone.vocabulary - 4 - len(COUNTS)
        assert facts["splitter"].startswith("punkt-")
        assert str(table.parent) not in json.dumps(facts)

    def test_json_lines_give_the_same(self, made):
        _, plain = made(lines(TEXTS))
        objects = [json.dumps({"text": text, "label": "x"}) for text in TEXTS]
        _, objects = made(lines(objects), "texts.jsonl", out="other.txt")
        assert plain.read_text() == objects.read_text()

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"content": None}, "cannot read .*texts.txt: No such file"),
            ({"content": b"\n \n"}, "holds no sentence: expected one text per line"),
            ({"content": b"so good.\n\xff\n"}, "is not UTF-8"),
            ({"content": b"{}\n", "name": "a.jsonl"}, 'line 1: there is no "text"'),
            ({"content": b"so\n", "out": "table.json"}, "says what it was made of"),
            ({"content": b"so\n", "out": "no/table"}, "no folder .* to write into"),
            ({"content": b"so\n", "model": "/nowhere"}, "no model folder /nowhere"),
        ],
    )
    def test_what_goes_wrong_is_one_sentence(self, made, capsys, given, message):
        status, table = made(**given)
        told = capsys.readouterr().err
        assert status == 2 and told.count("\n") == 1 and not table.exists()
        assert re.search(message, told)

    def test_it_explains_itself(self, capsys):
        with pytest.raises(SystemExit):
            command.main(["iwf", "--help"])
        assert "one text\nper line" in capsys.readouterr().out
