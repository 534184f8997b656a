"""May the study be stopped? Of closed prompts, in an order drawn before any rating."""

from __future__ import annotations

import numpy as np
import pytest

from annotation import assigning, surveys
from annotation.models import Annotation, Prompt, Study
from annotation.surveys import prompt_order
from annotation.watching import stopping, stopping_words
from annotation.watching.stopping import Progress
from annotation.watching.stopping_chart import chart
from scoring.stats import sequences
from tests.annotation.seating import NOON, hand_in, hire, lay_out
from tests.annotation.surveys.test_drawing_more import add_system

N = 40


@pytest.fixture
def study(make_study):
    """A page of four systems for each prompt, one rating each."""
    study = make_study(prompts=N, ratings_per_text=1, one_by_one=True)
    lay_out(study)
    order = prompt_order.of_all(study)
    for place in study.places.select_related("survey"):
        place.shuffle = order[place.survey.prompt_id]
        place.save()
    return study


def rate(study: Study, n: int) -> None:
    """Somebody hands in so many pages; the first system is the best by far."""
    worker = hire(study, f"worker {study.workers.count()}")
    for _ in range(n):
        hand_in(assigning.claim(worker=worker, now=NOON))
    best = Annotation.objects.filter(generation__system=study.systems.first())
    best.update(value=5)
    rest = Annotation.objects.filter(generation__isnull=False)
    rest.exclude(pk__in=best.values("pk")).update(value=2)


def test_before_the_first_closed_prompt_it_may_not(study) -> None:
    found = stopping.read(study=study).found
    assert found.sentence.startswith("It is too early to stop: the first")
    assert found.chart is None and {pair.mean for pair in found.pairs} == {None}


@pytest.mark.slow
def test_it_names_the_pairs_whose_order_is_certain(study) -> None:
    rate(study, 30)
    found = stopping.read(study=study).found
    names = [system.name for system in study.systems.all()]
    certain = {(pair.first, pair.second) for pair in found.pairs if pair.sign > 0}
    assert certain == {(names[0], other) for other in names[1:]}
    assert "can stop if 3 of 6 pairs are enough" in found.sentence
    assert "save 10 of 40 pages" in found.more
    assert found.chosen.sign == 0  # what is still open comes first
    assert stopping.read(study=study, pair="0").found.chosen.first == names[0]


def test_prompts_behind_the_first_open_one_do_not_count(study) -> None:
    rate(study, 5)
    before = stopping.closed(study=study)
    assert (len(before.prompts), before.n_closed, before.n_pages_left) == (5, 5, 35)
    third = study.surveys.get(prompt=before.prompts[2]).seats.get()
    type(third).objects.filter(pk=third.pk).update(state="discarded")
    after = stopping.closed(study=study)
    assert after.prompts == before.prompts[:2]
    assert after.n_closed == 4


def test_prompts_close_in_the_order_in_which_they_are_served(study) -> None:
    rate(study, 5)
    order = prompt_order.of_all(study)
    assert stopping.closed(study=study).prompts == sorted(order, key=order.get)[:5]


def test_a_page_whose_texts_are_excluded_is_not_waited_for(study) -> None:
    first = min((order := prompt_order.of_all(study)), key=order.get)
    study.generations.filter(prompt=first).update(excluded_at=NOON)
    assert stopping.closed(study=study).n_prompts == N - 1


def test_a_study_without_pages_of_ratings_has_no_panel(study) -> None:
    study.page_kinds = ["pair"]
    assert stopping.read(study=study) is None


@pytest.mark.parametrize("pair", ["99", "-1", "x", "1" * 500, "²"])
def test_what_is_no_pair_is_passed_over(study, pair) -> None:
    assert stopping.read(study=study, pair=pair, aspect="none").aspect.position == 0


