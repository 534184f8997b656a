"""The reproduction bundle: what is in it, and that a bare interpreter agrees."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from annotation.models import Annotation
from scoring import analyses
from scoring.models import Analysis
from scoring.replication import writing
from scoring.results import study_arrays
from scoring.stats import folder
from tests.annotation.seating import hand_in, lay_out, sit
from tests.scoring import analysed
from tests.support.scored import COHERENCE, ZIPF, rate, score, score_systems

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
# Runs a script as a machine would that has few packages, and no Django.
BARE = """
import runpy, sys
BLOCKED = "django celery torch pandas krippendorff evalapp ALSO".split()
class Blocked:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in BLOCKED:
            raise ImportError(f"a bare machine has no {name}")
sys.meta_path.insert(0, Blocked())
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
finally:
    import scoring.stats
    print("from", scoring.stats.__file__)
"""


@pytest.fixture
def study(make_study):
    study = make_study(contact="ada@example.org", aspects=("coherence", "relevance"))
    lay_out(study)
    hand_in(sit(study, "AMZN-1"))
    hand_in(sit(study, "AMZN-2"))
    rate(study, "coherence", [[n % 5 + 1, 3] for n in range(8)])
    score(study, COHERENCE, [None, *(n / 7 for n in range(7))])
    score_systems(study, ZIPF, {"a": [0.5, 0.7], "b": None}, metric="zipf")
    return study


@pytest.fixture
def one_analysis(monkeypatch):
    """Where it does not matter which analyses there are."""
    monkeypatch.setattr(analyses, "names", lambda: ("correlations",))


def unzipped(study, path: Path) -> Path:
    writing.write(study=study, path=path / "x.zip", now=NOON)
    ZipFile(path / "x.zip").extractall(path / "x")
    return path / "x"


def recompute(bundle: Path, without: str = "plotly tabulate") -> tuple[int, str]:
    """As with numpy and scipy alone: tables are left out."""
    bare = BARE.replace("ALSO", without)
    command = [sys.executable, "-I", "-c", bare, str(bundle / "recompute.py")]
    run = subprocess.run(command, cwd=bundle, capture_output=True, text=True)
    assert f"from {bundle}" in run.stdout, run.stderr
    return run.returncode, run.stdout


def a_cell(result: Any) -> dict[str, Any]:
    """The first number of a result."""
    parts = result.values() if isinstance(result, dict) else result
    if isinstance(result, dict) and isinstance(result.get("value"), float):
        return result
    inner = (a_cell(part) for part in parts if isinstance(part, (dict, list)))
    return next(filter(None, inner), {})


@pytest.mark.slow
def test_a_bare_interpreter_computes_the_same_numbers(study, tmp_path) -> None:
    analysed.computed(study, "correlations", primary="kendall")
    bundle = unzipped(study, tmp_path)
    status, said = recompute(bundle)
    assert status == 0, said
    # Alpha comes from other sums than the app's, which differ in their last digit.
    assert "\n0 values differ. The largest difference is" in said
    assert [line for line in said.splitlines() if line.endswith("difference 0")]
    for name in analyses.names():
        assert f"{name}-" in said
    assert said.count("correlations-") == 2  # the usual options, and those chosen


@pytest.fixture
def named(study):
    """Ratings from a file say who gave them, and so do votes."""
    for number, one in enumerate(Annotation.objects.filter(seat=None)):
        Annotation.objects.filter(pk=one.pk).update(rater=f"A2{number % 2}AMAZON")
    systems = list(study.systems.all()[:2])
    study.votes.create(
        imported=study.imports.first(),
        pair="1",
        first=systems[0],
        second=systems[1],
        rater="A2XAMAZON",
        outcome=1,
    )
    return study


def cells(thing: Any) -> list[Any]:
    """The numbers of a result in order."""
    if isinstance(thing, dict) and "value" in thing:
        return [thing["value"], thing.get("low")]
    parts = [thing[key] for key in sorted(thing)] if isinstance(thing, dict) else thing
    if isinstance(thing, (dict, list)):
        return [value for part in parts for value in cells(part)]
    return []


@pytest.mark.slow
def test_names_from_files_are_codes_and_the_numbers_those_of_the_page(
    named, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(analyses, "names", lambda: ("agreement",))
    page = analysed.computed(named, "agreement")
    assert "A20AMAZON" in json.dumps(page)
    bundle = unzipped(named, tmp_path)
    for file in bundle.rglob("*"):
        assert file.is_dir() or b"AMAZON" not in file.read_bytes(), file
    (kept,) = (bundle / "results").iterdir()
    result = json.loads(kept.read_text())
    assert cells(result) == cells(json.loads(json.dumps(page)))
    rows = (bundle / "annotations.jsonl").read_text().splitlines()
    raters = {json.loads(row)["rater"] for row in rows}
    assert raters == {"r1", "r2", "r4", "r5"}  # r3 has voted only
    assert recompute(bundle)[0] == 0


@pytest.mark.slow
def test_without_django_every_table_is_made_again(study, tmp_path) -> None:
    bundle = unzipped(study, tmp_path)
    status, said = recompute(bundle, without="")
    assert status == 0, said
    n_tables = len(list((bundle / "tables").iterdir()))
    assert f"\n{n_tables} tables are compared, cell by cell." in said


@pytest.mark.slow
@pytest.mark.usefixtures("one_analysis")
def test_without_the_packages_for_tables_the_script_says_so(study, tmp_path) -> None:
    status, said = recompute(unzipped(study, tmp_path))
    assert status == 0
    assert "Tables are not compared: a bare machine has no" in said


@pytest.mark.usefixtures("one_analysis")
class TestTamperedTables:
    def changed(self, study, path: Path, old: str, new: str) -> tuple[int, str]:
        """What the script says once a cell is another one."""
        bundle = unzipped(study, path)
        (table,) = (bundle / "tables").glob("*-correlations.csv")
        text = table.read_bytes().decode()
        assert old in text
        table.write_bytes(text.replace(old, new, 1).encode())
        return recompute(bundle, without="")

    @pytest.mark.slow
    def test_another_word_is_found(self, study, tmp_path) -> None:
        status, said = self.changed(study, tmp_path, "exploratory", "planned")
        assert (status, said.count("  differs: ")) == (1, 1)

    @pytest.mark.slow
    def test_a_table_that_is_missing_is_found(self, study, tmp_path) -> None:
        bundle = unzipped(study, tmp_path)
        next((bundle / "tables").iterdir()).unlink()
        assert recompute(bundle, without="")[0] == 1


@pytest.mark.usefixtures("one_analysis")
class TestTampering:
    @pytest.mark.slow
    def test_another_rating_is_found(self, study, tmp_path) -> None:
        bundle = unzipped(study, tmp_path)
        file = bundle / "data" / "ratings.csv"
        lines = file.read_text().splitlines()
        cells = lines[1].split(",")
        cells[3] = "1" if cells[3] != "1" else "5"
        file.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]))
        status, said = recompute(bundle)
        assert status == 1
        assert said.count("  differs: ") > 1

    @pytest.mark.slow
    def test_another_result_is_found(self, study, tmp_path) -> None:
        bundle = unzipped(study, tmp_path)
        (file,) = (bundle / "results").iterdir()
        result = json.loads(file.read_text())
        a_cell(result)["value"] += 1e-11
        file.write_text(json.dumps(result))
        status, said = recompute(bundle)
        assert (status, said.count("  differs: ")) == (1, 1)


@pytest.mark.usefixtures("one_analysis")
class TestContents:
    def test_results_of_older_data_are_computed_anew(self, study, tmp_path) -> None:
        old = analysed.computed(study, "correlations")
        rate(study, "coherence", [[1]] * 8)
        (file,) = (unzipped(study, tmp_path) / "results").iterdir()
        assert json.loads(file.read_text())["made_of"]["data"] != old["made_of"]["data"]

    def test_results_of_these_data_are_taken_over(self, study, tmp_path) -> None:
        analysed.computed(study, "correlations")
        row = Analysis.objects.get()
        row.result["said"] = "by a worker"
        row.save()
        (file,) = (unzipped(study, tmp_path) / "results").iterdir()
        assert json.loads(file.read_text())["said"] == "by a worker"

    def test_the_data_are_those_of_the_study(self, study, tmp_path) -> None:
        found = folder.read(unzipped(study, tmp_path) / "data")
        assert found.digest() == study_arrays.load(study=study).digest()
        assert len(found.ratings) == Annotation.objects.exclude(generation=None).count()

    def test_no_file_leads_to_a_person(self, study, tmp_path, alice) -> None:
        bundle = unzipped(study, tmp_path)
        for file in (f for f in bundle.rglob("*") if f.is_file()):
            content = file.read_bytes()
            secrets = (study.contact, "AMZN-1", study.public_id, study.completion_code)
            assert not [s for s in secrets if str(s).encode() in content], file
        assert '"alice"' not in (bundle / "design.json").read_text()

    def test_raters_have_one_name_in_all_files(self, study, tmp_path) -> None:
        bundle = unzipped(study, tmp_path)
        lines = (bundle / "annotations.jsonl").read_text().splitlines()
        named = {json.loads(line)["rater"] for line in lines} - {""}
        assert named == set(folder.read(bundle / "data").ratings.rater) - {""}

    def test_the_design_has_questions_and_quality_control(
        self, study, tmp_path
    ) -> None:
        design = json.loads((unzipped(study, tmp_path) / "design.json").read_text())
        assert design["aspects"][0]["question"] == "How good is the coherence?"
        assert design["policies"][0]["rule"] == "above_all"
        assert design["study"]["seed"] == 7
        assert design["plan"] is None

    def test_simulated_ratings_are_called_so(self, study, tmp_path) -> None:
        study.simulated = True
        study.save()
        bundle = unzipped(study, tmp_path)
        assert "ratings are simulated" in (bundle / "README.md").read_text()
        (table,) = (bundle / "tables").glob("*-correlations.csv")
        assert table.read_text().splitlines()[1].endswith(",simulated")

    def test_a_file_is_there_as_a_whole_or_not_at_all(
        self, study, tmp_path, monkeypatch
    ) -> None:
        monkeypatch.setattr(writing, "_readme", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            writing.write(study=study, path=tmp_path / "x.zip", now=NOON)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "needs", [n for k in (0, 1, 2, 6) for n in itertools.combinations(folder.PARTS, k)]
)
def test_a_part_of_the_data_is_what_would_be_read_alone(study, needs) -> None:
    """Or else results that pages keep would never be those of the bundle's data."""
    whole = study_arrays.load(study=study)
    alone = study_arrays.load(study=study, needs=needs)
    assert folder.part(whole, needs).digest() == alone.digest()


@pytest.mark.slow
def test_a_study_without_texts_has_a_bundle_too(make_study, tmp_path) -> None:
    study = make_study(prompts=0, systems=())
    assert recompute(unzipped(study, tmp_path))[0] == 0
