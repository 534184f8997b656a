"""Folders of data sets of any make: which files are a table."""

from __future__ import annotations

import io
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import call_command

from annotation.imports import UploadError
from annotation.models import Study
from scoring.publishing import hub_folders

ROWS = "text,system,Q1\nA ferry left.,small,4\nNobody came.,large,2\n"
CARD = """---
configs:
- config_name: raw
  data_files: raw.csv
- config_name: rated
  default: true
  data_files:
  - split: train
    path: data/train-*.csv
---
# Card
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for shard in range(2):
        text = ROWS.replace("left", f"left {shard}").replace("came", f"came {shard}")
        (tmp_path / f"data/train-{shard}.csv").write_text(text)
    (tmp_path / "raw.csv").write_text(ROWS)
    return tmp_path


def names(found: list[Path]) -> list[str]:
    return [one.name for one in found]


def test_the_default_table_of_the_card_is_taken(home) -> None:
    (home / "README.md").write_text(CARD)
    assert names(hub_folders.files(home)) == ["train-0.csv", "train-1.csv"]
    assert names(hub_folders.files(home, "raw")) == ["raw.csv"]


def test_an_unknown_table_is_refused_with_those_that_there_are(home) -> None:
    (home / "README.md").write_text(CARD)
    with pytest.raises(UploadError, match="there are rated, raw"):
        hub_folders.files(home, "cooked")


def test_without_a_card_all_files_of_one_kind_are_the_table(home) -> None:
    (home / "notes.txt").write_text("hello")
    assert len(hub_folders.files(home)) == 3


@pytest.mark.parametrize("pattern", ["../x.csv", "/etc/x.csv"])
def test_a_card_does_not_lead_out_of_the_folder(home, pattern) -> None:
    (home / "README.md").write_text(CARD.replace("data/train-*.csv", pattern))
    with pytest.raises(UploadError, match="leads out of the folder"):
        hub_folders.files(home)


def test_a_link_does_not_lead_out_of_the_folder(home, tmp_path_factory) -> None:
    other = tmp_path_factory.mktemp("other") / "secret.csv"
    other.write_text(ROWS)
    (home / "secret.csv").symlink_to(other)
    assert "secret.csv" not in names(hub_folders.files(home))


def test_shards_are_packed_into_one_file(home) -> None:
    (home / "README.md").write_text(CARD)
    with hub_folders.opened(home) as file:
        held = ZipFile(io.BytesIO(file.read())).namelist()
    assert held == ["data/train-0.csv", "data/train-1.csv"]


def test_a_folder_without_a_table_is_refused(tmp_path) -> None:
    with pytest.raises(UploadError, match="has no table"):
        hub_folders.files(tmp_path)


def test_a_folder_is_imported_with_a_mapping(home, db) -> None:
    (home / "README.md").write_text(CARD)
    call_command(
        *("import_study", "hub", str(home), "--format", "dataset"),
        *("--map", "rating:fluency=Q1"),
        stdout=io.StringIO(),
    )
    study = Study.objects.get(name="hub")
    assert study.generations.count() == 4
    assert list(study.aspects.values_list("key", flat=True)) == ["fluency"]
