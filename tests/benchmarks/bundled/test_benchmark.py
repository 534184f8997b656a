import numpy as np
import pytest

from benchmarks import bundled_models
from scoring.stats.correlation import pearson
from tests.support import shared


@pytest.fixture
def texts(tmp_path):
    file = tmp_path / "texts.txt"
    rows = [
        f"{label}\t{prefix}\t{prefix} {k}\t{k}\t{9 - k}\t{k % 3}"
        for k, (label, prefix) in enumerate(
            [(a, b) for a in ("good", "bad") for b in ("One", "Two")] * 2
        )
    ]
    file.write_text("\n".join(rows) + "\n")
    return bundled_models.read(file)


def test_texts_are_read_with_ratings_and_prompts(texts) -> None:
    assert texts.examples[1].prefix == "Two"
    assert texts.human[2].tolist() == [2, 7, 2]
    assert texts.prompts.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_the_released_file_has_the_papers_prompts() -> None:
    found = bundled_models.read(shared.path("data/ctrleval/data_senti.txt"))
    assert found.human.shape == (360, 3)
    assert np.bincount(found.prompts).tolist() == [12] * 30


def test_whole_prompts_are_drawn() -> None:
    """Two prompts within which x and y agree, or not: replicates know three mixes."""
    x = np.array([1.0, 2, 3, 1, 2, 3])
    y = np.array([1.0, 2, 3, 3, 2, 1])
    prompts = np.array([0, 0, 0, 1, 1, 1])
    rng = np.random.default_rng(0)
    ends = bundled_models.interval(pearson, x, y, prompts, replicates=200, rng=rng)
    assert ends == pytest.approx((-1, 1))


def test_the_table_has_ours_and_the_papers_rows(texts) -> None:
    perfect = [texts.human[:, k] for k in range(3)]
    found = bundled_models.table(texts, {"ours": perfect}, replicates=50, seed=0)
    lines = found.splitlines()
    assert len(lines) == 2 + 3 * 4
    assert lines[2].startswith("| coherence | ours | 1.000 [1.000, 1.000]")
    assert "| coherence | CTRLEval, T5-small (60 M), paper | — | — | .239 |" in lines
    assert lines[-1].endswith("| -.020 | -.047 | -.034 |")
