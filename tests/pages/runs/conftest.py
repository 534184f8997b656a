"""What tests of judges over the network begin with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support import judges as judges_file


@pytest.fixture
def judges(settings, tmp_path, study) -> Callable[..., Path]:
    """The judge tiny of the endpoint lab is set up; call it to set it up otherwise."""
    write = partial(judges_file.write, settings, tmp_path)
    write()
    return write
