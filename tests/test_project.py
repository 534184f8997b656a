"""What the files around the code say of it: versions, paths, tables."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

import evalapp
from tests.support import server_packages
from tests.test_architecture import FLOORS, WITH_TESTS, imports, inside

ROOT = Path(__file__).resolve().parent.parent
DOOR = ROOT / ".github" / "CONTRIBUTING.md"
PROSE = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / ".github").glob("*.md")),
    *(path for app in ("annotation", "evalapp") for path in (ROOT / app).glob("*.md")),
    *sorted((ROOT / "scoring").glob("README.md")),
    *sorted((ROOT / "scoring").glob("*/README.md")),
]


class TestTheVersion:
    def test_it_stands_in_one_place_and_is_shown_from_there(self, client, db) -> None:
        assert re.fullmatch(r"\d+\.\d+\.\d+", evalapp.__version__)
        assert settings.SPECTACULAR_SETTINGS["VERSION"] == evalapp.__version__
        page = client.get(reverse("login")).content.decode()
        assert f"EvalApp {evalapp.__version__}" in page


def test_hooks_run_the_ruff_that_the_tests_run() -> None:
    pinned = re.findall(r"ruff==([\d.]+)", (ROOT / "requirements-dev.txt").read_text())
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert set(re.findall(r"ruff==([\d.]+)", hooks)) == set(pinned)


class TestWhatOnlyServersNeed:
    """`make test` does not install it: one import of it would end the whole run."""

    def test_the_list_is_that_of_the_requirements(self) -> None:
        here, tests = distributions("requirements.txt", "requirements-dev.txt")
        (server,) = distributions("requirements-server.txt")
        assert server_packages.MODULES.keys() == server - here - tests

    def test_no_test_needs_it_to_be_loaded(self) -> None:
        assert [name for name in needing() if inside(name, "tests")] == []

    def test_a_test_that_imports_it_is_marked(self) -> None:
        for name in naming(needing()):
            if inside(name, "tests") and imports(name) & needing():
                assert "mark.server" in texts()[name], name


def distributions(*files: str) -> list[set[str]]:
    pinned = re.compile(r"^([\w-]+)(?:\[.*\])?==", re.MULTILINE)
    texts = [(ROOT / file).read_text() for file in files]
    return [{name.lower() for name in pinned.findall(text)} for text in texts]


@cache
def needing() -> set[str]:
    """Modules of ours that cannot be imported without it, and its own."""
    found = set(server_packages.MODULES.values())
    while more := {name for name in naming(found) - found if loads(name) & found}:
        found |= more
    return found


def naming(modules: set[str]) -> set[str]:
    """Who may import one: to read all files as Python would take seconds."""
    words = {name.rpartition(".")[0] or name for name in modules}
    return {name for name, text in texts().items() if any(w in text for w in words)}


@cache
def texts() -> dict[str, str]:
    return {name: f"{name} {path.read_text()}" for name, path in WITH_TESTS.items()}


@cache
def loads(name: str) -> set[str]:
    """What is imported with a module: each with the packages that it lies in."""
    parts = [one.split(".") for one in (name, *imports(name, top_level_only=True))]
    return {".".join(one[:n]) for one in parts for n in range(1, len(one) + 1)}


def test_the_door_has_a_row_for_each_kind_of_addition() -> None:
    rows = re.findall(r"^\| an? .*", DOOR.read_text(), re.MULTILINE)
    assert len(rows) == 13
    for row in rows:
        what, file, like, check = row.strip("| ").split(" | ")
        assert "`python -m " in check and like, what
        assert "NAME" in check or "NAME" not in file, what


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_named_in_the_prose_is_there(path: Path) -> None:
    """Links, and files and folders of ours between backticks."""
    text = path.read_text()
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (path.parent / link).exists(), link
    ours = r"`((?:annotation|scoring|evalapp|tests|static|templates)/[\w./-]*)`"
    for name in re.findall(ours, text):
        if "NAME" not in name:
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("app", ["annotation", "scoring"])
class TestTheReadmeOfAnApp:
    def text(self, app: str) -> str:
        return (ROOT / app / "README.md").read_text()

    def test_it_lists_the_rooms_as_the_test_of_the_arrows_has_them(self, app) -> None:
        (block,) = re.findall(r"```text\n(.*?)```", self.text(app), re.DOTALL)
        assert tuple(block.splitlines()) == FLOORS[app]

    def test_its_two_walks_pass_no_file_twice(self, app) -> None:
        walks = re.findall(r"^## One .*?(?=^## )", self.text(app), re.M | re.S)
        assert len(walks) == 2
        for walk in walks:
            steps = re.findall(r"^\| `([^`]+)`", walk, re.MULTILINE)
            assert len(steps) > 15 and len(set(steps)) == len(steps)
