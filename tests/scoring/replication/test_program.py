"""The code inside a data set has all that its tables are made with."""

from __future__ import annotations

from scoring.replication import program
from tests.test_architecture import MODULES, imports, inside


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_pages_of_analyses_import_nothing_that_stays_behind() -> None:
    there = {module_of(name) for _, name in program.files() if name.endswith(".py")}
    there |= {package.replace("/", ".") for package in program.EMPTY}
    pages = [name for name in MODULES if inside(name, "scoring.analyses")]
    needed, waiting = {*pages}, pages
    while waiting:
        new = {name for name in imports(waiting.pop()) if name in MODULES} - needed
        needed |= new
        waiting.extend(new)
    assert sorted(needed - there) == []
