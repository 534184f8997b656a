"""CDM against plain forward passes of both models, token by token."""

import contextlib
import json
import shutil

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import ByteLevel

from scoring.metrics import Example, MetricError, OptionError, get
from scoring.metrics._cdm import contrast
from scoring.metrics._engine import backbones
from tests.scoring.metrics.pairs import other_vocabulary, plain_logs, sibling
from tests.support import shared

TEXT = "the ferry left harbour at seven"
TEXTS = [
    Example(TEXT),
    Example("good", source="was it bad ?"),
    Example("nobody left ."),
]


@pytest.fixture(scope="module")
def causal(gpt2, tmp_path_factory):
    return gpt2, sibling(gpt2, tmp_path_factory.mktemp("amateur") / "gpt2")


@pytest.fixture(scope="module")
def infilling(pegasus, tmp_path_factory):
    return pegasus, sibling(pegasus, tmp_path_factory.mktemp("amateur") / "pegasus")


@pytest.fixture(scope="module")
def scorer(causal):
    return load(causal)


@pytest.fixture(scope="module")
def pairs(causal, scorer):
    """The pair whose expert is better at TEXT, and the one whose expert is not."""
    better = scorer([Example(TEXT)]).values["sum"][0] > 0
    return (causal, causal[::-1]) if better else (causal[::-1], causal)


def made(pair, **options):
    return get("cdm")(expert=str(pair[0]), amateur=str(pair[1]), **options)


def load(pair, **options):
    return made(pair, **options).load("cpu")


def momentum(scorer, *examples):
    """m of each text, without the padding."""
    rows = scorer(examples).parts["m"]
    return [row[np.isfinite(row)] for row in rows]


def ids(folder, text):
    backend = Tokenizer.from_file(str(folder / "tokenizer.json"))
    backend.no_truncation()
    return backend.encode(text, add_special_tokens=False).ids


def expected(pair, tokens, source=None):
    return plain_logs(pair[0], tokens, source) - plain_logs(pair[1], tokens, source)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, atol=1e-5, rtol=0)


class TestCausalPairs:
    def test_a_text_alone_stands_behind_the_begin_of_text(self, causal, scorer):
        (found,) = momentum(scorer, Example(TEXT))
        close(found, expected(causal, [0, *ids(causal[0], TEXT)]))
        assert len(found) == 6 and np.ptp(found) > 0.1

    def test_behind_a_prefix_the_rest_is_scored(self, causal, scorer):
        (found,) = momentum(scorer, Example(TEXT, prefix="the ferry"))
        close(found, expected(causal, [0, *ids(causal[0], TEXT)])[2:])

    def test_behind_a_source_all_of_the_text_is_scored(self, causal, scorer):
        example = Example(TEXT, source="so what ?", prefix="the ferry")
        (found,) = momentum(scorer, example)
        before = ids(causal[0], "so what ?")
        tokens = [0, *before, *ids(causal[0], TEXT)]
        close(found, expected(causal, tokens)[len(before) :])
        assert len(found) == 6

    def test_without_context_all_of_the_text_is_scored_alone(self, causal, scorer):
        example = Example(TEXT, source="so what ?", prefix="the ferry")
        close(
            *momentum(load(causal, context="none"), example),
            *momentum(scorer, Example(TEXT)),
        )


class TestEncoderDecoderPairs:
    """PEGASUS: starts with token 0, masks with 2, ends with 1."""

    def test_a_source_is_encoded_as_it_is(self, infilling):
        (found,) = momentum(load(infilling), Example("left .", source=TEXT))
        source = [*ids(infilling[0], TEXT), 1]
        tokens = [0, *ids(infilling[0], "left ."), 1]
        close(found, expected(infilling, tokens, source))

    def test_a_prefix_is_encoded_with_a_gap_behind_it(self, infilling):
        (found,) = momentum(load(infilling), Example(TEXT, prefix="the ferry"))
        source = [*ids(infilling[0], "the ferry"), 2, 1]
        tokens = [0, *ids(infilling[0], "left harbour at seven"), 1]
        close(found, expected(infilling, tokens, source))

    def test_a_text_that_holds_the_gap_is_nan_with_a_reason(self, infilling):
        scores = load(infilling)([Example("left <mask_1> ."), Example(TEXT)])
        reason = "the text holds <mask_1>, which the model takes for a gap"
        assert scores.reasons["mean"] == [reason, None]
        assert np.isnan(scores.values["mean"]).tolist() == [True, False]

    @pytest.mark.parametrize("context", ["auto", "none"])
    def test_where_nothing_is_given_the_bare_gap_is_encoded(self, infilling, context):
        example = Example(TEXT, prefix="the" if context == "none" else "")
        (found,) = momentum(load(infilling, context=context), example)
        tokens = [0, *ids(infilling[0], TEXT), 1]
        close(found, expected(infilling, tokens, [2, 1]))

    @pytest.mark.parametrize(
        ("name", "gap"), [("t5-tiny", "<extra_id_0>"), ("bart-tiny", "<mask>")]
    )
    def test_other_families_fill_gaps_in_their_own_form(self, tmp_path, name, gap):
        folder = shared.path(f"golden/models/{name}")
        pair = folder, sibling(folder, tmp_path / name)
        scorer = load(pair)
        backbone = backbones.load(folder)
        (asked,) = backbone.pairs([(f"The ferry {gap}", " left.")], end=True)
        tokens = [scorer.contrast.expert.start, *asked.target]
        (found,) = momentum(scorer, Example("The ferry left.", prefix="The ferry"))
        close(found, expected(pair, tokens, asked.source)[asked.first : asked.last])


