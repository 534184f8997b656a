import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.jackknife import leave_out
from scoring.stats.spans import floors, matching
from scoring.stats.spans.f_scores import mean_scores, mpp, with_people
from scoring.stats.spans.marks import Mark, check
from scoring.stats.spans.pages import Texts
from tests.scoring.stats.spans.marked import LENGTH, pages, people, some_marks, texts


def rng(seed=1):
    return np.random.default_rng(seed)


@given(st.lists(some_marks(), min_size=1, max_size=4))
def test_moved_marks_are_as_long_and_stand_in_their_text(predicted):
    moved = floors.moved(predicted, texts(len(predicted)), rng=rng()).marks
    for before, after in zip(predicted, moved, strict=True):
        check(after, {"text": LENGTH, "source": LENGTH})
        assert [m.length for m in after] == [m.length for m in before]
        assert [m.side for m in after] == [m.side for m in before]


def test_each_place_is_as_likely():
    predicted = [(Mark(0, 9),)] * 2000
    moved = floors.moved(predicted, texts(2000), rng=rng()).marks
    times = np.bincount([marks[0].start for marks in moved])
    assert len(times) == 4 and (abs(times - 500) < 80).all()


def test_a_text_that_was_not_read_has_no_guess():
    assert floors.moved([None], texts(1), rng=rng()).marks == [None]
    read = pages((0, 0, ()), (2, 0, ()))
    guess = floors.from_other_texts([None, (), ()], read, texts(3), rng=rng())
    assert guess.marks == [None, None, ()]  # no page of the second system


def test_marks_come_from_other_prompts_of_the_same_system():
    """Pages are told apart by their category: the text that they are of."""
    n = 8
    read = pages(*((k, 0, (Mark(0, 1, str(k)),)) for k in range(n)))
    of = texts(n, per_prompt=4)
    for seed in range(5):
        drawn = floors.from_other_texts([()] * n, read, of, rng=rng(seed))
        for text, marks in enumerate(drawn.marks):
            other = int(marks[0].category)
            assert drawn.donor[text] == other
            assert of.system[other] == of.system[text]
            assert of.prompt[other] != of.prompt[text]


@given(some_marks(), st.integers(1, 40))
def test_marks_of_another_text_fit_into_this_one(marks, length):
    of = Texts(np.array([LENGTH, length]), np.arange(2), np.zeros(2, int))
    marks = tuple(mark._replace(side="text") for mark in marks)
    read = pages((0, 0, marks))
    _, drawn = floors.from_other_texts([(), ()], read, of, rng=rng()).marks
    check(drawn, {"text": length})
    assert [m.length > 0 for m in drawn] == [m.length > 0 for m in marks]


def test_places_are_relative():
    of = Texts(np.array([10, 20]), np.arange(2), np.zeros(2, int))
    read = pages((0, 0, (Mark(2, 5, "x"),)))
    drawn = floors.from_other_texts([(), ()], read, of, rng=rng())
    assert drawn.marks == [None, (Mark(4, 10, "x"),)]


def test_a_floor_is_the_mean_of_many_guesses():
    read, of = people(6), texts(6, length=60)
    predicted = [(Mark(0, 9),)] * 6

    def draws(source):
        return lambda: floors.moved(predicted, of, rng=source)

    floor = floors.compared(draws(rng(3)), read, mpp, times=4)
    again = draws(rng(3))
    counts = [with_people(again().marks, read, mpp).counts for _ in range(4)]
    assert np.allclose(floor.counts, np.mean(counts, axis=0))


def test_without_a_prompt_a_floor_lacks_what_it_gave_to_others():
    """By hand: all draws, without those of the prompt's texts and from its texts."""
    n = 6
    read, of = people(n), texts(n, length=60)

    def draws(source):
        return lambda: floors.from_other_texts([()] * n, read, of, rng=source)

    floor = floors.compared(draws(rng(3)), read, mpp, times=5)
    f = mean_scores(floor, leave_out(of.prompt, rng=rng()))[2]
    again = draws(rng(3))
    guesses = [again() for _ in range(5)]
    for prompt in range(n):
        sums = np.zeros((3, 4))
        for guess in guesses:
            for text, rater, marks in zip(
                read.text, read.rater, read.marks, strict=True
            ):
                if prompt not in (text, guess.donor[text]):
                    sums[rater] += mpp(guess.marks[text], marks)
        without = matching.scores(sums)[:, 2].mean()
        assert f.value - f.deviation[prompt] == pytest.approx(without)
