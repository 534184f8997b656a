import numpy as np
import pytest

from annotation import sentences
from benchmarks.bundled import iwf, pack, prepare, texts, vocabulary
from benchmarks.bundled.windows import Batches, batches, cut
from scoring.metrics import ctrleval


@pytest.fixture
def toy(tmp_path):
    """Two documents: 3 sentences, then 2; the second document is held out."""
    pack.write(
        tmp_path,
        tokens=np.array([6, 7, 6, 8, 9, 7, 6, 6, 9]),
        lengths=np.array([3, 2, 1, 2, 1]),
        documents=np.array([3, 2]),
        held_out=np.array([False, True]),
        sources=np.array([0, 0]),
        facts={"vocabulary": 11, "hash": "x", "documents": {}, "splitter": "s"},
    )
    return pack.load(tmp_path)


class TestPack:
    def test_it_comes_back_as_it_was_written(self, toy):
        assert toy.sentences.tolist() == [0, 3, 5, 6, 8, 9]
        assert toy.documents.tolist() == [0, 3, 5]
        assert toy.chosen(held_out=True).tolist() == [1]
        assert toy.counts[[6, 7, 9, 10]].tolist() == [4, 2, 2, 0]

    def test_a_window_knows_its_sentences_and_whether_the_document_ends(self, toy):
        window = toy.window(1, 3, limit=10)
        assert window.ids.tolist() == [8, 9, 7]
        assert window.bounds.tolist() == [0, 2, 3]
        assert window.is_end
        assert not toy.window(0, 2, limit=10).is_end
        assert not toy.window(1, 3, limit=2).is_end

    def test_windows_hold_whole_sentences_of_one_document(self, toy):
        cuts = cut(toy, np.array([0, 1]), np.array([3, 3]))
        found = sorted(zip(cuts.first, cuts.last, cuts.lengths, strict=True))
        assert found == [(0, 1, 3), (1, 3, 3), (3, 5, 3)]

    def test_a_sentence_that_is_too_long_is_a_window_alone(self, toy):
        cuts = cut(toy, np.array([0]), np.array([2]))
        found = sorted(zip(cuts.first, cuts.last, cuts.lengths, strict=True))
        assert found == [(0, 1, 2), (1, 2, 2), (2, 3, 1)]


def test_each_window_is_in_one_batch_and_no_batch_is_too_large() -> None:
    lengths = np.random.default_rng(0).integers(1, 100, 500)
    found = batches(lengths, 300, np.random.default_rng(1))
    both = np.sort(np.concatenate(found))
    assert both.tolist() == np.flatnonzero(lengths >= 8).tolist()
    assert all(len(one) * lengths[one].max() <= 300 for one in found)


class TestPrepared:
    def test_held_out_are_the_documents_whose_words_say_so(self, packed, data):
        found, _ = prepare.clean(data)
        assert packed.held_out.sum() == sum(texts.is_held_out(d.text) for d in found)
        assert 0 < packed.held_out.sum() < 0.1 * len(packed.held_out)

    def test_what_touches_a_rated_text_is_left_out(self, packed):
        assert packed.facts["left_out_for_overlap"]["20newsgroups"] == 1
        assert packed.facts["left_out_for_overlap"]["imdb"] == 0

    def test_a_second_time_gives_the_same(self, packed, data, tmp_path):
        assert prepare.prepare(data, tmp_path, size=400) == packed.facts

    def test_its_tokens_are_those_of_the_sentences(self, packed, data):
        tokenizer = vocabulary.load(packed.folder / "tokenizer.json")
        first = next(iter(texts.read(data))).text
        split = [s for line in first.split("\n") for s in sentences.split(line)]
        window = packed.window(0, int(packed.documents[1]), limit=10_000)
        assert len(window.bounds) == len(split) + 1
        whole = vocabulary.ids(tokenizer, first)
        assert window.ids.tolist() == whole


class TestVocabulary:
    @pytest.fixture
    def ids(self, packed):
        tokenizer = vocabulary.load(packed.folder / "tokenizer.json")
        return lambda text: vocabulary.ids(tokenizer, text)

    def test_special_tokens_are_where_pegasus_has_them(self, packed, ids):
        tokenizer = vocabulary.load(packed.folder / "tokenizer.json")
        names = [tokenizer.id_to_token(k) for k in range(6)]
        assert names == ["<pad>", "</s>", "<mask_1>", "<mask_2>", "<unk>", "<s>"]
        assert tokenizer.encode("good").ids[1:] == [1]

    def test_there_is_no_stray_piece_before_the_mask(self, ids):
        words = ids("In summary, it was")
        end, once = ids("x.")[-1], ids("Once")
        assert ids("In summary, it was <mask_1>. Once") == [*words, 2, end, *once]
        assert ids(" <mask_1> Once") == ids("<mask_1> Once") == [2, *once]
        assert ids("In summary, it was <mask_1>") == [*words, 2]

    def test_spaces_make_no_difference(self, ids):
        assert ids(" it  was\n good ") == ids("it was good")

    def test_each_word_for_a_label_is_one_token(self, ids):
        assert len(vocabulary.LABEL_WORDS) == 10
        assert all(len(ids(word)) == 1 for word in vocabulary.LABEL_WORDS)

    def test_sentences_apart_are_as_sentences_together(self, ids):
        assert ids("It was good.") + ids('"Nobody" came.') == ids(
            'It was good. "Nobody" came.'
        )

    def test_a_text_too_small_for_a_word_of_its_own_is_refused(self):
        with pytest.raises(ValueError, match="no tokens of their own have: .*politics"):
            vocabulary.train(["too small"], size=30)


class TestFrequencies:
    def test_by_hand(self, toy):
        """Sentences to learn from: 6 7 6 | 8 9 | 7. The held-out ones do not count."""
        found, n = iwf.table(toy)
        log = np.log(1 + 3)
        assert n == 3
        assert found == pytest.approx([0] * 6 + [log, log / 2, log, log, 0])

    def test_slabs_make_no_difference(self, packed, monkeypatch):
        whole, _ = iwf.table(packed)
        monkeypatch.setattr(iwf, "SLAB", 7)
        assert (iwf.table(packed)[0] == whole).all()

    def test_the_metric_reads_what_is_written(self, toy, tmp_path):
        facts = iwf.write(toy, tmp_path / "iwf.txt")
        read = ctrleval.read_iwf(tmp_path / "iwf.txt", toy.vocabulary)
        assert (read == iwf.table(toy)[0]).all()
        assert facts["sentences"] == 3
        assert (tmp_path / "iwf.json").exists()


class TestBatches:
    def test_any_process_makes_the_same_batch(self, packed, recipe):
        one, other = (
            Batches(packed, recipe.objective(packed), budget=500, seed=3)
            for _ in range(2)
        )
        first = one[0, 0], one[1, 1]
        second = other[1, 1]
        for name, array in first[1].items():
            assert (array == second[name]).all()

    def test_epochs_differ(self, packed, recipe):
        found = Batches(packed, recipe.objective(packed), budget=500, seed=3)
        assert found[0, 0]["labels"].tolist() != found[1, 0]["labels"].tolist()
