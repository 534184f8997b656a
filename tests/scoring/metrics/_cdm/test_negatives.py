"""The degraded distribution, against plain forward passes of both models."""

import numpy as np
import pytest

from scoring.metrics import MetricError
from scoring.metrics._cdm import negatives, segments
from scoring.metrics._cdm.negatives import Filler, Sampling
from scoring.metrics._cdm.segments import NO_ROOM, NO_SEGMENT, Choice, Room
from scoring.metrics._learning.corruptions import rng_of
from tests.scoring.metrics.pairs import other_vocabulary, sibling
from tests.support import shared

SOURCES = (
    "the ferry <mask_1> harbour at seven .",
    "<mask_1> nobody on deck said a word good bad great .",
    "a word <mask_1>",
)


@pytest.fixture(scope="module")
def folders(pegasus, tmp_path_factory):
    return pegasus, sibling(pegasus, tmp_path_factory.mktemp("expert") / "pegasus")


@pytest.fixture(scope="module")
def infillers(folders):
    return negatives.load(*folders, device="cpu")


@pytest.fixture(scope="module")
def sources(infillers):
    ids = infillers.filler.backbone.ids(SOURCES, end=True)
    return [ids[one] for one in SOURCES]


def plain(model, source, written):
    """log p of the next token, float64, by one pass without cache or padding."""
    import torch

    with torch.inference_mode():
        logits = model(
            input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([written])
        ).logits
    return logits[0, -1].double().log_softmax(-1).numpy()


def formula(infillers, source, written, gamma):
    """(1 + gamma) log p_a - gamma log p_e, renormalised over what may be written."""
    filler = infillers.filler
    amateur, expert = (
        plain(model, source, written) for model in (infillers.amateur, infillers.expert)
    )
    found = (1 + gamma) * amateur - gamma * expert
    found[filler.forbidden] = -np.inf
    if len(written) == 1:
        found[list(filler.stops)] = -np.inf
    return found - np.log(np.exp(found).sum())


def steps(infillers, sources, written, sampling):
    """What the processor makes of the amateur's logits at each token, (rows, tokens).

    `written` has a row for each source; the processor sees it grow.
    """
    import torch

    ids, mask = map(torch.from_numpy, negatives.batches.pad(sources, 0))
    processor = negatives.Degraded(infillers, ids, mask.long(), sampling)
    found = []
    with torch.inference_mode():
        for n in range(1, len(written[0]) + 1):
            given = torch.tensor(written)[:, :n]
            logits = infillers.amateur(
                input_ids=ids, attention_mask=mask.long(), decoder_input_ids=given
            ).logits[:, -1]
            found.append(processor(given, logits).double().numpy())
    return found


def filled(infillers, sources, places, **sampling):
    sampling = {"gamma": 1.0, "max_new_tokens": 8} | sampling
    generators = [rng_of(0, place) for place in places]
    return negatives.fill(
        infillers, [sources[p] for p in places], generators, Sampling(**sampling)
    )