@pytest.mark.parametrize(
    ("asked", "number"), [("5", 5), ("6", -1), ("999", -1), ("", -1)]
)
def test_nothing_is_kept_for_pairs_that_do_not_exist(study, asked, number) -> None:
    assert stopping._number_of(asked, study) == number


def test_more_systems_than_can_be_told_apart_are_not_compared() -> None:
    assert "fewer than two systems" in stopping_words.no_pairs(1, 20)
    assert "up to 20" in stopping_words.no_pairs(21, 20)


def pair(number: int, sign: int) -> stopping.Compared:
    return stopping.Compared(number, "A", "B", 9, 0.5, 0.1, 0.9, sign)


@pytest.mark.parametrize(
    ("signs", "words"),
    [
        ([1], "can stop: the order of A and B is known with 95 % confidence, however"),
        (
            [0],
            "stop: after 1 prompt, the order of A and B is not known with 95 % confi",
        ),
        ([0, 0, 0], "the order of no two systems is known with 95 % confidence."),
        ([1, -1, 1], "the order of all 3 pairs is known with 95 % confidence"),
        (
            [1, 0, 1],
            "if 2 of 3 pairs are enough: the order of A and B and of A and B is",
        ),
    ],
)
def test_the_sentence_says_which_pairs(signs, words) -> None:
    pairs = [pair(number, sign) for number, sign in enumerate(signs)]
    assert words in stopping_words.sentence(pairs, Progress([1], 1, 1, 9, 9, 8))


@pytest.mark.parametrize(
    ("signs", "words"),
    [
        ([1], "in (1 prompt): the order of A and B is known with 95 % confidence, how"),
        ([0], "the order of A and B is not known with 95 % confidence. It would take"),
        ([0, 1, 0], "1 of 3 pairs is known with 95 % confidence, however often you"),
    ],
)
def test_where_all_ratings_are_in_nothing_is_said_of_stopping(signs, words) -> None:
    pairs = [pair(number, sign) for number, sign in enumerate(signs)]
    said = stopping_words.sentence(pairs, Progress([1], 1, 1, 1, 1, 0))
    assert words in said and "stop" not in said


def test_the_table_has_the_ends_of_the_sequence() -> None:
    table = np.random.default_rng(1).integers(1, 6, (60, 3)).astype(float)
    table[4, 1] = np.nan
    found = stopping.compared(table, ["A", "B", "C"], 4, 0.01)
    assert [one.n for one in found] == [59, 60, 59]
    ends = sequences.interval(table[:, 0] - table[:, 1], width=4, alpha=0.01)
    assert (found[0].low, found[0].high) == (float(ends.low), float(ends.high))


def test_ratings_of_a_file_outside_the_scale_are_passed_over() -> None:
    table = np.array([[1.0, 2.0], [90.0, 3.0]])
    assert stopping.compared(table, ["A", "B"], 4, 0.05)[0].n == 1


def test_the_chart_ends_with_the_numbers_of_the_table() -> None:
    d = np.random.default_rng(2).integers(-1, 3, 50).astype(float)
    found = stopping.looks(d, 4, 0.05)
    assert found[-1].n == 50 and len(found) <= stopping.MOST_LOOKS
    drawn = chart(found)
    assert drawn.means.count(",") == len(found)
    assert drawn.band.count(",") == 2 * len(found)
    assert chart(found[:1]) is None


def test_a_random_part_of_the_texts_is_not_to_be_stopped_early(study) -> None:
    rate(study, 12)
    Study.objects.update(rated_share=50)
    study.refresh_from_db()
    found = stopping.read(study=study).found
    assert found is not None and found.pairs == []
    assert found.sentence.startswith("Do not stop this study early: it collects")


# Prompts that come later --------------------------------------------------------------