class TestPoolings:
    def test_they_are_numbers_of_the_steps(self, scorer):
        scores = scorer(TEXTS)
        for k, steps in enumerate(momentum(scorer, *TEXTS)):
            found = {key: values[k] for key, values in scores.values.items()}
            assert found == pytest.approx(
                {
                    "mean": sum(steps) / len(steps),
                    "sum": sum(steps),
                    "max": sorted(steps)[-1],
                    "min": sorted(steps)[0],
                    "last": steps[-1],
                }
            )

    def test_the_mean_comes_first(self):
        outputs = get("cdm")().outputs
        keys = [output.key for output in outputs]
        assert keys == ["mean", "sum", "max", "min", "last"]
        assert all(output.higher_is_better for output in outputs)

    @pytest.mark.parametrize("which", ["causal", "infilling"])
    def test_batches_and_order_make_no_difference(self, which, request):
        scorer = load(request.getfixturevalue(which))
        wanted = scorer(TEXTS)
        for engine in (scorer.contrast.expert, scorer.contrast.amateur):
            engine.budget = 1
        found = scorer(TEXTS[::-1])
        for key, values in wanted.values.items():
            close(found.values[key][::-1], values)

    def test_slabs_make_no_difference(self, scorer, monkeypatch):
        wanted = scorer(TEXTS)
        monkeypatch.setattr("scoring.metrics._cdm.contrast.SLAB", 2)
        found = scorer(TEXTS)
        close(found.values["sum"], wanted.values["sum"])
        close(found.parts["m"], wanted.parts["m"])


class TestEdges:
    @pytest.mark.parametrize(
        ("example", "reason"),
        [
            (Example(" "), "the text is empty"),
            (Example("a", prefix="b"), "the text does not start with its prefix"),
            (Example("a b ", prefix="a b"), "nothing follows the prefix"),
            (Example("left " * 30), "the text has 30 tokens, the model takes 24"),
        ],
    )
    def test_what_does_not_exist_is_nan_with_a_reason(self, scorer, example, reason):
        scores = scorer([TEXTS[0], example])
        for key, values in scores.values.items():
            assert np.isnan(values).tolist() == [False, True]
            assert scores.reasons[key] == [None, reason]
        assert np.isnan(scores.parts["m"][1]).all()

    def test_the_smaller_limit_of_the_two_counts(self, gpt2, tmp_path):
        amateur = sibling(gpt2, tmp_path / "amateur")
        scorer = load((gpt2, amateur))
        scorer.contrast.amateur.limit = 5
        reason = "the text has 6 tokens, the model takes 5"
        assert scorer(TEXTS[:1]).reasons["mean"] == [reason]

    def test_nothing_to_score_is_no_error(self, scorer):
        scores = scorer([])
        assert scores.values["mean"].shape == (0,) and scores.notes == ()

    def test_progress_adds_up(self, scorer):
        told = []
        scorer([*TEXTS, Example("")], told.append)
        assert sum(told) == 4


