"""Imports point one way: doors -> verbs -> models, scoring -> annotation -> evalapp."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotation", "scoring", "evalapp")

# The rooms of each app, from the top down: a room imports what stands in a line below
# its own, never above, and never what stands beside it. Words are folders or files.
FLOORS = {
    "annotation": (
        "contrib",
        "urls admin management apps",
        "templatetags",
        "views",
        "kinds",
        "recipients",
        "simulation crowd",
        "setup",
        "watching assistant",
        "answering",
        "workers",
        "quality",
        "kept",
        "assigning",
        "seats sizing",
        "surveys votes exports",
        "imports access",
        "studies",
        "page_kinds",
        "negatives human_scores careless",
        "events",
        "models markdown",
        "perturbations platforms",
        "sentences spreadsheets storable turns archive",
    ),
    "scoring": (
        "contrib",
        "management urls admin apps",
        "pulse tasks demo templatetags",
        "publishing data_folder",
        "archive replication",
        "results",
        "training",
        "runs",
        "judging",
        "evaluators analyses",
        "corpora scores",
        "models drawing",
        "metrics stats",
        "endpoints penalties",
        "option_fields errors",
    ),
    "evalapp": (
        "contrib",
        "urls wsgi settings",
        "api_urls celery buffering",
        "system request_bodies",
        "accounts backup",
        "spending",
        "work doors",
        "api limits seeds licences faults navigation assets planner environment",
        "storage cage upgrades statements",
    ),
}
# What one app may import of another: rooms, or * for all of it.
ACROSS = {
    ("scoring", "annotation"): "*",
    ("scoring", "evalapp"): (
        "accounts work doors api limits seeds licences navigation assets planner system"
        " backup storage cage spending upgrades"
    ),
    ("annotation", "evalapp"): (
        "work doors api limits seeds navigation planner statements storage cage"
        " spending assets"
    ),
    ("evalapp", "annotation"): "storable",  # pure, like the metrics that ask it too
    ("annotation", "scoring"): "stats penalties",  # pure
}
DOORS = ("views", "forms", "api", "urls")
# They import neither Django nor anything that does, through however many steps.
PURE = (
    *("scoring.metrics", "scoring.endpoints", "scoring.stats"),
    "scoring.contrib.probing.protocols",
    *("scoring.option_fields", "scoring.errors", "scoring.penalties"),
    # What a bundle brings along to make tables.
    *("scoring.results.standing", "scoring.analyses"),
    *("scoring.scores.option_words", "scoring.drawing.tables"),
    # What writes a file of a data set.
    *("scoring.publishing.card", "scoring.contrib.papers.companion"),
    *("scoring.archive.parquet", "scoring.archive.tables"),
    "scoring.publishing.public",
    *("annotation.perturbations", "annotation.sentences", "annotation.spreadsheets"),
    *("annotation.platforms", "annotation.storable", "annotation.turns"),
    "annotation.archive",
)
# A result comes in, a table or a chart goes out: no query on the way.
QUERYLESS = ("scoring.drawing", "scoring.analyses")
WEB = ("django", "celery", "evalapp", "rest_framework")
HEAVY = ("torch", "transformers")
# What unpacks files of strangers: in a child process alone, see `evalapp.cage`.
UNPACK = ("zipfile", "openpyxl", "pyarrow", "python_calamine", "pyreadstat", "xlrd")
# They write such files, or read those that a process of the site has written.
WRITERS = (
    *("scoring.drawing.zip_streams", "scoring.publishing.packing"),
    *("scoring.archive.parquet", "scoring.publishing.hub_folders"),
    "scoring.replication.writing",
)
# They read logs of other tools in place, block by block, with limits of their own.
IN_PLACE = ("scoring.contrib.tool_results",)
# Modules that still name types of those that import them. May only shrink.
TYPES_ABOVE = {
    "annotation.imports._source": {
        "annotation.imports._asking",
        "annotation.imports._opening",
        "annotation.imports._values",
    },
    "scoring.endpoints.probe": {"scoring.endpoints.client"},
}
MOST_FILES = {"annotation": 12, "scoring": 10}  # at the root of an app


def modules(*folders: str) -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "migrations" not in path.parts
    }


MODULES = modules(*APPS)
WITH_TESTS = modules(*APPS, "tests")


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(WITH_TESTS[name].read_text())


def statements(name: str, *, top_level_only: bool = False) -> Iterator[ast.AST]:
    """Those that run: not what a type checker alone reads."""
    nodes: list[ast.AST] = [tree(name)]
    while nodes:
        node = nodes.pop()
        if is_for_types(node):
            continue
        if top_level_only and isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        yield node
        # Statements hold statements here, and no expression imports anything.
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            nodes.extend(getattr(node, field, ()))


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


@cache
def imports(name: str, *, top_level_only: bool = False) -> frozenset[str]:
    """Full names of what a module imports; `from a import b` is a.b for a module b."""
    return named(name, statements(name, top_level_only=top_level_only))


@cache
def imports_for_types(name: str) -> frozenset[str]:
    """What a type checker alone imports."""
    blocks = filter(is_for_types, ast.walk(tree(name)))
    return named(name, (node for block in blocks for node in ast.walk(block)))


def named(name: str, nodes: Iterable[ast.AST]) -> frozenset[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: import by full name, not relative"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in WITH_TESTS else node.module)
    return frozenset(found)


@cache
def reached(name: str) -> frozenset[str]:
    """All that is imported where a module is, packages on the way included."""
    found, waiting = {name}, [name]
    while waiting:
        one = waiting.pop()
        if one not in MODULES:
            continue
        parts = one.split(".")
        packages = {".".join(parts[:n]) for n in range(1, len(parts))}
        new = (imports(one) | packages) - found
        found |= new
        waiting.extend(new)
    return frozenset(found)


def inside(name: str, *packages: str) -> bool:
    return any(
        name == package or name.startswith(f"{package}.") for package in packages
    )


def room(name: str) -> str:
    """ "quality" of "annotation.careless.rules"; "" of an app itself."""
    return (name.split(".") + [""])[1]


def floor(name: str) -> int:
    app = name.split(".")[0]
    for number, rooms in enumerate(FLOORS[app]):
        if room(name) in rooms.split():
            return number
    pytest.fail(f"{name}: which floor of {app} does it belong to?")


def is_door(name: str) -> bool:
    """Of a room, or of a kind of page or a contrib app, which are folders of one."""
    within = 4 if room(name) in ("kinds", "contrib") else 3
    return bool(set(name.split(".")[2:within]) & set(DOORS))


def ours(name: str) -> set[str]:
    return {found for found in imports(name) if found in MODULES and found not in APPS}


ROOMS = [name for name in MODULES if name not in APPS]


@pytest.fixture(scope="module", autouse=True)
def parsed() -> None:
    """All files, once: no test is the slow one for being the first."""
    for name in WITH_TESTS:
        tree(name)


# One test for all modules: a thousand tiny ones would be collected by each process.
def test_a_room_imports_only_what_stands_below_it() -> None:
    for name, found in ((one, other) for one in ROOMS for other in ours(one)):
        app, other = name.split(".")[0], found.split(".")[0]
        if other == app:
            same = room(name) == room(found)
            assert same or floor(found) > floor(name), f"{name} -> {found}"
        elif app != "evalapp" or floor(name) >= len(FLOORS["evalapp"]) - 2:
            allowed = ACROSS.get((app, other), "")
            is_allowed = allowed == "*" or room(found) in allowed.split()
            assert is_allowed, f"{name} -> {found}"


def test_nobody_imports_a_contrib_app() -> None:
    """Not even another one: what they add is asked of `evalapp.doors`."""
    for name in MODULES:
        for imported in (imports(name) | imports_for_types(name)) & MODULES.keys():
            folder = imported.split(".")[:3]
            if room(imported) == "contrib" and len(folder) == 3:
                assert inside(name, ".".join(folder)), f"{name} -> {imported}"


def test_what_does_the_work_imports_no_page_api_or_form() -> None:
    """Of its own room either; `access` is what the doors themselves stand on."""
    top = "evalapp annotation.urls annotation.admin annotation.management".split()
    top += "annotation.templatetags annotation.views".split()
    top += "scoring.urls scoring.management".split()
    for name in ROOMS:
        if is_door(name) or inside(name, *top):
            continue
        doors = {i for i in ours(name) if is_door(i)}
        assert not {i for i in doors if not inside(i, "evalapp")}, name


def test_pure_code_reaches_no_django_through_any_number_of_steps() -> None:
    for name in (one for one in MODULES if inside(one, *PURE)):
        found = {i for i in reached(name) if inside(i, *WEB) and i not in ("evalapp",)}
        assert not found, name


def test_only_the_cage_imports_what_unpacks() -> None:
    found = {
        name
        for name in MODULES
        for one in imports(name)
        if one.split(".")[0] in UNPACK
        and not inside(name, "evalapp.cage", *WRITERS, *IN_PLACE)
    }
    assert not found


def test_only_the_child_imports_readers() -> None:
    readers = "evalapp.cage.readers"
    found = {
        name
        for name in MODULES
        for one in imports(name)
        if inside(one, readers) and not inside(name, readers, "evalapp.cage.child")
    }
    assert not found


def test_drawing_makes_no_query() -> None:
    forbidden = ("scoring.models", "annotation.models", "django.db")
    for name in (one for one in MODULES if inside(one, *QUERYLESS)):
        assert not {i for i in reached(name) if inside(i, *forbidden)}, name


def test_the_numbers_of_an_analysis_reach_no_drawing() -> None:
    """A bundle computes them where the packages that draw are missing."""
    for name in (one for one in MODULES if inside(one, "scoring.analyses")):
        if not name.rpartition(".")[2].startswith("page"):
            assert not {i for i in reached(name) if inside(i, "scoring.drawing")}, name


def test_only_metrics_import_the_helpers_of_metrics() -> None:
    for name in (one for one in MODULES if not inside(one, "scoring.metrics")):
        found = {i for i in imports(name) if i.startswith("scoring.metrics._")}
        assert not found, name


def test_one_module_alone_reads_what_the_field_of_an_option_carries() -> None:
    """Everybody else takes `OptionField`: one way to read an option."""
    readers = {
        name
        for name in MODULES
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Attribute)
        and node.attr == "metadata"
        and not inside(name, "evalapp.cage")  # of a Parquet file
    }
    assert readers == {"scoring.option_fields"}


def test_nobody_imports_torch_while_loading() -> None:
    """The web server lists metrics without torch; only scorers need it."""
    for name in MODULES:
        if name.startswith("scoring.metrics._"):
            continue  # what only scorers load
        found = {i.split(".")[0] for i in imports(name, top_level_only=True)}
        assert not found & set(HEAVY), name


def test_there_is_no_cycle_among_modules() -> None:
    """Nor one of types: they would stand in the wrong file."""
    graph = {
        name: ours(name)
        | (imports_for_types(name) & MODULES.keys()) - TYPES_ABOVE.get(name, set())
        for name in MODULES
    }
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


def test_files_stay_short_and_functions_shorter() -> None:
    for name, path in MODULES.items():
        assert path.read_text().count("\n") <= 400, f"split {name} by noun"
        for node in ast.walk(tree(name)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = node.end_lineno - node.lineno + 1
                assert lines <= 60, f"{node.name} of {name} has {lines} lines"


@pytest.mark.parametrize("app", MOST_FILES)
def test_the_root_of_an_app_stays_short(app: str) -> None:
    files = sorted(path.name for path in (ROOT / app).glob("*.py"))
    assert len(files) <= MOST_FILES[app], f"put it into a room: {files}"


def test_the_visible_top_level_is_the_agreed_one() -> None:
    agreed = {
        *"manage.py evalapp annotation scoring templates static tests".split(),
        *"requirements.txt requirements-dev.txt requirements-server.txt".split(),
        *"README.md CHANGELOG.md Makefile LICENSE benchmarks deploy".split(),
    }
    # What the project holds, not what someone's folder holds beside it.
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("needs a git checkout")
    names = {line.split("/")[0] for line in listed.stdout.splitlines()}
    assert not {name for name in names if not name.startswith(".")} - agreed
