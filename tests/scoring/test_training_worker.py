from __future__ import annotations

import pytest

from scoring.models import Checkpoint
from tests.scoring.training import begun, work

pytestmark = pytest.mark.usefixtures("extra", "sent")
State = Checkpoint.State


def test_a_training_ends_in_a_checkpoint(make_study, tiny):
    checkpoint = begun(make_study(), tiny)
    assert work(checkpoint) == 1
    assert (checkpoint.state, checkpoint.error) == (State.DONE, "")
    assert checkpoint.card["figures"]["n"] > 0
    assert checkpoint.signature.startswith("pupil|training|")