class TestPairs:
    def test_different_tokenizers_are_refused_whatever_their_names(
        self, gpt2, tmp_path
    ):
        other = other_vocabulary(gpt2, tmp_path / "gpt2")
        message = r"their tokenizers differ \(40 tokens, but not the same ones\)"
        with pytest.raises(MetricError, match=message):
            load((gpt2, other))

    def test_what_a_tokenizer_is_called_and_where_it_cuts_is_no_difference(
        self, gpt2, tmp_path
    ):
        other = sibling(gpt2, tmp_path / "gpt2")
        file = other / "tokenizer.json"
        backend = Tokenizer.from_file(str(file))
        backend.enable_truncation(3)
        backend.save(str(file))
        assert load((gpt2, other))(TEXTS[:1]).reasons["mean"] == [None]

    @pytest.mark.parametrize(
        ("changes", "same"),
        [
            ({"trim_offsets": False}, True),
            ({"add_prefix_space": True}, False),
            ({"use_regex": False}, False),
        ],
    )
    def test_only_what_changes_token_ids_is_a_difference(
        self, gpt2, tmp_path, changes, same
    ):
        pair = []
        plain = {"trim_offsets": True, "add_prefix_space": False, "use_regex": True}
        for name, flags in (("expert", plain), ("amateur", {**plain, **changes})):
            pair.append(shutil.copytree(gpt2, tmp_path / name))
            file = pair[-1] / "tokenizer.json"
            backend = Tokenizer.from_file(str(file))
            backend.pre_tokenizer = ByteLevel(**flags)
            backend.save(str(file))
        refusal = pytest.raises(MetricError, match="their tokenizers differ")
        with contextlib.nullcontext() if same else refusal:
            contrast.check_tokenizers(*pair)

    def test_one_of_each_kind_is_refused(self, gpt2, pegasus):
        message = "the expert is a causal model, the amateur an encoder-decoder one"
        with pytest.raises(MetricError, match=message):
            load((gpt2, pegasus))

    def test_one_model_twice_is_refused(self, gpt2):
        with pytest.raises(MetricError, match="are the same model"):
            load((gpt2, gpt2))

    def test_a_missing_model_is_said(self, gpt2, tmp_path):
        with pytest.raises(MetricError, match="there is no model folder"):
            load((gpt2, tmp_path / "none"))
        with pytest.raises(OptionError, match="choose both models"):
            made((gpt2, "")).check()

    def test_contents_are_in_the_signature_and_paths_are_not(self, causal, scorer):
        assert str(causal[0]) not in scorer.signature
        swapped = load(causal[::-1]).signature
        assert "|amateur:sha256:" in swapped != scorer.signature
        assert "|context:auto|" in swapped and "|held_out:none|" in swapped


class TestWhoIsTheExpert:
    """Of two random models one has the lower loss on a text; then the other has not."""

    def test_held_out_text_decides_and_the_losses_are_told(self, pairs, tmp_path):
        lines = tmp_path / "human.txt"
        lines.write_text(f"\n{TEXT}\n")
        rows = tmp_path / "human.jsonl"
        rows.write_text(json.dumps({"text": TEXT}) + "\n")
        good, bad = pairs
        for file in (lines, rows):
            assert load(good, held_out=str(file))(TEXTS).notes == ()
            (note,) = load(bad, held_out=str(file))(TEXTS).notes
        tokens = [0, *ids(bad[0], TEXT)]
        expert, amateur = (-plain_logs(folder, tokens).mean() for folder in bad)
        assert f"loss is {expert:.3f} nats per token and the amateur's" in note
        assert f"is {amateur:.3f}: the metric assumes" in note

    def test_without_it_references_decide(self, pairs):
        good, bad = (load(pair) for pair in pairs)
        example = Example("good bad", references=(TEXT, "so"))
        assert good([example]).notes == ()
        (note,) = bad([example]).notes
        assert "On the references, or at least on some of them, its loss" in note

    def test_else_the_texts_themselves_do(self, pairs):
        good, bad = (load(pair) for pair in pairs)
        assert good([Example(TEXT)]).notes == ()
        (note,) = bad([Example(TEXT)]).notes
        assert "On the texts themselves, " in note
        # What several portions say is kept once, so it must be the same words.
        assert bad([Example(TEXT)] * 3).notes == (note,)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.txt", None, "held_out: cannot read .*a.txt: No such file"),
            ("a.txt", b"\n \n", "held_out: there is no text in"),
            ("a.txt", b"\xff\n", "held_out: .* is not UTF-8"),
            ("a.jsonl", b"{}\n", 'held_out: .*, line 1: there is no "text"'),
        ],
    )
    def test_a_bad_file_is_said_in_a_sentence(
        self, causal, tmp_path, name, content, message
    ):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(MetricError, match=message):
            load(causal, held_out=str(tmp_path / name))
