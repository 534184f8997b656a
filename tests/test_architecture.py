"""Imports point one way: doors -> verbs -> models, scoring -> annotation."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PURE = ("annotation.perturbations", "annotation.sentences")
# Pure packages, and what else of ours each may import.
PACKAGES = {
    "scoring.metrics": PURE,
    "scoring.stats": (),
    "scoring.probes": ("scoring.metrics", *PURE),
    **{name: PURE for name in PURE},
}
DOORS = {"views", "api", "forms", "urls", "admin", "management"}
HEAVY = {"torch", "transformers"}

# The order of the work in scoring: each may import those to its right, never back.
SCORING_FLOW = ("supervisor", "runs", "tasks", "worker", "metrics")
RESULTS_FLOW = ("meta_evaluation", "stats")


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for app in ("annotation", "scoring", "evalapp")
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts
    }


MODULES = modules()


@cache
def imports(name: str, *, top_level_only: bool = False) -> frozenset[str]:
    """Full names of what a module imports; `from a import b` is a.b for a module b."""
    tree = ast.parse(MODULES[name].read_text())
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: import by full name, not relative"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in MODULES else node.module)
    return frozenset(found)


def inside(name: str, *packages: str) -> bool:
    return any(
        name == package or name.startswith(f"{package}.") for package in packages
    )


def is_door(name: str) -> bool:
    """Whether people or machines come in here: pages, API, commands."""
    parts = name.split(".")
    return any(
        part in DOORS or part.endswith(("_views", "_urls", "_forms", "_api"))
        for part in parts
    )


def ours(name: str) -> set[str]:
    return {
        found for found in imports(name) if inside(found, *("annotation", "scoring"))
    }


@pytest.mark.parametrize("name", [n for n in MODULES if inside(n, "annotation")])
def test_annotation_imports_of_scoring_only_its_statistics(name: str) -> None:
    wrong = {i for i in ours(name) if inside(i, "scoring")}
    assert not {i for i in wrong if not inside(i, "scoring.stats")}


@pytest.mark.parametrize("name", [n for n in MODULES if not is_door(n)])
def test_what_does_the_work_imports_no_page_api_or_command(name: str) -> None:
    if inside(name, "evalapp"):
        pytest.skip("the wiring knows everything")
    assert not {i for i in ours(name) if is_door(i)}


@pytest.mark.parametrize("name", [n for n in MODULES if inside(n, *PACKAGES)])
def test_pure_code_knows_no_django_and_nothing_else_of_ours(name: str) -> None:
    assert not {i for i in imports(name) if inside(i, "django", "celery", "evalapp")}
    home = next(package for package in PACKAGES if inside(name, package))
    allowed = (home, *PACKAGES[home])
    assert not {i for i in ours(name) if not inside(i, *allowed)}


@pytest.mark.parametrize("name", [n for n in MODULES if inside(n, "annotation.models")])
def test_models_import_only_models(name: str) -> None:
    assert not {i for i in ours(name) if not inside(i, "annotation.models")}


@pytest.mark.parametrize("flow", [SCORING_FLOW, RESULTS_FLOW])
def test_the_flow_of_scoring_never_turns_back(flow: tuple[str, ...]) -> None:
    for position, step in enumerate(flow):
        earlier = [f"scoring.{name}" for name in flow[:position]]
        for name in (n for n in MODULES if inside(n, f"scoring.{step}")):
            assert not {i for i in ours(name) if earlier and inside(i, *earlier)}, name


@pytest.mark.parametrize("name", ["scoring.charts", "scoring.tables"])
def test_charts_and_tables_are_made_of_arrays_without_a_query(name: str) -> None:
    forbidden = ("scoring.models", "annotation.models", "django.http", "django.db")
    assert not {i for i in imports(name) if inside(i, *forbidden)}


@pytest.mark.parametrize("name", MODULES)
def test_nobody_imports_torch_while_loading(name: str) -> None:
    """The web server lists metrics without torch; only scorers need it."""
    if inside(name, "scoring.bundled"):
        pytest.skip("scripts that train")
    found = {i.split(".")[0] for i in imports(name, top_level_only=True)}
    helper = name.rpartition(".")[2].startswith("_") and inside(name, "scoring.metrics")
    assert helper or not found & HEAVY


def test_there_is_no_cycle_among_modules() -> None:
    graph = {name: {i for i in ours(name) if i in MODULES} for name in MODULES}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name not in done:
            for found in graph[name]:
                visit(found, (*path, name))
            done.add(name)

    for name in MODULES:
        visit(name, ())


def test_listing_the_metrics_needs_neither_django_nor_torch() -> None:
    code = (
        "import sys; from scoring.metrics import get, names;"
        "facts = [get(name).title for name in names()]; assert facts;"
        "print(*{'django', 'torch', 'transformers'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


@pytest.mark.parametrize("name", MODULES)
def test_files_stay_short_and_functions_shorter(name: str) -> None:
    source = MODULES[name].read_text()
    assert source.count("\n") <= 400, "split it by noun"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            assert lines <= 60, f"{node.name} has {lines} lines"


def test_the_visible_top_level_is_the_agreed_one() -> None:
    agreed = {
        *"manage.py evalapp annotation scoring templates static tests".split(),
        *"requirements.txt requirements-dev.txt README.md Makefile LICENSE".split(),
        *"benchmarks deploy".split(),
    }
    # What the project holds, not what somebody's folder holds beside it.
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("needs a git checkout")
    names = {line.split("/")[0] for line in listed.stdout.splitlines()}
    assert not {name for name in names if not name.startswith(".")} - agreed
