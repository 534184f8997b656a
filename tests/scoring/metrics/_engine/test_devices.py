"""What devices that are not here would refuse."""

import re
from pathlib import Path

import pytest

SCORING = Path(__file__).resolve().parents[4] / "scoring"
FILES = sorted(SCORING.rglob("*.py"))
# Apple's GPUs have no float64: a tensor must leave them before it becomes one.
DOUBLED = re.compile(
    r"(?<!\.cpu\(\))\.double\(\)|torch\.(double|float64)|\.to\(float\)"
)


@pytest.mark.parametrize("source", ["x.double().cpu()", "y.to(torch.float64)"])
def test_the_pattern_knows_what_fails(source):
    assert DOUBLED.search(source)
    assert not DOUBLED.search("x.cpu().double().numpy()")


def test_no_tensor_becomes_float64_on_a_device():
    found = [
        f"{path.relative_to(SCORING)}:{number}: {line.strip()}"
        for path in FILES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if DOUBLED.search(line)
    ]
    assert not found
