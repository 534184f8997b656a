"""What a bundle brings along of the program: statistics, and what makes tables of them.

None of it needs Django, so that a reader installs a few packages and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from django.conf import settings

FILES = Path(__file__).parent / "files"
# Numbers need the first two; tables, the others: what shows them draws charts as well,
# and asks metrics about sentences.
PACKAGES = ("numpy", "scipy", "plotly", "tabulate", "nltk")
FOLDERS = (
    *("scoring/stats", "scoring/analyses", "scoring/metrics", "scoring/endpoints"),
    *("annotation/perturbations", "annotation/sentences", "annotation/spreadsheets"),
    *("annotation/storable", "annotation/turns", "scoring/penalties"),
)
SINGLE = (
    *("scoring/errors.py", "scoring/option_fields.py", "scoring/results/standing.py"),
    "scoring/scores/option_words.py",
    *(f"scoring/drawing/{name}.py" for name in ("charts", "curves", "heatmaps")),
    *(f"scoring/drawing/{name}.py" for name in ("ladders", "passages", "sections")),
    *(f"scoring/drawing/{name}.py" for name in ("tables", "words")),
)
# Whose own files say nothing that is needed.
EMPTY = (
    "scoring",
    "scoring/results",
    "scoring/scores",
    "scoring/drawing",
    "annotation",
)
SUFFIXES = (".py", ".json")


def files() -> Iterator[tuple[Path, str]]:
    """Where each file is, and its name in the bundle."""
    root: Path = settings.BASE_DIR
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SUFFIXES:
                yield file, file.relative_to(root).as_posix()
    for name in SINGLE:
        yield root / name, name
    yield FILES / "recompute.py", "recompute.py"
    yield root / "LICENSE", "LICENSE"


def texts() -> Iterator[tuple[str, str]]:
    """Files that are written for the bundle: name and content."""
    for package in EMPTY:
        yield f"{package}/__init__.py", ""
    needed = [f"{package}=={version(package)}\n" for package in PACKAGES]
    yield "requirements.txt", "".join(needed)
