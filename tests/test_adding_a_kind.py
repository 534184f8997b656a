"""What CONTRIBUTING says of a new kind of page: a folder, templates and a migration."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import programs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
KIND = ROOT / "tests/support/fifth_kind"
# Where the files of a kind may lie; one line of a file that is there names it.
FOLDERS = ("annotation/kinds/yes_no/", "templates/annotation/kinds/yes_no/")
REGISTER = "annotation/kinds/__init__.py"


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The program with the kind in it."""
    folder = tmp_path_factory.mktemp("program")
    programs.copied(folder, "annotation", "evalapp", "templates")
    (folder / ".pytest.ini").symlink_to(ROOT / ".pytest.ini")
    unread = shutil.ignore_patterns("__pycache__")
    for name in FOLDERS:
        shutil.copytree(KIND / name, folder / name, ignore=unread)
    register = folder / REGISTER
    words = register.read_text()
    words = words.replace("Dialogues())", "Dialogues(), YesNo())")
    words += "\nfrom annotation.kinds.yes_no import YesNo"
    lines = words.splitlines()
    lines.insert(3, lines.pop())
    register.write_text("\n".join(lines))
    return folder


def run(copy: Path, *command: str) -> str:
    environ = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    ended = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=copy,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_a_folder_templates_and_a_migration_bring_a_kind_of_page(copy) -> None:
    files = (path for path in KIND.rglob("*") if path.suffix in (".py", ".html"))
    outside = {
        path.relative_to(KIND).as_posix()
        for path in files
        if not path.relative_to(KIND).as_posix().startswith(FOLDERS)
    }
    assert outside == {"__init__.py", "people.py"}  # of the test
    before = {*(copy / "annotation/migrations").iterdir()}
    run(copy, "django", "makemigrations", "annotation", "--name", "doubts")
    (migration,) = {*(copy / "annotation/migrations").glob("*.py")} - before
    assert "CreateModel" in migration.read_text()
    told = run(copy, *"pytest -q -n 0 tests/support/fifth_kind/people.py".split())
    assert "3 passed" in told
