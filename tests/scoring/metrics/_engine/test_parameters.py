from __future__ import annotations

import re

import numpy as np
import pytest
from safetensors.numpy import save_file

from scoring.metrics import get
from scoring.metrics._engine import models, parameters


@pytest.mark.parametrize("name", ["infill-small", "causal-small", "encoder-small"])
def test_those_of_bundled_models_are_nearly_what_their_cards_say(name):
    """Files have a bias more, or a pooler less, than the model that was trained."""
    folder = models.find(f"bundled:{name}")
    card = (folder / "README.md").read_text()
    said = re.search(r"\*\*Size\*\*: ([\d,]+) parameters", card)
    expected = int(said[1].replace(",", ""))
    assert parameters.of_folder(folder) == pytest.approx(expected, rel=0.02)


def test_several_files_are_added_and_positions_are_not_counted(tmp_path):
    save_file({"a": np.zeros((3, 4), np.float32)}, tmp_path / "model-1.safetensors")
    more = {"b": np.zeros(5, np.float16), "ids": np.zeros(9, np.int64)}
    save_file(more, tmp_path / "model-2.safetensors")
    assert parameters.of_folder(tmp_path) == 17


def test_other_files_do_not_tell(tmp_path):
    assert parameters.of_folder(tmp_path) is None


def test_they_are_those_of_the_one_model_of_the_options():
    small = get("ctrleval")(model="bundled:infill-small").options
    assert parameters.of_options(small) > 1_000_000
    assert parameters.of_options(get("length")().options) is None
    two = get("cdm")(amateur="bundled:causal-nano", expert="bundled:causal-small")
    assert parameters.of_options(two.options) is None