def add_prompts(study: Study, n: int) -> None:
    """Prompts with a text of each system, for a study that is paused."""
    label = study.prompts.first().label
    for place in range(n):
        words = f"Later {study.prompts.count()} {place}"
        prompt = study.prompts.create(
            prefix=words,
            label=label,
            position=900 + place,
            digest=Prompt.digest_of(words, label.name if label else "", ""),
        )
        for system in study.systems.all():
            study.generations.create(
                key=f"{words}-{system}",
                prompt=prompt,
                system=system,
                text=f"{words}. It rained. The road was wet, and nobody was there.",
            )


@pytest.fixture
def running(make_study):
    """Two of six prompts are rated; four more came since."""
    study = make_study(prompts=6, ratings_per_text=1, one_by_one=True)
    surveys.open_study(study=study)
    worker = hire(study, "ann")
    for _ in range(2):
        hand_in(assigning.claim(worker=worker, now=NOON))
    surveys.pause(study=study)
    return study


def test_prompts_that_come_later_stand_behind_all_others(running) -> None:
    before = stopping.closed(study=running).prompts
    old = set(running.prompts.values_list("pk", flat=True))
    add_prompts(running, 4)
    surveys.open_study(study=running)
    order = prompt_order.of_all(running)
    assert set(sorted(order, key=order.get)[:6]) == old
    assert stopping.closed(study=running).prompts == before
    assert prompt_order.is_kept(running)


def test_they_are_served_last(running) -> None:
    add_prompts(running, 4)
    surveys.open_study(study=running)
    order, worker = prompt_order.of_all(running), hire(running, "bea")
    served = []
    for _ in range(8):
        seat = hand_in(assigning.claim(worker=worker, now=NOON))
        served.append(seat.survey.prompt_id)
    assert served == sorted(order, key=order.get)[2:]


def test_prompts_are_random_among_those_of_their_own_batch() -> None:
    numbers = [prompt_order.number(7, f"{n:08x}{'0' * 56}", 41) for n in range(16)]
    assert sorted(numbers) != numbers and len(set(numbers)) == len(numbers)
    assert all(1 << 62 <= number < 1 << 63 for number in numbers)


def test_a_text_that_comes_later_to_a_rated_prompt_changes_no_earlier_look(
    running,
) -> None:
    first = stopping.closed(study=running).prompts[0]
    before = stopping.read(study=running)
    system = running.systems.first()
    running.generations.create(
        key="second-try",
        prompt_id=first,
        system=system,
        sample=2,
        text="It rained again. The road was wet, and nobody was there to see it.",
    )
    surveys.open_study(study=running)
    worker = hire(running, "bea")
    for _ in range(20):
        if (seat := assigning.claim(worker=worker, now=NOON)) is None:
            break
        hand_in(seat)
    Annotation.objects.filter(generation__key="second-try").update(value=1)
    order = prompt_order.of_all(running)
    ids = [one.pk for one in running.systems.all()]
    table = stopping._table(
        running, before.aspect, sorted(order, key=order.get)[:1], ids
    )
    assert table.tolist() == [[4.0, 4.0, 4.0, 4.0]]


def test_texts_between_prompts_that_were_looked_at_count_of_new_systems_only(
    running,
) -> None:
    first, second, *rest = running.prompts.all()

    def counted(system: str) -> set[int]:
        surveys.open_study(study=running)
        surveys.pause(study=running)
        prompts = list(running.prompts.values_list("pk", flat=True))
        pk = running.systems.get(name=system).pk
        found = stopping._first_texts(running, prompts, [pk])
        return {prompt for prompt, _ in found.values()}

    add_system(running, prompts=[second])
    assert counted("late") == {second.pk}
    system = running.systems.get(name="late")
    words = {"system": system, "text": "It rained. The road was wet. Nobody came."}
    running.generations.create(key="too-late", prompt=first, **words)
    assert counted("late") == {second.pk}
    add_prompts(running, 1)
    assert counted("late") == {second.pk, running.prompts.get(position=900).pk}


def test_where_batches_were_not_kept_the_panel_knows(study) -> None:
    assert not prompt_order.is_kept(study)
    assert not stopping.read(study=study).found.is_one_sequence