class TestDistribution:
    @pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
    def test_each_token_has_the_probability_of_the_formula(
        self, infillers, sources, gamma
    ):
        written = [[0, 7, 9, 5], [0, 11, 6, 8], [0, 5, 5, 12]]
        found = steps(infillers, sources, written, Sampling(gamma))
        for n, rows in enumerate(found, start=1):
            for source, row, ids in zip(sources, rows, written, strict=True):
                expected = formula(infillers, source, ids[:n], gamma)
                np.testing.assert_allclose(row, expected, atol=1e-4)

    def test_with_gamma_0_the_expert_is_not_even_asked(self, infillers, sources):
        alone = infillers._replace(expert=None)
        assert filled(alone, sources, [0, 1], gamma=0.0) == filled(
            infillers, sources, [0, 1], gamma=0.0
        )

    def test_rows_that_have_ended_do_not_disturb_the_others(self, infillers, sources):
        end = infillers.filler.stops[0]
        written = [[0, 7, end, 0], [0, 11, 6, 8], [0, end, 0, 0]]
        rows = steps(infillers, sources, written, Sampling(1.0))[-1]
        expected = formula(infillers, sources[1], written[1], 1.0)
        np.testing.assert_allclose(rows[1], expected, atol=1e-4)

    def test_truncation_keeps_the_fewest_tokens_with_that_share(
        self, infillers, sources
    ):
        found = steps(infillers, sources[:1], [[0, 7]], Sampling(1.0, top_p=0.6))[-1][0]
        amateur = np.exp(formula(infillers, sources[0], [0, 7], 0.0))
        kept = np.isfinite(found)
        assert amateur[kept].sum() >= 0.6
        assert amateur[kept].sum() - amateur[kept].min() < 0.6
        assert amateur[kept].min() >= amateur[~kept].max()
        expected = formula(infillers, sources[0], [0, 7], 1.0)[kept]
        expected -= np.log(np.exp(expected).sum())
        np.testing.assert_allclose(found[kept], expected, atol=1e-4)

    def test_truncation_is_the_same_however_few_tokens_are_looked_at_first(
        self, infillers, sources, monkeypatch
    ):
        sampling = Sampling(1.0, top_p=0.9)
        found = steps(infillers, sources, [[0], [0], [0]], sampling)[0]
        monkeypatch.setattr(negatives, "FIRST_LOOK", 2)
        again = steps(infillers, sources, [[0], [0], [0]], sampling)[0]
        np.testing.assert_array_equal(found, again)

    def test_temperature_divides_the_logs(self, infillers, sources):
        cold = steps(infillers, sources[:1], [[0, 7]], Sampling(1.0, temperature=0.5))
        expected = 2 * formula(infillers, sources[0], [0, 7], 1.0)
        expected -= np.log(np.exp(expected).sum())
        np.testing.assert_allclose(cold[-1][0], expected, atol=2e-4)

    def test_tokens_are_drawn_as_often_as_they_are_probable(self, infillers, sources):
        n = 3000
        found = negatives.fill(
            infillers,
            [sources[0]] * n,
            [rng_of(1, k) for k in range(n)],
            Sampling(1.0, max_new_tokens=1),
        )
        expected = np.exp(formula(infillers, sources[0], [0], 1.0))
        vocabulary = [infillers.filler.said([k]) for k in range(len(expected))]
        for k in np.argsort(-expected)[:5]:
            share = np.mean([one.text == vocabulary[k] for one in found])
            spread = np.sqrt(expected[k] * (1 - expected[k]) / n)
            assert abs(share - expected[k]) < 4 * spread


class TestFilling:
    def test_a_document_gets_the_same_segment_in_any_batch(self, infillers, sources):
        together = filled(infillers, sources, [0, 1, 2])
        alone = [filled(infillers, sources, [place])[0] for place in (0, 1, 2)]
        assert together == alone
        assert filled(infillers, sources, [2, 0]) == [together[2], together[0]]

    def test_no_segment_is_empty_and_none_holds_a_special_token(
        self, infillers, sources
    ):
        for one in filled(infillers, sources, [0, 1, 2] * 10, gamma=2.0):
            assert one.text and "<" not in one.text

    def test_what_reaches_the_most_tokens_is_not_finished(self, infillers, sources):
        found = filled(infillers, sources, [0, 1, 2] * 5, max_new_tokens=2)
        assert {one.finished for one in found} == {True, False}
        assert all(one.finished == (len(one.text.split()) < 2) for one in found)

    def test_wishes_of_the_models_folder_do_not_count(self, infillers, sources):
        before = filled(infillers, sources, [0])
        infillers.amateur.generation_config.num_beams = 3
        infillers.amateur.generation_config.forced_eos_token_id = 1
        assert filled(infillers, sources, [0]) == before


