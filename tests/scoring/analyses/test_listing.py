"""A folder is all that an analysis needs to be listed."""

from __future__ import annotations

import sys

import pytest

from scoring import analyses


@pytest.fixture
def drop(tmp_path, monkeypatch):
    """Drop a folder among the analyses, as an author does."""
    monkeypatch.setattr(analyses, "__path__", [*analyses.__path__, str(tmp_path)])
    before = set(sys.modules)

    def drop(name: str, content: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / "numbers.py").write_text(content)

    yield drop
    for name in set(sys.modules) - before:
        if name.startswith(f"{analyses.__name__}."):
            del sys.modules[name]
    if hasattr(analyses, "outlook"):
        del analyses.outlook


def test_a_folder_is_listed_at_the_place_that_it_names(drop) -> None:
    drop("outlook", f"PLACE = {analyses.get('drift').PLACE + 1}")
    found = analyses.names.__wrapped__()
    assert found[found.index("drift") + 1] == "outlook"
    assert [name for name in found if name != "outlook"] == list(analyses.names())


def test_what_several_share_is_not_listed() -> None:
    assert "shared" not in analyses.names()


def test_no_two_analyses_share_a_place() -> None:
    places = [analyses.get(name).PLACE for name in analyses.names()]
    assert places == sorted(set(places))
