import json
import subprocess
import sys

import pytest

from annotation import sentences
from tests.support import shared
from tests.support.hostile import bounded, repeated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("One only", ["One only"]),
        ("Who is it? Nobody! I went.", ["Who is it?", "Nobody!", "I went."]),
        ("Dr. Watson met Mrs. Hudson.", ["Dr. Watson met Mrs. Hudson."]),
        ("It cost 3.5 dollars. Why?", ["It cost 3.5 dollars.", "Why?"]),
        ("He left the U.S. in Oct. 1950.", ["He left the U.S. in Oct. 1950."]),
        ('"Go." She went.', ['"Go."', "She went."]),
        ("The end of Rocky III. Then rain.", ["The end of Rocky III.", "Then rain."]),
    ],
)
def test_it_splits(text, expected):
    assert sentences.split(text) == expected


def test_nothing_but_white_space_is_lost():
    text = "One came.  Two went.\n\nDr. No stayed... Or did he?"
    assert "".join("".join(sentences.split(text)).split()) == "".join(text.split())


def test_it_agrees_with_the_published_punkt():
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    golden = shared.path("golden/ctrleval/senti_sentences_punkt.json").read_text()
    same = [
        sentences.split(line.split("\t")[2]) == expected
        for line, expected in zip(lines, json.loads(golden), strict=True)
    ]
    assert sum(same) >= 358 and len(same) == 360


def test_its_name_tells_program_and_parameters(monkeypatch, tmp_path):
    assert sentences.NAME.startswith("punkt-3.")
    (tmp_path / "sentences.json").write_text("{}")
    monkeypatch.setattr(
        "annotation.sentences.splitting.FILE", tmp_path / "sentences.json"
    )
    assert sentences.name() != sentences.NAME


def test_its_parameters_are_small_and_tell_where_they_come_from():
    assert sentences.FILE.stat().st_size < 300_000
    provenance = json.loads(sentences.FILE.read_text())["provenance"]
    assert {"nltk", "data", "made_on", "made_by"} <= set(provenance)


def test_importing_it_loads_no_language_toolkit():
    code = "import sys, annotation.sentences; assert 'nltk' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "pump", ["a", "a ", "A.", "a. ", '."', "...", "\n", "Mr. ", "。", "。」"]
)
def test_no_long_text_keeps_the_splitter_busy(pump):
    with bounded(20):
        sentences.split(repeated("", pump, "!"))
