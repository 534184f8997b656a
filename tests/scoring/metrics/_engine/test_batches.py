import pytest

from scoring.metrics import MetricError
from scoring.metrics._engine import batches as _batches


class TestPlan:
    def test_it_puts_the_longest_first_and_each_index_once(self):
        batches = list(_batches.plan([1, 5, 3, 5], budget=10))
        assert batches == [[1, 3], [2, 0]]

    def test_a_row_longer_than_the_budget_goes_alone(self):
        assert list(_batches.plan([50, 2, 2], budget=4)) == [[0], [1, 2]]

    def test_it_takes_rows_without_tokens(self):
        assert list(_batches.plan([0, 0], budget=4)) == [[0, 1]]


class TestRun:
    def test_it_halves_the_batches_when_memory_runs_out(self):
        done = []

        def work(batch, budget):
            if len(batch) > 2:
                raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
            done.extend(batch)

        _batches.run([4] * 9, 32, work)
        assert sorted(done) == list(range(9))

    def test_it_gives_up_with_advice(self):
        def work(batch, budget):
            raise RuntimeError("[enforce fail] can't allocate memory: 4 bytes")

        with pytest.raises(MetricError, match="even with one text at a time"):
            _batches.run([4, 4], 64, work)

    def test_it_lets_other_errors_through(self):
        def work(batch, budget):
            raise RuntimeError("shapes do not match")

        with pytest.raises(RuntimeError, match="shapes"):
            _batches.run([4, 4], 64, work)


def test_padding_keeps_the_rows_and_marks_them():
    ids, real = _batches.pad([(5, 6, 7), (8,), ()], 0)
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0], [0, 0, 0]]
    assert real.sum(axis=1).tolist() == [3, 1, 0]


class TestMeter:
    @pytest.fixture(autouse=True)
    def without_waiting(self, monkeypatch):
        monkeypatch.setattr(_batches, "SECONDS_BETWEEN_CALLS", 0)

    def test_it_tells_of_every_text_once(self):
        told = []
        meter = _batches.Meter(told.append)
        meter.begin(texts=4, work=100)
        for _ in range(10):
            meter(10)
        meter.end()
        assert sum(told) == 4 and told.count(1) == 4

    def test_texts_that_need_no_work_are_finished_too(self):
        told = []
        meter = _batches.Meter(told.append)
        meter.begin(texts=3, work=0)
        meter.end()
        assert told == [3]

    def test_it_gives_signs_of_life_within_a_text(self):
        told = []
        meter = _batches.Meter(told.append)
        meter.begin(texts=1, work=100)
        meter(50)
        assert told == [0]

    def test_it_is_silent_most_of_the_time(self, monkeypatch):
        monkeypatch.setattr(_batches, "SECONDS_BETWEEN_CALLS", 60)
        told = []
        meter = _batches.Meter(told.append)
        meter.begin(texts=9, work=9)
        for _ in range(9):
            meter(1)
        meter.end()
        assert told == [9]
