"""Real data and golden numbers lie beside the project, not in it."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared"


def path(name: str) -> Path:
    """Where a shared file or folder is; the test is skipped where there is none."""
    found = FOLDER / name
    if not found.exists():
        pytest.skip(f"needs ../shared/{name}, which is not on this machine")
    return found
