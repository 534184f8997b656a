"""What scores are made of, and where it is found again."""

from __future__ import annotations

import numpy as np
import pytest

from scoring import parts
from scoring.models import Chunk, MetricRun


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def study(make_study):
    return make_study()


def scored(study, texts, value=1.0, state=Chunk.State.DONE):
    """A run with one chunk whose worker left parts, as wide as there are texts."""
    run = MetricRun.objects.create(study=study, metric="judge")
    ids = [text.pk for text in texts]
    chunk = Chunk.objects.create(run=run, index=0, generations=ids, state=state)
    table = np.full((len(texts), len(texts)), value)
    parts.keep(chunk=chunk, texts=texts, parts={"verdict.s": table})
    return run


def find(text, *runs):
    return parts.find(runs=runs, generation_id=text.pk)


def test_a_text_s_row_comes_back_with_its_run(study):
    texts = list(study.generations.all())
    run = scored(study, texts[2:5], value=0.5)
    found = find(texts[3], run)
    assert found.run == run
    assert found.rows["verdict.s"].tolist() == [0.5] * 3


def test_only_the_run_that_scored_the_text_has_it(study):
    texts = list(study.generations.all())
    first, second = scored(study, texts[:4]), scored(study, texts[4:])
    assert find(texts[1], second, first).run == first
    assert find(texts[5], first) is None


def test_the_first_run_given_comes_first(study):
    texts = list(study.generations.all())
    old, new = scored(study, texts, 1.0), scored(study, texts, 2.0)
    assert find(texts[0], new, old).rows["verdict.s"][0] == 2.0


def test_a_chunk_that_is_not_done_counts_for_nothing(study):
    text = study.generations.first()
    assert find(text, scored(study, [text], state=Chunk.State.RUNNING)) is None


def test_texts_without_parts_are_found(study):
    texts = list(study.generations.all())
    ids = [text.pk for text in texts]
    first, second = scored(study, texts[:3]), scored(study, texts[4:6])
    assert parts.without(runs=[first, second], ids=ids) == [ids[3], *ids[6:]]
    parts.path(first.chunks.get()).unlink()
    assert parts.without(runs=[first, second], ids=ids[2:5]) == ids[2:4]


@pytest.mark.parametrize("left", [None, b"", b"PK\x03\x04 cut off"])
def test_a_file_that_is_gone_or_cut_off_is_no_error(study, left):
    text = study.generations.first()
    run = scored(study, [text])
    file = parts.path(run.chunks.get())
    file.unlink()
    if left is not None:
        file.write_bytes(left)
    assert find(text, run) is None


def test_half_a_file_is_no_error(study):
    texts = list(study.generations.all())
    run = scored(study, texts)
    file = parts.path(run.chunks.get())
    whole = file.read_bytes()
    for n in range(0, len(whole), 7):
        file.write_bytes(whole[:n])
        assert find(texts[0], run) is None


def test_a_pickle_is_never_opened(study):
    text = study.generations.first()
    run = scored(study, [text])
    file = parts.path(run.chunks.get())
    np.savez(file, generations=np.array([text.pk]), evil=np.array([{}], dtype=object))
    assert find(text, run) is None


def test_no_parts_leave_no_file(study):
    run = MetricRun.objects.create(study=study, metric="judge")
    chunk = Chunk.objects.create(run=run, index=0, generations=[])
    parts.keep(chunk=chunk, texts=[], parts={})
    assert not parts.path(chunk).exists()
