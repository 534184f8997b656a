"""Tokens of each family; their probabilities are in test_ctrleval_families."""

import json
import shutil

import pytest

from scoring.metrics import MetricError
from scoring.metrics._engine import backbones
from tests.support import shared


@pytest.fixture(scope="module")
def published():
    return {
        name: backbones.load(shared.path(f"golden/models/{folder}"))
        for name, folder in [
            ("pegasus", "pegasus-tiny-sharp"),
            ("t5", "t5-tiny"),
            ("bart", "bart-tiny"),
        ]
    }


@pytest.fixture
def copied(tmp_path):
    """Copy the folder of a model without its weights."""

    def copy(folder):
        return shutil.copytree(
            folder, tmp_path / "copy", ignore=lambda *_: ["model.safetensors"]
        )

    return copy


class TestPegasus:
    def test_the_mask_is_the_token_2(self, published):
        assert published["pegasus"].ids(["<mask_1>"], end=False) == {"<mask_1>": (2,)}

    def test_there_is_no_stray_piece_before_the_mask(self, published):
        text = "In summary, it was <mask_1>. Once"
        ids = (222, 5627, 108, 126, 140, 2, 110, 107, 1603, 1)
        assert published["pegasus"].ids([text], end=True) == {text: ids}

    def test_nothing_is_cut(self, published):
        (ids,) = published["pegasus"].ids(["once upon a " * 100], end=True).values()
        assert len(ids) > 300

    def test_it_has_as_many_tokens_as_the_model(self, published):
        assert published["pegasus"].vocabulary == 96103

    def test_its_two_forms_are_one(self, published):
        patterns = [("So <mask_1>!", "good"), ("<mask_1> left.", "The ferry")]
        backbone = published["pegasus"]
        for end in (True, False):
            assert backbone.pairs(patterns, end=end) == backbone.plain(
                patterns, end=end
            )


class TestT5:
    @pytest.mark.parametrize("end", [True, False])
    def test_the_filling_stands_behind_a_sentinel_and_alone_is_scored(
        self, published, end
    ):
        backbone = published["t5"]
        (pair,) = backbone.pairs([("It was <extra_id_0>.", "good")], end=end)
        assert pair.target == (32099, *pair.scored)
        assert pair.scored == backbone.ids(["good"], end=False)["good"]
        assert pair.source.count(32099) == 1 and pair.source[-1] == 1

    def test_the_plain_form_scores_the_end_token_where_asked(self, published):
        patterns = [("It was <extra_id_0>.", "good")]
        (closed,) = published["t5"].plain(patterns, end=True)
        (open_,) = published["t5"].plain(patterns, end=False)
        assert closed.scored == (*open_.scored, 1)


class TestBart:
    def test_the_decoder_is_led_through_the_text_up_to_the_gap(self, published):
        backbone = published["bart"]
        (pair,) = backbone.pairs([("The ferry <mask> at seven.", "left ")], end=True)
        whole = backbone.ids(["The ferry left at seven."], end=True)
        (expected,) = whole.values()
        assert pair.target == expected[: len(pair.target)]
        assert pair.scored == backbone.ids([" left"], end=False)[" left"]

    @pytest.mark.parametrize("source", ["<mask> left.", " <mask> left."])
    def test_what_opens_the_text_has_no_space_before_it(self, published, source):
        backbone = published["bart"]
        (pair,) = backbone.pairs([(source, " Ferries")], end=True)
        assert pair.scored == backbone.ids(["Ferries"], end=False)["Ferries"]

    def test_the_plain_form_scores_both_tokens_around_where_asked(self, published):
        patterns = [("The ferry <mask>.", "left")]
        (closed,) = published["bart"].plain(patterns, end=True)
        (open_,) = published["bart"].plain(patterns, end=False)
        assert closed.scored == (0, *open_.scored, 2)

    def test_a_copy_whose_mask_lost_its_space_is_mended(self, published, copied):
        folder = copied(shared.path("golden/models/bart-tiny"))
        for name in ("tokenizer.json", "tokenizer_config.json"):
            content = (folder / name).read_text()
            (folder / name).chmod(0o644)
            (folder / name).write_text(
                content.replace('"lstrip": true', '"lstrip": false').replace(
                    '"lstrip":true', '"lstrip":false'
                )
            )
        text = "The ferry <mask> left."
        mended = backbones.load(folder)
        assert mended.ids([text], end=True) == published["bart"].ids([text], end=True)
        assert mended.vocabulary == published["bart"].vocabulary


def test_the_end_token_is_an_option_for_targets_only(pegasus):
    backbone = backbones.load(pegasus)
    (with_end,) = backbone.pairs([("the <mask_1>", "ferry")], end=True)
    (without,) = backbone.pairs([("the <mask_1>", "ferry")], end=False)
    assert with_end.source == without.source and with_end.source[-1] == 1
    assert with_end.target == (*without.target, 1)


class TestErrors:
    def test_another_family_is_refused_in_one_sentence(self, gpt2):
        with pytest.raises(MetricError, match="'gpt2'.*supported: bart, pegasus, t5"):
            backbones.load(gpt2)

    def test_a_folder_without_tokenizer_is_refused(self, pegasus, tmp_path):
        (tmp_path / "config.json").write_bytes((pegasus / "config.json").read_bytes())
        with pytest.raises(MetricError, match="has no tokenizer.json"):
            backbones.load(tmp_path)

    def test_a_broken_tokenizer_is_named(self, pegasus, copied):
        folder = copied(pegasus)
        (folder / "tokenizer.json").write_text("{")
        with pytest.raises(MetricError, match="cannot read .*tokenizer.json"):
            backbones.load(folder)

    def test_a_tokenizer_without_the_gap_is_another_models(self, pegasus, gpt2, copied):
        folder = copied(pegasus)
        shutil.copy(gpt2 / "tokenizer.json", folder)
        with pytest.raises(MetricError, match="no token <mask_1>.* another model"):
            backbones.load(folder)

    def test_a_tokenizer_with_more_tokens_than_the_model_is_another_models(
        self, pegasus, copied
    ):
        folder = copied(pegasus)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "vocab_size": 9}))
        with pytest.raises(MetricError, match="but the model knows 9: the"):
            backbones.load(folder)
