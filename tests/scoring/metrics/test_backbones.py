import pytest

from scoring.metrics import MetricError, _backbones
from tests import shared


@pytest.fixture(scope="module")
def backbone():
    return _backbones.load(shared.path("golden/models/pegasus-tiny-sharp"))


class TestPublishedPegasus:
    def test_the_mask_is_the_token_2(self, backbone):
        assert backbone.ids(["<mask_1>"], end=False) == {"<mask_1>": (2,)}

    def test_there_is_no_stray_piece_before_the_mask(self, backbone):
        text = "In summary, it was <mask_1>. Once"
        ids = (222, 5627, 108, 126, 140, 2, 110, 107, 1603, 1)
        assert backbone.ids([text], end=True) == {text: ids}

    def test_nothing_is_cut(self, backbone):
        (ids,) = backbone.ids(["once upon a time " * 100], end=True).values()
        assert len(ids) > 400

    def test_it_has_as_many_tokens_as_the_model(self, backbone):
        assert backbone.vocabulary == 96103


def test_the_end_token_is_an_option_for_targets_only(pegasus):
    backbone = _backbones.load(pegasus)
    (with_end,) = backbone.pairs([("the <mask_1>", "ferry")], end=True)
    (without,) = backbone.pairs([("the <mask_1>", "ferry")], end=False)
    assert with_end.source == without.source and with_end.source[-1] == 1
    assert with_end.target == (*without.target, 1)


def test_another_family_is_refused_in_one_sentence(gpt2):
    with pytest.raises(MetricError, match="family 'gpt2'.*supported: pegasus"):
        _backbones.load(gpt2)


def test_a_folder_without_tokenizer_is_refused(pegasus, tmp_path):
    (tmp_path / "config.json").write_bytes((pegasus / "config.json").read_bytes())
    with pytest.raises(MetricError, match="has no tokenizer.json"):
        _backbones.load(tmp_path)
