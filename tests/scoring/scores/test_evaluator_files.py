"""What scores are made of, and where it is found again."""

from __future__ import annotations

import numpy as np
import pytest
from django.utils import timezone

from scoring.models import Chunk, MetricRun
from scoring.scores import evaluator_files


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
    evaluator_files.keep(chunk=chunk, texts=texts, parts={"verdict.s": table})
    return run


def find(text, *runs):
    return evaluator_files.find(runs=runs, generation_id=text.pk)


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


@pytest.mark.parametrize("runs", [1, 3])
def test_one_query_however_many_runs(study, django_assert_num_queries, runs):
    texts = list(study.generations.all())
    made = [scored(study, texts[:2]) for _ in range(runs)]
    for run in made:
        run.chunks.create(index=1, generations=[], state=Chunk.State.DONE)
    with django_assert_num_queries(1):
        assert find(texts[1], *made).run == made[0]
    with django_assert_num_queries(1):
        assert find(texts[2], *made) is None


def test_no_list_of_ids_is_read_to_find_one_text(study, django_assert_num_queries):
    text = study.generations.first()
    run = scored(study, [text])
    with django_assert_num_queries(1) as made:
        find(text, run)
    (query,) = made.captured_queries
    columns = query["sql"].split(" FROM ")[0]
    assert "generations" not in columns


def test_an_id_that_only_looks_alike_is_another(study):
    text = study.generations.first()
    run = MetricRun.objects.create(study=study, metric="judge")
    ids = [int(f"{text.pk}1"), int(f"1{text.pk}")]
    chunk = Chunk.objects.create(run=run, index=0, generations=ids, state="done")
    evaluator_files.keep(chunk=chunk, texts=[text], parts={"a.s": np.ones((1, 1))})
    assert find(text, run) is None


def test_a_chunk_that_is_not_done_counts_for_nothing(study):
    text = study.generations.first()
    assert find(text, scored(study, [text], state=Chunk.State.RUNNING)) is None


def test_texts_without_parts_are_found(study):
    texts = list(study.generations.all())
    ids = [text.pk for text in texts]
    first, second = scored(study, texts[:3]), scored(study, texts[4:6])
    assert evaluator_files.without(runs=[first, second], ids=ids) == [ids[3], *ids[6:]]
    evaluator_files.path(first.chunks.get()).unlink()
    assert evaluator_files.without(runs=[first, second], ids=ids[2:5]) == ids[2:4]


@pytest.mark.parametrize("left", [None, b"", b"PK\x03\x04 cut off"])
def test_a_file_that_is_gone_or_cut_off_is_no_error(study, left):
    text = study.generations.first()
    run = scored(study, [text])
    file = evaluator_files.path(run.chunks.get())
    file.unlink()
    if left is not None:
        file.write_bytes(left)
    assert find(text, run) is None


def test_half_a_file_is_no_error(study):
    texts = list(study.generations.all())
    run = scored(study, texts)
    file = evaluator_files.path(run.chunks.get())
    whole = file.read_bytes()
    for n in range(0, len(whole), 7):
        file.write_bytes(whole[:n])
        assert find(texts[0], run) is None


def test_a_pickle_is_never_opened(study):
    text = study.generations.first()
    run = scored(study, [text])
    file = evaluator_files.path(run.chunks.get())
    np.savez(file, generations=np.array([text.pk]), evil=np.array([{}], dtype=object))
    assert find(text, run) is None


def test_no_parts_leave_no_file(study):
    run = MetricRun.objects.create(study=study, metric="judge")
    chunk = Chunk.objects.create(run=run, index=0, generations=[])
    evaluator_files.keep(chunk=chunk, texts=[], parts={})
    assert not evaluator_files.path(chunk).exists()


def test_files_go_with_their_run(study):
    texts = list(study.generations.all())
    kept, gone = scored(study, texts[:4]), scored(study, texts[4:])
    folder = evaluator_files.path(gone.chunks.get()).parent
    gone.delete()
    evaluator_files.tidy(now=timezone.now())
    assert not folder.exists()
    assert find(texts[1], kept).run == kept
