"""Data as files: what is read is what was written, whatever is in it."""

from __future__ import annotations

import dataclasses
import itertools
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import folder
from scoring.stats.columns import numbers
from scoring.stats.data import NONE, Data, Evaluators, Output, column_type
from tests.scoring import made

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NASTY = st.sampled_from(
    ["=1+1", "-", "a,b", 'say "no"', "\n", "\r", "a\r\nb", "ü–語", ""]
)
STRINGS = NASTY | WORDS
FLOATS = st.floats(allow_nan=False) | st.just(np.nan)
VALUES = {
    "str": (STRINGS, np.str_),
    "int": (st.integers(-1, 2**53), np.int64),
    "float": (FLOATS, np.float64),
    "bool": (st.booleans(), np.bool_),
    "number": (st.integers(-1, 2**53) | st.floats(-1, 1e9), None),
}


def column(n: int, type: str) -> st.SearchStrategy[np.ndarray]:
    values, dtype = VALUES[type]
    drawn = st.lists(values, min_size=n, max_size=n)
    return drawn.map(lambda found: np.array(found, dtype) if dtype else numbers(found))


@st.composite
def tables(draw, name: str):
    kind, n = folder.TABLES[name], draw(st.integers(0, 3))
    columns = {
        f.name: draw(column(n, column_type(kind, f.name)))
        for f in dataclasses.fields(kind)
    }
    return kind(**columns)


@st.composite
def grids(draw, n: int) -> np.ndarray:
    m = draw(st.integers(0, 3))
    return draw(column(n * m, "float")).reshape(n, m)


@st.composite
def studies(draw) -> Data:
    """Any values at all, even where no study has such."""
    words = draw(st.lists(STRINGS, min_size=3, max_size=3))
    outputs = [made.output(word, variant=word, unit=word) for word in words]
    data = made.data(prompts=0, systems=2, negatives=False)
    found = {name: draw(tables(name)) for name in folder.TABLES}
    rows = [len(found[table]) for table in ("texts", "negatives", "texts", "votes")]
    seeds = draw(st.integers(0, 2))
    return dataclasses.replace(
        data,
        study=words[0],
        policy=words[1],
        simulated=draw(st.booleans()),
        aspects=[dataclasses.replace(data.aspects[0], title=words[2])],
        outputs=outputs,
        system_outputs=outputs[:1],
        **found,
        **{name: draw(grids(n)) for name, n in zip(folder.GRIDS, rows, strict=True)},
        system_seeds=draw(column(2 * seeds, "float")).reshape(2, 1, seeds),
        evaluators=[Evaluators(words[0], draw(grids(2)), draw(grids(2)))],
    )


def copied(data: Data, path: Path) -> Data:
    folder.write(data, path)
    return folder.read(path)


def test_a_folder_from_before_surface_was_kept_is_read(tmp_path) -> None:
    data = dataclasses.replace(made.data(), surface=np.empty((0, 0)))
    folder.write(data, tmp_path)
    (tmp_path / "surface.csv").unlink()
    facts = json.loads((tmp_path / "study.json").read_text())
    del facts["shapes"]["surface"]
    (tmp_path / "study.json").write_text(json.dumps(facts))
    assert folder.read(tmp_path).digest() == data.digest()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(studies())
def test_whatever_is_written_is_read_without_a_difference(data: Data) -> None:
    with tempfile.TemporaryDirectory() as path:
        assert copied(data, Path(path)).digest() == data.digest()


@pytest.mark.parametrize(
    "data",
    [
        made.data(votes=9),
        made.data(seeds=3),
        made.data(prompts=0),
        dataclasses.replace(made.data(), no_output=np.arange(18) % 5 == 0),
        made.data(aspects=(), raters=0),
        made.without_systems(made.data(systems=1, negatives=False)),
    ],
    ids=["a study", "seeds", "no text", "no output", "no aspect", "no system"],
)
def test_a_study_is_read_without_a_difference(data: Data, tmp_path) -> None:
    found = copied(data, tmp_path)
    assert found.digest() == data.digest()
    assert found.scale == data.scale
    assert all(type(one) is Output for one in found.outputs)


def test_every_part_of_the_data_is_written() -> None:
    known = {*folder.TABLES, *folder.GRIDS, *folder.OUTPUTS, *folder.FACTS}
    known |= set(folder.LATE_FACTS)
    parts = {field.name for field in dataclasses.fields(Data)}
    assert parts == known | {
        *("aspects", "systems", "evaluators", folder.SEEDS, *folder.MARKS),
        *folder.BESIDE,
    }
    assert parts >= set(itertools.chain.from_iterable(folder.PARTS.values()))