class TestPair:
    def test_other_tokenizers_are_refused(self, pegasus, tmp_path):
        with pytest.raises(MetricError, match="their tokenizers differ"):
            negatives.load(pegasus, other_vocabulary(pegasus, tmp_path), device="cpu")

    def test_one_model_twice_is_refused(self, pegasus):
        with pytest.raises(MetricError, match="the same model"):
            negatives.load(pegasus, pegasus, device="cpu")

    def test_causal_models_are_refused(self, gpt2, tmp_path):
        with pytest.raises(MetricError, match="not|no encoder-decoder"):
            negatives.load(gpt2, sibling(gpt2, tmp_path), device="cpu")

    def test_t5_is_led_to_its_gap_and_ends_at_the_next(self):
        filler = Filler(shared.path("golden/models/t5-tiny"))
        backbone = filler.backbone
        (first,) = backbone.ids(["<extra_id_0>"], end=False).values()
        (second,) = backbone.ids(["<extra_id_1>"], end=False).values()
        (pair,) = filler.pairs([("Good <extra_id_0> .", "day")])
        assert filler.lead == first and pair.first == 1
        assert pair.target[:1] + pair.target[-1:] == first + second

    def test_t5_fills_gaps(self, tmp_path):
        folder = shared.path("golden/models/t5-tiny")
        pair = negatives.load(folder, sibling(folder, tmp_path), device="cpu")
        source = "Good <extra_id_0> to you ."
        ids = pair.filler.backbone.ids([source], end=True)[source]
        found = negatives.fill(
            pair, [ids], [rng_of(0, 0)], Sampling(0.5, max_new_tokens=5)
        )
        assert found[0].text and "extra_id" not in found[0].text

    def test_bart_does_not_say_where_a_filling_ends(self):
        with pytest.raises(MetricError, match="choose a PEGASUS or T5"):
            Filler(shared.path("golden/models/bart-tiny"))


TEXT = "It was good. We left at seven, as always. Nobody said a word. Then night came."


def counted(texts):
    return [len(text.split()) for text in texts]


def choice(text=TEXT, room=(100, 100), words=0):
    (found,) = segments.choices([text], Room(*room), counted, words=words)
    return found


class TestSegments:
    def test_sentences_with_two_behind_them_are_candidates(self):
        places = choice().places
        found = [TEXT[start:end] for start, end in places]
        assert found == ["It was good.", "We left at seven, as always."]

    def test_longer_sentences_than_can_be_written_are_none(self):
        assert [TEXT[a:b] for a, b in choice(room=(100, 4)).places] == ["It was good."]

    def test_what_leaves_no_room_is_cut_at_a_sentence(self):
        found = choice(room=(9, 9))
        assert TEXT[: found.cut] == "It was good. We left at seven, as always."
        assert found.places == [(0, 12)]

    def test_all_runs_of_words_are_candidates(self):
        found = choice("We left, as always.", words=3)
        assert found == Choice([(0, 11), (3, 18)], 19)

    @pytest.mark.parametrize("text", ["", " \n", "Good.", "good", "!"])
    @pytest.mark.parametrize("words", [0, 1])
    def test_texts_of_one_word_or_none_have_no_segment(self, text, words):
        assert choice(text, words=words) == NO_SEGMENT

    def test_a_first_sentence_that_is_too_long_leaves_nothing(self):
        assert choice(room=(2, 2)) == NO_ROOM

    def test_any_candidate_may_be_drawn(self):
        drawn = {segments.drawn(choice(), rng_of(0, k)) for k in range(20)}
        assert {one[:2] for one in drawn} == set(choice().places)

    def test_the_one_that_tells_most_has_the_largest_sum(self):
        words = TEXT.split()
        ends = np.cumsum([len(word) + 1 for word in words]) - 1
        surprise = np.array([5.0, 5, 5, *[2.0] * 6, *[9.0] * 7])
        found = segments.telling(choice(), ends, surprise)
        assert TEXT[found.start : found.end] == "It was good."
        surprise[3] = 6.0
        found = segments.telling(choice(), ends, surprise)
        assert TEXT[found.start : found.end].startswith("We left")
