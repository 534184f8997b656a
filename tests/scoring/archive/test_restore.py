"""A data set comes back as a study with the same numbers, or is refused as a whole."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from annotation.imports import UploadError
from annotation.models import Annotation, Seat, Study
from scoring import analyses
from scoring.archive import permission, restore
from scoring.archive.parquet import Mismatch
from scoring.archive.restore import metric_marks
from scoring.archive.restore.folder import LONGEST_TEXT
from scoring.models import MetricRun, Signature
from scoring.publishing import public, writing
from scoring.results import study_arrays
from tests.annotation.seating import hand_in, lay_out, sit
from tests.evalapp.cage import reading
from tests.support.scored import COHERENCE, ZIPF, give_means, rate, score, score_systems

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NAMES = {"id", "signature", "signature_id", "made_of", "worker"}


@pytest.fixture(autouse=True)
def _read_here(monkeypatch, request) -> None:
    """Most tests read fifteen tables, for each of which a child would start."""
    if "caged" not in request.fixturenames:
        monkeypatch.setattr("evalapp.cage.pieces", reading.pieces)


@pytest.fixture
def caged() -> None:
    """Of a test: its tables are read by child processes."""


@pytest.fixture
def study(make_study, settings, tmp_path):
    """Rated here and from a file, by careful and careless people, with scores."""
    settings.DATA_DIR = tmp_path / "data"
    study = make_study(simulated=True, prompts=3, aspects=("coherence", "relevance"))
    lay_out(study)
    for number in range(5):
        hand_in(sit(study, f"w{number}"), careful=number != 2)
    rate(study, "coherence", [[n % 5 + 1, 3] for n in range(8)])
    give_means(study, "relevance", [n / 3 for n in range(4)])
    score(study, COHERENCE, [None, *(n / 7 for n in range(11))])
    score_systems(study, ZIPF, {"a": [0.5, 0.7], "b": None}, metric="zipf")
    text = study.generations.first()
    mark = [2, 5, "", "minor", "text", text.text[2:5]]
    lost = [["absent", "nowhere"]]
    text.metric_readings.create(metric="xCOMET", marks=[mark], unplaced=lost)
    text = study.generations.last()
    text.excluded_at, text.excluded_reason = NOON, "It names someone."
    text.save()
    first, second = study.systems.all()[:2]
    study.votes.create(
        imported=study.imports.first(),
        pair="1",
        first=first,
        second=second,
        rater="ann",
        outcome=1,
    )
    return study


@pytest.fixture
def home(study, tmp_path, monkeypatch) -> Path:
    with monkeypatch.context() as changed:
        changed.setattr(analyses, "names", lambda: ("agreement",))
        writing.write(study=study, path=tmp_path / "out", now=NOON)
    return tmp_path / "out"


def restored(home: Path) -> Study:
    return restore.restore(name="again", path=home, owner=None, now=NOON)


def numbers(thing: Any, at: str = "") -> dict[str, Any]:
    """Each number of a result by its place."""
    if isinstance(thing, dict):
        parts = {k: v for k, v in thing.items() if k not in NAMES}.items()
    elif isinstance(thing, list):
        parts = enumerate(thing)
    else:
        return {at: thing} if isinstance(thing, (int, float)) else {}
    return {k: v for key, one in parts for k, v in numbers(one, f"{at}/{key}").items()}


def of(data: Any, name: str) -> dict[str, Any]:
    result = analyses.run(name, data, analyses.options(name, {}))
    return numbers(json.loads(json.dumps(result)))


@pytest.mark.parametrize("name", analyses.names())
def test_every_analysis_gives_the_same_numbers(study, home, name) -> None:
    before = of(study_arrays.load(study=study), name)
    after = of(study_arrays.load(study=restored(home)), name)
    assert after.keys() == before.keys()
    assert after == pytest.approx(before, rel=1e-12, abs=1e-12)


def test_without_consent_numbers_that_rest_on_means_are_the_same(
    study, tmp_path, monkeypatch
) -> None:
    study.simulated = False
    study.save()
    monkeypatch.setattr(analyses, "names", lambda: ("agreement", "correlations"))
    writing.write(study=study, path=tmp_path / "means", now=NOON)
    before = public.without_single(study_arrays.load(study=study))
    after = study_arrays.load(study=restored(tmp_path / "means"))
    assert of(after, "correlations") == pytest.approx(
        of(before, "correlations"), rel=1e-12, abs=1e-12
    )
    assert len(after.ratings) == 0


def test_pages_come_back_with_their_fate(study, home) -> None:
    found = restored(home)
    states = [
        sorted(Seat.objects.filter(survey__study=one).values_list("state", flat=True))
        for one in (study, found)
    ]
    assert states[0] == states[1]
    assert found.state == Study.State.CLOSED
    assert not Annotation.objects.filter(
        seat__survey__study=found, seat__worker__external_id__startswith="w"
    ).exists()


def test_scores_never_pass_for_scores_that_were_computed_here(study, home) -> None:
    found = restored(home)
    run = MetricRun.objects.get(study=found, metric="judge")
    assert "|file:sha256:" in run.signature.text
    assert "not computed here" in run.notes[0]
    assert Signature.objects.filter(text="judge|v:1").count() == 1


def test_marks_of_a_metric_come_back(study, home) -> None:
    (before,), (after,) = (
        of_study.generations.filter(metric_readings__isnull=False).values_list(
            *("key", "metric_readings__metric", "metric_readings__marks"),
            "metric_readings__unplaced",
        )
        for of_study in (study, restored(home))
    )
    assert before == after and len(before[2]) == 1


@pytest.mark.parametrize(
    "marks",
    [
        "[",
        "{}",
        "[3]",
        '[[0, 1, "", "", "margin", ""]]',
        '[[2, 1, "", "", "text", ""]]',
    ],
)
def test_marks_that_are_none_are_refused(marks) -> None:
    with pytest.raises(Mismatch):
        metric_marks._list(marks, metric_marks._is_mark)


@pytest.mark.parametrize("errors", ['["absent"]', '[["absent"]]', '[["absent", 3]]'])
def test_errors_without_a_place_that_are_none_are_refused(errors) -> None:
    with pytest.raises(Mismatch):
        metric_marks._list(errors, metric_marks._is_unplaced)


def test_it_may_be_published_again(study, home) -> None:
    found = restored(home)
    found.simulated = False
    found.save()
    assert permission.of(study=found).level == "some"  # ratings came with a file, too
    permission.allow(
        study=found,
        digests=[one.digest for one in permission.consents(study=found)],
    )
    assert permission.of(study=found).level == "all"


@pytest.mark.slow
def test_the_command_makes_a_study_of_it(study, home, caged) -> None:
    out = io.StringIO()
    call_command("import_study", "again", str(home), format="dataset", stdout=out)
    assert "again: 12 texts" in out.getvalue()


def test_the_command_adds_it_to_no_study(study, home) -> None:
    with pytest.raises(CommandError, match="leave out --add"):
        call_command("import_study", "ferry", str(home), format="dataset", add=True)


class TestRefused:
    def changed(self, home: Path, table: str, **values: Any) -> None:
        """The first row of a table says something else."""
        path = home / f"data/{table}.parquet"
        before = parquet.read_table(path)
        rows = before.to_pylist()
        rows[0] |= values
        parquet.write_table(pa.Table.from_pylist(rows, schema=before.schema), path)

    @pytest.mark.parametrize(
        ("table", "values", "said"),
        [
            ("ratings", {"text": "nobody"}, "is not in this data set"),
            ("ratings", {"value": 101}, "is on no scale"),
            ("ratings", {"rater": "someone"}, "contradict each other"),
            ("ratings", {"position": 5000}, "no position on a page"),
            ("metric_scores", {"signature": "x"}, "not in the table of metrics"),
            ("metric_scores", {"value": float("inf")}, "is no score"),
            ("metrics", {"metric": "../x"}, "cannot be a name"),
            ("texts", {"text": "NUL \0"}, "a NUL character"),
            ("aspects", {"words": "[1]"}, "not a JSON object"),
            ("votes", {"outcome": "both"}, "not first, second or tie"),
            ("ratings", {"rater": None}, "row 1: rater is missing"),
            ("damaged_texts", {"hurts": [None]}, "row 1: hurts is missing"),
            ("texts", {"key": "1-a-1"}, "1-a-1"),
            ("human_scores", {}, ""),
        ],
    )
    def test_a_table_that_says_what_cannot_be(self, home, table, values, said):
        self.changed(home, table, **values)
        if not said:  # the file itself is fine
            assert restored(home)
            return
        with pytest.raises(UploadError, match=said):
            restored(home)
        assert not Study.objects.filter(name="again").exists()

    def test_a_table_with_other_columns(self, home):
        path = home / "data/ratings.parquet"
        parquet.write_table(parquet.read_table(path).drop(["page"]), path)
        with pytest.raises(UploadError, match="has other columns"):
            restored(home)

    def test_a_file_that_is_no_parquet(self, home):
        (home / "data/ratings.parquet").write_bytes(b"PAR1 and no more")
        with pytest.raises(UploadError, match="cannot be read as Parquet"):
            restored(home)

    @pytest.mark.parametrize("characters", [LONGEST_TEXT + 1, 5_000_000])
    def test_a_text_that_is_far_too_long(self, home, characters, caged):
        self.changed(home, "texts", text="a" * characters)
        with pytest.raises(UploadError, match="longer than"):
            restored(home)

    def test_more_rows_than_a_study_may_have(self, home, monkeypatch):
        monkeypatch.setattr(restore, "_most_rows", lambda: 11)
        with pytest.raises(UploadError, match="cannot be read as Parquet: .* rows"):
            restored(home)

    def test_one_of_a_later_program(self, home):
        mark = json.loads((home / "evalapp.json").read_text()) | {"version": 99}
        (home / "evalapp.json").write_text(json.dumps(mark))
        with pytest.raises(UploadError, match="from a later EvalApp"):
            restored(home)

    def test_what_is_said_twice(self, home):
        means = home / "data/means.parquet"
        before = parquet.read_table(means)
        parquet.write_table(pa.concat_tables([before, before]), means)
        with pytest.raises(UploadError, match="says something twice"):
            restored(home)

    def test_a_kind_of_page_that_does_not_exist(self, home):
        path = home / "replication/design.json"
        design = json.loads(path.read_text())
        design["study"]["page_kinds"] = ["quiz"]
        path.write_text(json.dumps(design))
        with pytest.raises(UploadError, match="a kind of page that does not exist"):
            restored(home)

    def test_a_name_that_is_taken(self, home):
        with pytest.raises(UploadError, match="already used"):
            restore.restore(name="ferry", path=home, owner=None, now=NOON)


def test_texts_of_systems_that_gave_no_output_come_back(
    make_study, settings, tmp_path, monkeypatch
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    study = make_study(simulated=True)
    first = study.generations.first()
    facts = {"excluded_at": NOON, "excluded_reason": "no output"}
    study.generations.filter(pk=first.pk).update(text="", **facts)
    monkeypatch.setattr(analyses, "names", lambda: ("agreement",))
    writing.write(study=study, path=tmp_path / "out", now=NOON)
    again = restored(tmp_path / "out")
    found = again.generations.without_words().get()
    assert (found.key, found.excluded_reason) == (first.key, "no output")
    assert again.generations.exclude(excluded_at=None).count() == 1
