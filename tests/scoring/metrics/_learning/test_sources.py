"""Checkpoints that read what a text answers: the same text after another source."""

import dataclasses

import numpy as np
import pytest

from scoring.metrics import get
from scoring.metrics._engine.base import Example
from scoring.metrics._learning import sources
from scoring.metrics._learning.heads import Tokens
from scoring.metrics._learning.training import MODEL, TrainingData, digest
from scoring.metrics.generative_cdm import GenerativeCDM
from scoring.metrics.union import UNION
from tests.scoring.metrics.human_texts import stories
from tests.scoring.metrics.tiny_encoder import tiny_encoder

TEXTS = stories(60)
SOURCES = [f"Was it good? The man said {k} gulls were there." for k in range(60)]
NEW = "A man was at the film. He had a house and a ferry. The sun came."
DIALOGUES = ("The ferry is white.", "She was never at the house.", "Bad story!")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder")))


def train(folder, base, **options):
    options = {"epochs": 1, "held_out": 0.2, "base": base} | options
    data = TrainingData(TEXTS)
    if options.get("reads") == "source":
        data = dataclasses.replace(data, sources=SOURCES)
    assert UNION.train(data, folder, lambda step: None, **options)
    return str(folder / MODEL)


@pytest.fixture(scope="module")
def reading(base, tmp_path_factory):
    return train(tmp_path_factory.mktemp("reading"), base, reads="source")


@pytest.fixture(scope="module")
def blind(base, tmp_path_factory):
    return train(tmp_path_factory.mktemp("blind"), base)


def scored(model, examples):
    return get("union")(model=model).load()(examples)


def test_one_response_to_three_dialogues_has_three_scores(reading):
    found = scored(reading, [Example(NEW, source=one) for one in DIALOGUES])
    assert len(set(np.round(found.values["union"], 6))) == 3
    assert found.notes == ()


def test_a_checkpoint_that_does_not_read_sources_says_so_where_there_are_any(blind):
    found = scored(blind, [Example(NEW, source=one) for one in DIALOGUES])
    assert np.ptp(found.values["union"]) == 0
    assert found.notes == (sources.NOT_READ,)
    assert scored(blind, [Example(NEW)]).notes == ()


def test_a_text_without_the_source_that_is_read_has_a_reason(reading):
    found = scored(reading, [Example(NEW), Example(NEW, source=DIALOGUES[0])])
    assert found.reasons["union"] == [sources.NO_SOURCE, None]


def test_a_source_that_is_cut_is_noted(reading):
    found = scored(reading, [Example(NEW, source="It was good. " * 60)])
    assert found.notes == (sources.CUT,)


def test_errors_are_made_in_the_text_alone(base):
    options = UNION.training(base=base, reads="source", held_out=0.2)
    task = UNION.task(TrainingData(TEXTS, sources=SOURCES), options)
    for number in range(20):
        human, damaged = task.examples(number)
        document = task.learned[number % task.n]
        assert human.text[0] == damaged.text[0] == SOURCES[document]
        # What is beyond half of the room is cut at the end of a sentence.
        assert TEXTS[document].startswith(human.text[1])
        assert human.text[1] != damaged.text[1]


def test_only_the_text_is_rebuilt(base):
    import torch

    options = UNION.training(base=base, reads="source", held_out=0.2, places=0)
    task = UNION.task(TrainingData(TEXTS, sources=SOURCES), options)
    network = task.build("cpu").eval()
    (human, _) = task.examples(0)
    ids, mask = task.ids(network, [human.text])
    vectors = network.encoder.get_input_embeddings().weight
    with torch.no_grad():
        states = network.states(ids, mask)
        chances = network.rebuilder(states, vectors).log_softmax(-1)
        actual = float(task._rebuilt(network, states, mask, [human]))
    row = task._tokens([human.text])[0]
    # Everything behind the mark that ends the source.
    start = row.index(task._tokens.end) + 1
    logs = [float(chances[0, k, row[k]]) for k in range(start, len(row))]
    assert actual == pytest.approx(-np.mean(logs), rel=1e-5)


def test_the_negatives_of_generative_cdm_stand_behind_their_source(base):
    from scoring.metrics._cdm.task import Negative

    options = GenerativeCDM.training(base=base, reads="source", held_out=0.2)
    task = GenerativeCDM.task(TrainingData(TEXTS, sources=SOURCES), options)
    text = TEXTS[task.learned[0]]
    end = text.index(".") + 1
    task.negatives[task.learned[0]] = Negative(
        task.learned[0], 0, end, len(text), text[:end], "All was so bad.", True
    )
    human, machine = task.examples(0)
    assert human.text[0] == machine.text[0] == SOURCES[task.learned[0]]
    assert machine.text[1].startswith("All was so bad.")


class TestRecent:
    @pytest.fixture
    def tokens(self, base):
        from pathlib import Path

        return Tokens(Path(base), 23)  # 20 for two texts, 10 for the source

    def test_the_last_sentences_are_kept(self, tokens):
        found = sources.recent(
            "The film was bad. She was a woman. He was a man.", tokens
        )
        assert found == "She was a woman. He was a man."

    def test_of_a_long_sentence_the_last_words(self, tokens):
        found = sources.recent("the of and to in is was it that not no never", tokens)
        assert found == "and to in is was it that not no never"

    def test_a_source_that_fits_is_kept_whole(self, tokens):
        assert sources.recent(" He was a man. ", tokens) == "He was a man."

    def test_without_a_mark_between_two_texts_a_line_ends(self, gpt2):
        found = sources.recent("the ferry left", Tokens(gpt2, 60))
        assert found == "the ferry left\n"


def test_a_training_without_sources_keeps_its_digest():
    texts = TrainingData(["one", "two"])
    assert digest(texts) == digest(dataclasses.replace(texts, sources=[]))
    assert digest(texts) != digest(dataclasses.replace(texts, sources=["a", "b"]))
