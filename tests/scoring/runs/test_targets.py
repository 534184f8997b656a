"""What a metric of systems is given."""

import pytest

from annotation.models import Generation, Prompt
from scoring.models import Corpus, CorpusText
from scoring.runs import targets


@pytest.fixture
def study(make_study):
    return make_study(prompts=2, systems=("a", "b"))


def given(study, name, corpus=None, others=True):
    rows = Generation.objects.filter(system__name=name).select_related("prompt")
    system = study.systems.get(name=name)
    return targets.system_texts(system, list(rows), corpus, others=others)


def test_others_come_where_they_are_asked_for(study):
    a, b = given(study, "a"), given(study, "b")
    assert [one.name for one in a.others] == ["b"]
    assert a.others[0].texts == b.texts and a.others[0].prompts == b.prompts
    assert a.seed == b.seed is not None
    alone = given(study, "a", others=False)
    assert (alone.others, alone.seed) == ((), None)


def test_texts_of_one_prompt_share_its_name(study):
    a, b = given(study, "a"), given(study, "b")
    assert set(a.prompts) == set(b.prompts) and len(set(a.prompts)) == 2
    assert set(a.samples) == {1}


def test_a_column_of_the_corpus_tells_the_prompt(make_study):
    """Two prompts share the first prefix: it names neither."""
    study = make_study(prompts=3, systems=("a",))
    last = Prompt.objects.get(study=study, position=2)
    told = ["Once upon a time 0", last.prefix, "of no prompt"]
    corpus = Corpus.objects.create(
        study=study, name="people", digest="0" * 64, attributes=["prompt"]
    )
    CorpusText.objects.bulk_create(
        CorpusText(corpus=corpus, position=n, text=f"t{n}", attributes={"prompt": one})
        for n, one in enumerate(told)
    )
    found = given(study, "a", corpus)
    assert found.corpus_prompts == ("", last.digest, "")
    assert last.digest in found.prompts
    corpus.attributes = []
    assert given(study, "a", corpus).corpus_prompts == ()


def test_a_column_of_the_corpus_tells_log_probabilities(study):
    name = "log_probability:a"
    corpus = Corpus.objects.create(
        study=study, name="people", digest="0" * 64, attributes=[name]
    )
    CorpusText.objects.bulk_create(
        CorpusText(corpus=corpus, position=n, text=f"t{n}", attributes={name: value})
        for n, value in enumerate(["-2.5", "-7"])
    )
    assert given(study, "a", corpus).corpus_log_probabilities == (-2.5, -7.0)
    assert given(study, "b", corpus).corpus_log_probabilities == ()