def test_an_old_prompt_stays_where_it_was_when_it_gets_a_page(running) -> None:
    running.surveys.update(batch=None)
    before = prompt_order.of_all(running)
    add_system(running)
    surveys.open_study(study=running)
    assert running.surveys.filter(batch=7).count() == 6
    assert prompt_order.of_all(running) == before


class TestLooksAfterEachPrompt:
    """Of two equal systems, in a study that adds prompts where it is nearly certain."""

    STUDIES, FIRST, MORE = 1000, 30, 30

    @pytest.fixture
    def differences(self) -> np.ndarray:
        """Of prompts in the order of their ids, skew, with mean 0."""
        rng = np.random.default_rng(5)
        shape = self.STUDIES, self.FIRST + self.MORE
        return rng.choice([-1.0, 4.0], shape, p=[0.8, 0.2])

    def order(self, study: int) -> tuple[list[int], list[int]]:
        """Before and after the prompts came."""
        digests = [f"{n:08x}{study:08x}" for n in range(self.FIRST + self.MORE)]
        batches = [1] * self.FIRST + [self.FIRST + 1] * self.MORE

        def key(n: int) -> int:
            return prompt_order.number(study, digests[n], batches[n])

        first = sorted(range(self.FIRST), key=key)
        return first, sorted(range(self.FIRST + self.MORE), key=key)

    def test_what_was_counted_stays_the_beginning(self) -> None:
        for study in range(50):
            first, every = self.order(study)
            assert every[: self.FIRST] == first
            assert first != sorted(first)

    @pytest.mark.slow
    def test_false_alarms_stay_within_five_percent(self, differences) -> None:
        wrong = 0
        for study, row in enumerate(differences):
            first, every = self.order(study)
            early = sequences.signs(row[first], width=4)
            late = sequences.signs(row[every], width=4)
            wrong += bool(early.any() or late.any())
        # Three standard errors above what is promised.
        assert wrong / self.STUDIES <= 0.05 + 3 * (0.05 * 0.95 / self.STUDIES) ** 0.5
        assert wrong  # the looks can be wrong at all


def test_a_study_that_was_closed_early_cannot_be_stopped() -> None:
    pairs = [pair(0, 0), pair(1, 1)]
    said = stopping_words.sentence(pairs, Progress([1, 2], 2, 2, 9, 9, 7), True)
    assert said.startswith("The study is closed (2 prompts count): the order of 1 of 2")
    none = stopping_words.sentence(pairs, Progress([], 0, 0, 9, 9, 9), True)
    assert none.startswith("The study is closed: the first prompt")


# More prompts than are compared -------------------------------------------------------


def test_prompts_beyond_those_that_are_compared_are_still_counted(
    running, monkeypatch
) -> None:
    monkeypatch.setattr(stopping, "MOST_PROMPTS", 1)
    found = stopping.closed(study=running)
    assert (len(found.prompts), found.n_counted, found.is_cut) == (1, 2, True)


def test_where_some_are_compared_it_is_said_and_nothing_is_too_early() -> None:
    unsure, all_in = [pair(0, 0)], Progress([1, 2], 3, 3, 3, 3, 0)
    said = stopping_words.sentence(unsure, all_in)
    assert said.startswith("All ratings are in (the first 2 prompts in random order")
    assert said.endswith("95 % confidence. This panel compares no more than these.")
    running = Progress([1, 2], 3, 3, 9, 9, 6)
    said = stopping_words.sentence(unsure, running)
    assert said.startswith("After the first 2 prompts in random order, the order of A")


def test_what_is_left_is_told_by_what_counts_and_not_by_what_is_compared() -> None:
    study = Study()
    assert stopping_words.more(study, Progress([1, 2], 3, 3, 3, 3, 0)) == ""
    said = stopping_words.more(study, Progress([1, 2], 3, 3, 9, 9, 6))
    assert "order count: 3. Of these, the first 2 are compared." in said
