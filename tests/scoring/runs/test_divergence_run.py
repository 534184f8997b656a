"""A metric of systems with a corpus, seeds and kept embeddings, by real workers."""

import pytest
from django.conf import settings

from scoring import runs
from scoring.metrics._distributions import vectors
from scoring.models import Corpus, CorpusText, MetricRun, SystemScore
from scoring.runs import loading
from tests.scoring.working import work

OPTIONS = {"model": "bundled:encoder-small", "seeds": 3}


@pytest.fixture(autouse=True)
def forget_what_was_loaded():
    loading.forget_all()
    yield
    loading.forget_all()
    vectors.keep_in(None)


@pytest.fixture
def study(make_study):
    return make_study(systems=("a", "b"))


@pytest.fixture
def corpus(study):
    made = Corpus.objects.create(study=study, name="people", digest="0" * 64)
    texts = [f"Once upon a time {n} ferries left." for n in range(12)]
    CorpusText.objects.bulk_create(
        CorpusText(corpus=made, position=n, text=text) for n, text in enumerate(texts)
    )
    return made


@pytest.mark.slow
def test_a_run_saves_a_number_for_each_seed(study, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    run = runs.start(study=study, metric="divergence", options=OPTIONS, corpus=corpus)
    work(run)
    assert run.state == MetricRun.State.DONE, run.error
    scored = run.chunks.first()
    assert scored.details["n_study"] == study.generations.count()
    assert scored.details["spread"].keys() == scored.details["chance"].keys()
    assert scored.details["pairs"].keys() == {"b"}
    assert SystemScore.objects.filter(value__isnull=False).count() == 2 * 7 * 3
    assert "K was lowered from 500 to 2" in run.notes[0]
    for chunk in run.chunks.all():
        assert chunk.done_items == chunk.total_items == len(chunk.generations)
        assert chunk.details["n_corpus"] == 12
    # Human texts with the first system's, then the second's: nothing twice.
    assert len(list(tmp_path.glob("embeddings/*/*.npy"))) == 3
