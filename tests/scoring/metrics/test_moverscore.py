import math

import numpy as np
import pytest
from scipy.optimize import linprog

from scoring.metrics import Example, OptionError, get
from scoring.metrics.moverscore import distance, match
from tests.scoring.metrics.sides import side

SMALL = "bundled:encoder-small"
TEXTS = (
    "The ferry left at seven.",
    "Nobody on deck said a word.",
    "It was seven when the ferry left.",
    "Good!",
)


@pytest.fixture(scope="module")
def scorer():
    return get("moverscore")(model=SMALL).load("cpu")


def score(scorer, *pairs):
    examples = [Example(text, references=(reference,)) for text, reference in pairs]
    return scorer(examples).values["moverscore"]


E1, E2, OBLIQUE = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]
FAR = math.sqrt(2)  # from E1 to E2


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ([(E1, 1), (E2, 1)], [(E1, 1)], 1 - FAR / 2),
        ([(E1, 1), (E2, 3)], [(E1, 2)], 1 - FAR * 3 / 4),
        ([(E1, 1), (E2, 1)], [(E2, 5), (E1, 5)], 1),
        ([(E1, 1)], [(OBLIQUE, 1)], 1 - math.sqrt(0.8)),
        ([(E1, 1)], [([-1.0, 0.0], 1)], -1),
        ([(E1, 1), (E2, 0)], [(E1, 1)], 1),
        ([(E1, 0)], [(E1, 1)], np.nan),
        ([(E1, 1)], [], np.nan),
    ],
)
@pytest.mark.parametrize("padding", [0, 2])
def test_tokens_are_moved_as_by_hand(text, reference, expected, padding):
    found = match(side(text, padding), side(reference, padding), size=1)
    assert found == pytest.approx(np.array([[expected]]), abs=1e-6, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        # (E1, E2) of weight 4 has the vector (1/4, 3/4).
        ([(E1, 1), (E2, 3)], [(E1, 1)], 1 - math.hypot(0.75, 0.75)),
        # (E1, E2) and (E2, E1), of weights 2 and 3.
        (
            [(E1, 1), (E2, 1), (E1, 2)],
            [(E1, 1)],
            1 - (2 * math.hypot(0.5, 0.5) + 3 * math.hypot(1 / 3, 1 / 3)) / 5,
        ),
        ([(E1, 1), (OBLIQUE, 0), (E2, 1)], [(E1, 1), (E2, 1)], 1),
        ([(E1, 1)], [(E2, 1)], 1 - FAR),
    ],
)
def test_neighbours_are_moved_together(text, reference, expected):
    found = match(side(text), side(reference), size=2)
    assert found == pytest.approx(np.array([[expected]]), abs=1e-6)


@pytest.mark.parametrize(("n", "m"), [(1, 4), (5, 7), (20, 20)])
def test_the_least_cost_is_that_of_a_linear_program(n, m):
    rng = np.random.default_rng(n)
    f, g = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    costs = rng.random((n, m))
    sums = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    expected = linprog(costs.ravel(), A_eq=sums, b_eq=np.append(f, g)).fun
    assert distance(3 * f, g, costs) == pytest.approx(expected, abs=1e-9)


def test_it_is_that_of_plain_code(scorer):
    from scoring.metrics._engine import models

    folder = models.find(SMALL)
    tokenizer = models.tokenizer(folder)
    model = models.encoder(folder, device="cpu", dtype="float32")

    def plain(text):
        found = model(**tokenizer(text, return_tensors="pt")).last_hidden_state
        states = found[0, 1:-1].detach().double().numpy()
        return states / np.linalg.norm(states, axis=1, keepdims=True)

    x, y = plain(TEXTS[0]), plain(TEXTS[1])
    costs = np.linalg.norm(x[:, None] - y, axis=2)
    expected = 1 - distance(np.ones(len(x)), np.ones(len(y)), costs)
    assert score(scorer, TEXTS[:2]) == pytest.approx(expected, abs=1e-5)


def test_equal_texts_have_one(scorer):
    assert score(scorer, *((text, text) for text in TEXTS)).tolist() == [1] * 4


def test_text_and_reference_may_change_places(scorer):
    one, other = score(scorer, TEXTS[:2], TEXTS[1::-1])
    assert one == pytest.approx(other, abs=1e-9) and one < 0.99


def test_rare_tokens_weigh_more(scorer, tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("The ferry was late.\nThe ferry left.\nThe ferry sank.\n")
    pair = "The ferry left", "The ferry stayed"
    weighted = get("moverscore")(model=SMALL, idf=str(file)).load("cpu")
    assert score(weighted, pair) < score(scorer, pair)


def test_ngrams_of_no_token_are_refused():
    with pytest.raises(OptionError, match="ngram=0: expected at least 1"):
        get("moverscore")(ngram=0).load("cpu")
