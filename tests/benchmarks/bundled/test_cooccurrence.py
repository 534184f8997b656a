import numpy as np
import pytest

from benchmarks.bundled import cooccurrence
from benchmarks.bundled.pack import Pack


@pytest.fixture
def make_pack(tmp_path):
    def make(documents, held_out=None):
        """Of token ids: documents of sentences."""
        sentences = [sentence for document in documents for sentence in document]
        return Pack(
            folder=tmp_path,
            tokens=np.array(sum(sentences, []), dtype=np.uint16),
            sentences=np.cumsum([0, *map(len, sentences)]),
            documents=np.cumsum([0, *map(len, documents)]),
            held_out=np.array(held_out or [False] * len(documents)),
            sources=np.zeros(len(documents), dtype=np.uint8),
            facts={"vocabulary": 16},
        )

    return make


class TestPairCounts:
    def test_each_pair_counts_the_nearer_the_more(self, make_pack):
        pack = make_pack([[[7, 8, 9]]])
        counts = cooccurrence.pair_counts(pack)
        assert counts[7, 8] == counts[8, 7] == 1
        assert counts[7, 9] == 0.5
        assert counts.sum() == 2 * 2.5

    def test_documents_are_apart_and_sentences_are_not(self, make_pack):
        counts = cooccurrence.pair_counts(make_pack([[[7], [8]], [[9]]]))
        assert counts[7, 8] == 1
        assert counts[9].sum() == 0

    def test_nothing_is_learned_from_what_is_held_out(self, make_pack):
        pack = make_pack([[[7, 8]], [[8, 9]]], held_out=[False, True])
        counts = cooccurrence.pair_counts(pack)
        assert counts[7, 8] == 1
        assert counts[8, 9] == 0


class TestVectors:
    def test_tokens_with_the_same_neighbours_are_alike(self):
        """10 and 11 stand beside 12, 13 and 14 beside 15."""
        counts = np.zeros((16, 16), dtype=np.float32)
        for a, b in ((10, 12), (11, 12), (13, 15), (14, 15)):
            counts[a, b] = counts[b, a] = 5
        found = cooccurrence.scaled(
            cooccurrence.vectors(counts, 4, np.random.default_rng(0))
        )
        near = found @ found.T
        assert near[10, 11] > 0.99 * near[10, 10]
        assert abs(near[10, 13]) < 0.1 * near[10, 10]

    def test_a_token_without_neighbours_begins_as_noise(self):
        counts = np.zeros((16, 16), dtype=np.float32)
        counts[10, 12] = counts[12, 10] = 5
        found = cooccurrence.vectors(counts, 4, np.random.default_rng(0))
        assert np.linalg.norm(found, axis=1).min() > 0.1

    def test_rows_have_the_spread_of_untrained_embeddings(self):
        rows = np.random.default_rng(0).normal(size=(5, 64)) * [[1], [2], [3], [4], [5]]
        assert np.allclose(
            np.sqrt((cooccurrence.scaled(rows) ** 2).mean(1)), cooccurrence.SPREAD
        )


def test_a_pack_brings_its_embeddings(packed):
    found = cooccurrence.read(packed.folder, 32)
    assert found.shape == (packed.vocabulary, 32)
    assert np.isfinite(found).all()
    assert cooccurrence.read(packed.folder, packed.vocabulary) is None
