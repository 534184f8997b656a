import numpy as np
import pytest

from scoring.metrics import Example, MetricError, OptionError, SystemTexts, get

TEXTS = ["the ferry left", "nobody said a word on deck", "", "so it was"]
HUMAN = ("the ferry left harbour at seven", "it was a good word")


def load(gpt2, **options):
    return get("corpus_perplexity")(model=str(gpt2), **options).load("cpu")


def score(scorer, texts, corpus=(), progress=None):
    given = SystemTexts(tuple(texts), tuple(corpus))
    return scorer(given, np.random.default_rng(0), progress)


def perplexity(scorer, texts):
    """The number, or why there is none."""
    found = score(scorer, texts)
    return found.reasons.get("perplexity", found.values["perplexity"][0])


@pytest.mark.parametrize("bos", [True, False])
def test_it_is_the_perplexity_of_all_tokens_together(gpt2, bos):
    texts = [text for text in TEXTS if text]
    examples = [Example(text) for text in texts]
    alone = get("perplexity")(model=str(gpt2), bos=bos).load("cpu")(examples)
    # Without a token before it the first one only conditions.
    tokens = np.array([len(text.split()) for text in texts]) - (not bos)
    expected = np.exp((alone.values["nll"] * tokens).sum() / tokens.sum())
    found = perplexity(load(gpt2, bos=bos), TEXTS)
    assert found == pytest.approx(expected, rel=1e-5)


def test_it_does_not_depend_on_the_number_of_texts(gpt2, monkeypatch):
    scorer = load(gpt2)
    once = perplexity(scorer, TEXTS)
    monkeypatch.setattr("scoring.metrics.corpus_perplexity.SLAB", 3)
    assert perplexity(scorer, TEXTS * 4) == pytest.approx(once, rel=1e-5)


def test_the_model_writes_what_does_not_surprise_it():
    scorer = load("bundled:causal-nano")
    fluent = "The old man walked down to the river and sat on the bank."
    shuffled = "bank the on sat and river the to down walked man old The."
    assert 1 < perplexity(scorer, [fluent]) < perplexity(scorer, [shuffled])


def test_closeness_is_the_negated_distance_from_human_text(gpt2):
    scorer = load(gpt2)
    own, human = (perplexity(scorer, texts) for texts in (TEXTS, HUMAN))
    found = score(scorer, TEXTS, HUMAN)
    assert found.values["perplexity_closeness"] == pytest.approx([-abs(own - human)])
    assert found.details["human"] == {"perplexity": [pytest.approx(human)]}


def test_human_texts_are_scored_once_for_all_systems(gpt2, monkeypatch):
    scorer, scored = load(gpt2), []
    logprobs = scorer._engine.logprobs

    def counted(rows, done):
        scored.append(len(rows))
        return logprobs(rows, done)

    monkeypatch.setattr(scorer._engine, "logprobs", counted)
    first = score(scorer, TEXTS, HUMAN)
    again = score(scorer, TEXTS, HUMAN)
    assert scored == [4, 2, 4] and again.values == first.values
    score(scorer, TEXTS, HUMAN[:1])
    assert scored == [4, 2, 4, 4, 1]


def test_of_a_longer_text_the_first_tokens_count_and_it_is_told(gpt2):
    scorer = load(gpt2, max_tokens=3)
    found = score(scorer, ["the ferry left harbour", "so it was"])
    whole = score(scorer, ["the ferry left", "so it was"])
    assert found.values["perplexity"] == whole.values["perplexity"]
    assert found.notes == ("Only the first 3 tokens of each text count",)
    assert (found.details["cut"], whole.details["cut"]) == (1, 0) and not whole.notes
    assert score(scorer, ["so it was"], ["the ferry left harbour"]).notes


@pytest.mark.parametrize(("bos", "room"), [(True, 24), (False, 25)])
def test_no_text_is_too_long_for_the_model(gpt2, bos, room):
    scorer = load(gpt2, bos=bos)
    found, whole = (score(scorer, ["so " * n]) for n in (room + 1, room))
    assert found.values["perplexity"] == whole.values["perplexity"]
    assert found.details["cut"] == 1 and whole.details["cut"] == 0


def test_without_a_token_there_is_a_reason(gpt2):
    scorer = load(gpt2)
    for texts in [], [""], ["", " "]:
        assert perplexity(scorer, texts) == "there is no token to score"
    found = score(scorer, TEXTS, [""])
    reason = "in the human texts: there is no token to score"
    assert found.reasons == {"perplexity_closeness": reason}


def test_progress_tells_of_the_texts_of_the_system_alone(gpt2):
    told = []
    score(load(gpt2), TEXTS, HUMAN * 5, told.append)
    assert sum(told) == len(TEXTS)


def test_the_signature_has_contents_and_no_paths(gpt2):
    signature = load(gpt2).signature
    assert "|model:sha256:" in signature and str(gpt2) not in signature


def test_an_encoder_decoder_is_refused(pegasus):
    with pytest.raises(MetricError, match="not a causal one"):
        load(pegasus)


def test_one_token_alone_is_too_little(gpt2):
    with pytest.raises(OptionError, match="max_tokens=1: expected 2 or more"):
        load(gpt2, max_tokens=1)
