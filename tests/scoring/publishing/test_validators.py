"""What the programs say that data sets are written for. They are no part of EvalApp."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoring import analyses
from scoring.publishing import writing
from tests.annotation.seating import hand_in, lay_out, sit
from tests.support.scored import COHERENCE, score

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def home(make_study, tmp_path, monkeypatch):
    monkeypatch.setattr(analyses, "names", lambda: ("agreement",))
    study = make_study(simulated=True)
    lay_out(study)
    hand_in(sit(study, "one"))
    score(study, COHERENCE, [n / 8 for n in range(8)])
    writing.write(study=study, path=tmp_path / "out", now=NOON)
    return tmp_path / "out"


def test_croissant_finds_no_fault_and_reads_each_row(home) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="needs mlcroissant")
    data = mlcroissant.Dataset(jsonld=str(home / "croissant.json"))
    assert not data.metadata.ctx.issues.errors
    assert len(list(data.records("texts"))) == 8


def test_hugging_face_loads_each_table(home, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    cache = str(tmp_path / "cache")
    names = datasets.get_dataset_config_names(str(home))
    assert {"texts", "ratings", "metric_scores"} <= set(names)
    for name in names:
        assert len(datasets.load_dataset(str(home), name, cache_dir=cache)["train"])
    assert len(datasets.load_dataset(str(home), cache_dir=cache)["train"]) == 8