def test_every_column_has_the_type_that_it_says() -> None:
    data = made.data(votes=3)
    kinds = {"str": "U", "int": "i", "float": "f", "bool": "b", "number": "i"}
    for name, kind in folder.TABLES.items():
        for field in dataclasses.fields(kind):
            found = getattr(getattr(data, name), field.name).dtype.kind
            assert found == kinds[column_type(kind, field.name)], field


def test_another_number_in_a_file_is_another_digest(tmp_path) -> None:
    data = made.data()
    folder.write(data, tmp_path)
    file = tmp_path / "ratings.csv"
    head, first, rest = file.read_text().split("\n", 2)
    cells = first.split(",")
    cells[3] = str(6 - int(cells[3])) if cells[3] != "3" else "4"
    file.write_text("\n".join([head, ",".join(cells), rest]))
    assert folder.read(tmp_path).digest() != data.digest()


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("ratings.csv", "rater", "who", "ratings.csv: expected the columns"),
        ("ratings.csv", ",w0,", ",w0,x", "ratings.csv: could not convert"),
        ("means.csv", "n\r\n", "n\r\n1,2\r\n", "means.csv: "),
        ("scores.csv", "0-0-0,", "0-0-0,1,2,3,4,", "scores.csv: "),
    ],
)
def test_a_file_that_does_not_fit_is_named(tmp_path, file, old, new, said) -> None:
    folder.write(made.data(), tmp_path)
    text = (tmp_path / file).read_bytes().decode()
    assert old in text
    (tmp_path / file).write_bytes(text.replace(old, new, 1).encode())
    with pytest.raises(ValueError, match=said):
        folder.read(tmp_path)


def test_each_system_has_a_line_for_each_seed(tmp_path) -> None:
    folder.write(made.data(systems=2, seeds=2), tmp_path)
    head, *lines = (tmp_path / "system_scores.csv").read_text().splitlines()
    assert head == "system,seed,clusters:kl,zipf:zipf,zipf:zipf_closeness"
    assert [line.split(",")[:2] for line in lines] == [
        [system, seed] for system in ("s0", "s1") for seed in "01"
    ]


def test_what_stands_beside_numbers_of_systems_is_kept(tmp_path) -> None:
    data = made.data(systems=2, seeds=2)
    name = data.digest()
    rng = np.random.default_rng(0)
    beside = dataclasses.replace(
        data, system_beside=rng.random((2, 3, 3)), system_pairs=rng.random((2, 2, 3))
    )
    assert copied(beside, tmp_path / "one").digest() == beside.digest() != name
    assert copied(data, tmp_path / "other").digest() == name
    assert not (tmp_path / "other" / "system_beside.csv").exists()
    lines = (tmp_path / "one" / "system_beside.csv").read_text().splitlines()
    assert [line.split(",")[:2] for line in lines[:4]] == [
        ["system", "fact"],
        *(["s0", fact] for fact in ("spread", "chance", "p")),
    ]
    part = folder.part(beside, {"systems"})
    assert part.system_pairs.shape == (2, 2, 3)


def test_data_from_when_a_system_had_one_number_are_still_read(tmp_path) -> None:
    data = made.data(systems=2, seeds=1)
    folder.write(data, tmp_path)
    study = json.loads((tmp_path / "study.json").read_text())
    study["shapes"]["system_scores"] = study["shapes"].pop("system_seeds")[:2]
    (tmp_path / "study.json").write_text(json.dumps(study))
    head, *lines = (tmp_path / "system_scores.csv").read_text().splitlines()
    older = [
        head.replace("system,seed", "system"),
        *(s.replace(",0,", ",", 1) for s in lines),
    ]
    (tmp_path / "system_scores.csv").write_text("\n".join(older))
    assert folder.read(tmp_path).digest() == data.digest()


def test_a_formula_stays_as_it_is(tmp_path) -> None:
    data = made.data(prompts=1, systems=1)
    keys = np.array(["=HYPERLINK(1)"])
    data = dataclasses.replace(data, texts=dataclasses.replace(data.texts, key=keys))
    assert copied(data, tmp_path).texts.key.tolist() == ["=HYPERLINK(1)"]


class TestPart:
    def test_what_is_not_needed_is_empty(self) -> None:
        found = folder.part(made.data(votes=5), {"votes"})
        assert len(found.votes) == 5
        assert (len(found.ratings), found.outputs, found.scores.size) == (0, [], 0)
        assert len(found.texts) == 18

    def test_all_of_it_is_the_same(self) -> None:
        data = made.data(votes=5)
        assert folder.part(data, folder.PARTS).digest() == data.digest()

    def test_without_scores_negatives_have_none_either(self) -> None:
        found = folder.part(made.data(), {"negatives"})
        assert found.negative_scores.shape == (6, 0)
        assert (found.negatives.source != NONE).all()
