"""Probes as sections of charts and tables."""

from __future__ import annotations

from scoring.contrib.probing import showing
from scoring.contrib.probing.protocols import DIVERGENCES


def row(key: str, n_ks: int) -> dict:
    cells = [
        {name: {"mean": float(k), "sd": None} for name in DIVERGENCES}
        for k in range(n_ks)
    ]
    return {"key": key, "title": key, "n": 120, "cells": cells}


def test_a_k_that_others_were_lowered_to_stands_once():
    clusters = [
        {"asked": 60, "used": 60},
        {"asked": 120, "used": 120},
        {"asked": 500, "used": 120},
    ]
    encoder = {
        **{"model": "x", "clusters": clusters, "n_reference": 120, "seeds": 1},
        "rows": [row("unmodified", 3), row("shuffled", 3)],
    }
    found = showing.sections("clusters", {"encoders": [encoder]})
    (table,) = found[0].tables.values()
    assert [line[1] for line in table.rows] == [60, 120, 60, 120]
    assert list(found[0].chart.data[0].x) == [60, 120]
    assert "K was lowered from 500 to 120" in found[-1].words


def test_ways_of_learning_have_one_order_whatever_a_database_made_of_it():
    cells = [{"asked": 5, "used": 5, "accuracy": {"mean": 0.5, "sd": None}}]
    attribute = {
        **{"name": "topic", "n": 9, "left_out": 0, "categories": 2, "n_train": 6},
        **{"n_test": 3, "column": False, "reason": "", "baseline": None},
        "ways": {"corpus": cells, "training": cells},
    }
    encoder = {
        **{"model": "x", "clusters": [5], "seeds": 1},
        "attributes": [attribute],
    }
    (section,) = showing.sections("attributes", {"encoders": [encoder]})
    (table,) = section.tables.values()
    ways = ["the training texts", "the other corpus"]
    assert [row[1] for row in table.rows] == ways
    assert [line.name for line in section.chart.data] == [
        f"learned on {w}" for w in ways
    ]
