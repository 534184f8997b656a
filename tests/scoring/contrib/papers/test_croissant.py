"""Croissant metadata: what each file and column is, and terms of responsible AI."""

from __future__ import annotations

import json

from annotation.archive.columns import DATASET
from scoring.archive.tables import BY_NAME
from scoring.contrib.papers import croissant
from tests.scoring.publishing.told import facts


def written(**changes: object) -> dict:
    return json.loads(croissant.write(facts(**changes), {"texts": "0" * 64}, "@misc{}"))


def test_it_conforms_to_both_vocabularies() -> None:
    assert written()["conformsTo"] == [
        "http://mlcommons.org/croissant/1.1",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]


def test_each_column_has_a_field_with_its_source() -> None:
    (record,) = written()["recordSet"]
    names = [one["source"]["extract"]["column"] for one in record["field"]]
    assert names == [one.name for one in BY_NAME["texts"].at(DATASET)]
    (file,) = written()["distribution"]
    assert (file["@id"], file["sha256"]) == ("data/texts.parquet", "0" * 64)


def test_it_says_how_people_were_asked() -> None:
    found = written()
    assert found["rai:dataAnnotationPlatform"] == ["Prolific", "EvalApp"]
    assert found["rai:dataCollectionTimeframe"] == ["2026-03-01", "2026-03-02"]
    assert "alpha: Coherence 0.500" in found["rai:dataAnnotationAnalysis"][0]


def test_without_an_address_none_is_made_up() -> None:
    assert "url" not in written()
