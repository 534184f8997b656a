import dataclasses
import json

import numpy as np
import pytest
import torch

from benchmarks.bundled import (
    checkpoints,
    cooccurrence,
    export,
    train,
    training,
    vocabulary,
    windows,
)
from benchmarks.bundled.embedding import Embedding
from benchmarks.bundled.infilling import FORMS, TOPIC_WORDS, Infilling
from benchmarks.bundled.recipes import RECIPES
from benchmarks.bundled.training import Plan, Trainer
from benchmarks.bundled.vocabulary import BOS, EOS, MASK, MASK_2, PAD
from scoring.metrics import Example, get
from scoring.metrics._ctrleval import word_list
from scoring.metrics._engine import models

PLAN = Plan(held_out_tokens=2000)
# What the files may have together and one by one, in bytes.
ALL, ONE = 110_000_000, 12_000_000


@pytest.fixture
def stopped(monkeypatch):
    """A function that lets commands end after so many steps."""

    def after(steps):
        over = lambda self, started: self.state.step >= steps  # noqa: E731
        monkeypatch.setattr(Trainer, "_is_over", over)

    return after


def _certain(recipe):
    return recipe.sizes | {"dropout": 0.0}


def _seeded():
    return torch.Generator().manual_seed(0)


def trained(recipe, packed, path, **changes):
    return Trainer(recipe, packed, path, dataclasses.replace(PLAN, **changes)).run()


class TestTraining:
    def test_the_loss_falls(self, recipe, packed, tmp_path, stopped):
        stopped(20)
        trainer = Trainer(recipe, packed, tmp_path / "m.pt", PLAN)
        before = trainer.held_out_loss()
        state = trainer.run()
        assert state.step == 20 and not state.done
        assert state.log[-1]["held_out"] < before - 0.2

    def test_it_begins_with_what_stands_near_what(self, recipe, packed, tmp_path):
        """Embeddings of any size give logits of one size."""
        logits = []
        for spread in (0.02, 0.2):
            wide = dataclasses.replace(recipe, spread=spread)
            network = Trainer(wide, packed, tmp_path / "m.pt", PLAN).state.network
            own = network.get_input_embeddings().weight.detach()
            expected = cooccurrence.read(packed.folder, own.shape[1], spread)
            assert np.allclose(own, expected)
            norm = wide.objective(packed).last_norm(network)
            states = norm(torch.randn(4, own.shape[1], generator=_seeded()))
            logits.append(states @ own.T)
        assert torch.allclose(*logits, atol=1e-5)

    def test_embeddings_move_at_their_own_pace(self, recipe, packed, tmp_path, stopped):
        stopped(1)
        moved = []
        for pace in (1.0, 0.1):
            slow = dataclasses.replace(recipe, pace=pace)
            state = trained(slow, packed, tmp_path / f"{pace}.pt")
            own = state.network.get_input_embeddings().weight.detach().numpy()
            begun = cooccurrence.read(packed.folder, own.shape[1], recipe.spread)
            moved.append(np.abs(own - begun).mean())
        assert moved[1] == pytest.approx(0.1 * moved[0], rel=0.1)

    @pytest.mark.slow
    def test_to_go_on_is_as_never_to_have_stopped(
        self, recipe, packed, tmp_path, stopped
    ):
        whole = trained(recipe, packed, tmp_path / "whole.pt")
        stopped(7)
        first = trained(recipe, packed, tmp_path / "parts.pt")
        assert first.step == 7 and not first.done
        stopped(10_000)
        second = trained(recipe, packed, tmp_path / "parts.pt")
        assert second.done and second.step == whole.step
        for name, value in whole.network.state_dict().items():
            assert torch.equal(second.network.state_dict()[name], value), name
        assert second.log[-1]["held_out"] == whole.log[-1]["held_out"]

    def test_another_seed_gives_another_model(self, packed, tmp_path, stopped):
        from tests.benchmarks.bundled.conftest import RECIPES as TINY

        stopped(2)
        one = trained(TINY["causal"], packed, tmp_path / "1.pt", seed=1)
        two = trained(TINY["causal"], packed, tmp_path / "2.pt", seed=2)
        assert one.log[-1]["held_out"] != two.log[-1]["held_out"]

    def test_processes_that_make_batches_change_nothing(
        self, packed, tmp_path, stopped
    ):
        from tests.benchmarks.bundled.conftest import RECIPES as TINY

        stopped(5)
        alone = trained(TINY["infill"], packed, tmp_path / "1.pt")
        helped = trained(TINY["infill"], packed, tmp_path / "2.pt", workers=2)
        assert alone.log[-1]["held_out"] == helped.log[-1]["held_out"]

    def test_in_parts_a_step_is_the_same(self, packed, tmp_path, stopped):
        """But for the order of sums."""
        from tests.benchmarks.bundled.conftest import RECIPES as TINY

        stopped(3)
        plain = dataclasses.replace(TINY["infill"], sizes=_certain(TINY["infill"]))
        one, four = (
            trained(dataclasses.replace(plain, parts=n), packed, tmp_path / f"{n}.pt")
            for n in (1, 4)
        )
        assert four.tokens < one.tokens  # less padding
        assert four.log[-1]["loss"] == pytest.approx(one.log[-1]["loss"], abs=1e-3)
        assert four.log[-1]["held_out"] == pytest.approx(
            one.log[-1]["held_out"], abs=1e-2
        )

    def test_what_is_held_out_does_not_depend_on_the_batch(self, packed, tmp_path):
        from tests.benchmarks.bundled.conftest import RECIPES as TINY

        one, two = (
            Trainer(
                TINY["causal"],
                packed,
                tmp_path / "m.pt",
                dataclasses.replace(PLAN, batch=batch),
            )
            for batch in (500, 2000)
        )
        assert one.held_out_loss() == two.held_out_loss()

    @pytest.mark.slow
    def test_compiled_it_learns_the_same(self, packed, tmp_path, stopped):
        """And the compiling takes no random number of the training."""
        from tests.benchmarks.bundled.conftest import RECIPES as TINY

        stopped(2)
        plain = dataclasses.replace(TINY["infill"], sizes=_certain(TINY["infill"]))
        one = trained(plain, packed, tmp_path / "1.pt")
        two = trained(plain, packed, tmp_path / "2.pt", compile=True)
        assert two.log[-1]["held_out"] == pytest.approx(
            one.log[-1]["held_out"], abs=1e-2
        )

    def test_by_the_clock_it_ends_in_time(self, recipe, packed, tmp_path):
        state = trained(
            recipe, packed, tmp_path / "m.pt", tokens=1e9, budget_minutes=0.01
        )
        assert state.done and 0.6 <= state.seconds < 5

    def test_tokens_end_it_even_if_there_is_time(self, recipe, packed, tmp_path):
        state = trained(recipe, packed, tmp_path / "m.pt", tokens=3e3, budget_minutes=9)
        assert state.done and state.tokens < 5000

    def test_in_bfloat16_as_on_an_accelerator_it_learns_as_well(
        self, recipe, packed, tmp_path, stopped, monkeypatch
    ):
        half = lambda self: torch.autocast("cpu", torch.bfloat16)  # noqa: E731
        stopped(20)
        trainer = Trainer(recipe, packed, tmp_path / "m.pt", PLAN)
        before = trainer.held_out_loss()
        monkeypatch.setattr(Trainer, "_autocast", half)
        assert trainer.run().log[-1]["held_out"] < before - 0.2

    def test_the_rate_rises_then_falls(self):
        rates = [training._schedule(k / 100, 0.02) for k in range(101)]
        assert rates[0] < rates[1] < rates[2] == 1.0
        assert rates[2:] == sorted(rates[2:], reverse=True)
        assert rates[-1] == pytest.approx(training.FLOOR)


class TestTheCommand:
    def test_it_trains_and_goes_on_but_never_overwrites(
        self, packed, tmp_path, monkeypatch, capsys
    ):
        from tests.benchmarks.bundled.conftest import RECIPES as TINY

        monkeypatch.setitem(RECIPES, "causal-nano", TINY["causal"])
        command = f"train causal-nano --pack {packed.folder} --out {tmp_path}".split()
        monkeypatch.setattr("sys.argv", [*command, "--minutes", "0"])
        train.main()
        assert "continue with --resume" in capsys.readouterr().out
        with pytest.raises(SystemExit, match="continue with --resume, or remove it"):
            train.main()
        monkeypatch.setattr("sys.argv", [*command, "--resume"])
        train.main()
        log = json.loads((tmp_path / "causal-nano.json").read_text())
        assert log["done"] and log["log"][-1]["tokens"] >= 40_000
        with pytest.raises(SystemExit, match="is finished"):
            train.main()


class TestInfilling:
    @pytest.fixture
    def infilling(self, packed):
        return Infilling(packed)

    @pytest.fixture
    def window(self, packed):
        return packed.window(0, int(packed.documents[1]), limit=400)

    @pytest.mark.parametrize("form", [name for group in FORMS for name in group])
    def test_each_source_has_one_gap(self, infilling, window, form):
        rng = np.random.default_rng(0)
        for _ in range(50):
            if example := getattr(infilling, form)(window, rng):
                assert (np.concatenate(example.source) == MASK).sum() == 1
                assert example.target[-1] == EOS and len(example.target) > 1

    @pytest.mark.parametrize("form", ["sentences", "forward", "backward", "words"])
    def test_the_target_fills_the_gap(self, infilling, window, form):
        rng = np.random.default_rng(0)
        for _ in range(50):
            parts, target, others = getattr(infilling, form)(window, rng)
            assert not len(others)
            source = np.concatenate(parts).tolist()
            at = source.index(MASK)
            whole = [*source[:at], *target[:-1], *source[at + 1 :]]
            assert whole == window.ids[: len(whole)].tolist()
            assert form == "forward" or len(whole) == len(window.ids)

    def test_any_sentence_can_be_the_gap(self, infilling, window):
        rng = np.random.default_rng(0)
        found = [infilling.sentences(window, rng) for _ in range(300)]
        places = {len(one.source[0]) for one in found}
        assert places == set(window.bounds[:-1].tolist())

    def test_the_word_for_a_prompt_is_not_shown_by_its_part(self, infilling, packed):
        rng = np.random.default_rng(0)
        ids = vocabulary.ids(
            vocabulary.load(packed.folder / "tokenizer.json"),
            "The man saw the ferry. It was terrible.",
        )
        bounds = np.array([0, ids.index(ids[-1]) + 1, len(ids)])
        window = packed.window(0, 1, 9)._replace(ids=np.array(ids), bounds=bounds)
        found = [infilling.opinion(window, rng) for _ in range(40)]
        targets = {ids.index(one.target[0]) for one in found if one}
        assert targets == {len(ids) - 2}

    def test_many_words_of_the_hidden_part_are_asked_for_at_once(
        self, infilling, window
    ):
        rng = np.random.default_rng(0)
        for _ in range(20):
            source, target, others = infilling.topic(window, rng)
            assert len(others) == TOPIC_WORDS - 1
            told = np.concatenate(source)
            shown = next(part for part in source if MASK not in part)
            hidden = window.ids.tolist()
            for token in shown.tolist():
                hidden.remove(token)
            assert MASK in told
            assert set(others.tolist()) | {int(target[0])} <= set(hidden)

    def test_parts_have_the_same_examples_with_less_padding(self, infilling, packed):
        some = [packed.window(int(k), int(k) + 4, 200) for k in packed.documents[:20]]
        whole = infilling.arrays(some, np.random.default_rng(0))
        parts = infilling.parts(some, np.random.default_rng(0), 4)
        assert len(parts) == 4 and sum(len(p["source"]) for p in parts) == 20
        together = np.concatenate([part["labels"] for part in parts])
        assert sorted(together) == sorted(whole["labels"])
        assert sum(p["source"].size for p in parts) <= whole["source"].size

    def test_other_first_tokens_are_asked_for_at_the_first_place(self):
        batch = windows.wanted(
            [np.array([7, EOS]), np.array([8, EOS])],
            [np.array([9, 10]), np.array([], dtype=int)],
        )
        width = 8  # padded to a multiple of it
        assert batch["places"].tolist() == [0, 1, width, width + 1, 0, 0]
        assert batch["labels"].tolist() == [7, EOS, 8, EOS, 9, 10]

    def test_decoders_begin_by_looking_at_the_source(self, infilling):
        """What an untrained decoder predicts is near what the encoder says."""
        import torch

        sizes = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1}
        torch.manual_seed(0)
        network = infilling.network(sizes | {"init_std": 0.001})
        attention = network.model.decoder.layers[0].encoder_attn
        with torch.no_grad():
            states = torch.randn(1, 5, 32)
            seen = attention(torch.zeros(1, 1, 32), key_value_states=states)[0]
            said = states.mean(1)
        assert torch.cosine_similarity(seen[0], said).item() > 0.9

    def test_decoders_see_the_target_one_step_late(self, infilling, packed):
        some = [packed.window(0, 3, 100), packed.window(3, 5, 100)]
        batch = infilling.arrays(some, np.random.default_rng(0))
        flat = batch["decoder"].ravel()
        assert (batch["decoder"][:, 0] == PAD).all()
        at = batch["labels"] != EOS
        assert (flat[batch["places"][at] + 1] == batch["labels"][at]).all()


def test_halves_lose_some_tokens_and_only_these_are_guessed(packed) -> None:
    some = [packed.window(int(k), int(k) + 4, 200) for k in packed.documents[:20]]
    batch = Embedding(packed).arrays(some, np.random.default_rng(0))
    ids = batch["ids"]
    assert ids.shape[0] == 40 and (ids[:, 0] == BOS).all()
    assert ((ids == EOS).sum(1) == 1).all()
    whole = ids.copy().ravel()
    whole[batch["places"]] = batch["labels"]
    halves = np.concatenate([whole.reshape(ids.shape)[k::20] for k in range(20)])
    joined = [one[one >= 6].tolist() for one in halves.reshape(20, -1)]
    assert joined == [window.ids.tolist() for window in some]
    share = len(batch["places"]) / (ids >= 6).sum()
    assert 0.08 < share < 0.25
    assert 0.5 < (ids.ravel()[batch["places"]] == MASK_2).mean() < 1


class TestExport:
    @pytest.fixture
    def folder(self, recipe, packed, tmp_path, stopped, monkeypatch):
        """A trained model as it is shipped, in more than one shard."""
        stopped(5)
        trained(recipe, packed, tmp_path / "m.pt")
        monkeypatch.setattr(export, "SHARD", 18_000)
        export.export(recipe, tmp_path / "m.pt", packed, tmp_path / "own")
        return tmp_path / "own"

    def test_it_loads_by_its_kind_and_gives_the_same_loss(
        self, folder, recipe, packed, tmp_path
    ):
        import transformers

        auto = {
            "infill": transformers.AutoModelForSeq2SeqLM,
            "causal": transformers.AutoModelForCausalLM,
            "encoder": transformers.AutoModel,
        }[recipe.name]
        network, info = auto.from_pretrained(
            folder, dtype=torch.float32, output_loading_info=True
        )
        assert not info["missing_keys"] and network.dtype == torch.float32
        trainer = Trainer(recipe, packed, tmp_path / "m.pt", PLAN)
        expected = trainer.held_out_loss()
        if recipe.name == "encoder":  # is shipped without what guesses tokens
            own = trainer.state.network
            own.distilbert.load_state_dict(network.state_dict())
        else:
            trainer.state.network = network
        assert trainer.held_out_loss() == pytest.approx(expected, abs=2e-3)

    def test_shards_are_small_float16_safetensors(self, folder, recipe):
        from safetensors.torch import load_file

        shards = list(folder.glob("*.safetensors"))
        assert len(shards) > 1 or recipe.name == "causal"  # which fits into one
        assert max(path.stat().st_size for path in shards) < 18_000 + 2000
        kinds = {v.dtype for path in shards for v in load_file(path).values()}
        assert kinds == {torch.float16}
        assert not list(folder.glob("*.bin"))

    def test_its_tokenizer_is_the_shared_one(self, folder, recipe, packed):
        from transformers import AutoTokenizer

        text = "It was good. In summary, it was <mask_1>. Once"
        shared = vocabulary.load(packed.folder / "tokenizer.json")
        auto = AutoTokenizer.from_pretrained(folder)
        ids = vocabulary.ids(shared, text)
        assert auto(text, add_special_tokens=False)["input_ids"] == ids
        around = {"infill": ([], [EOS]), "causal": ([BOS], [])}
        start, end = around.get(recipe.name, ([BOS], [EOS]))
        assert auto(text)["input_ids"] == [*start, *ids, *end]
        assert (auto.pad_token_id, auto.eos_token_id) == (PAD, EOS)

    def test_the_card_says_what_it_is(self, folder, recipe, packed):
        card = (folder / "README.md").read_text()
        assert card.startswith(f"# {recipe.name}\n")
        for part in ("Good for", "Not good for", "held out", "Licence", "film reviews"):
            assert part in card
        assert "stopped before its end" in card
        assert packed.facts["hash"] in card

    def test_metrics_take_it_as_a_bundled_model(self, folder, recipe, monkeypatch):
        # Read first: or the list would be looked for in the other folder, too.
        assert word_list.FILE.exists()
        monkeypatch.setattr(models, "BUNDLED", folder.parent)
        if recipe.name == "encoder":
            return
        options = {"model": "bundled:own"}
        name = {"infill": "ctrleval", "causal": "perplexity"}[recipe.name]
        if recipe.name == "infill":
            options["weighting"] = "mean"
        example = Example("It was good. The man saw it.", "It was", "positive")
        scores = get(name)(**options).load("cpu")([example])
        assert all(np.isfinite(value).all() for value in scores.values.values())

    def test_another_models_checkpoint_is_refused(self, recipe, packed, tmp_path):
        path = tmp_path / "own" / "m.pt"
        path.parent.mkdir()
        state = Trainer(recipe, packed, path, PLAN).state
        checkpoints.save(path, state)
        other = dataclasses.replace(recipe, name="other")
        with pytest.raises(ValueError, match=f"is of {recipe.name}, not of other"):
            export.export(other, path, packed, tmp_path / "out")


class TestTheRealRecipes:
    @pytest.fixture
    def sizes(self):
        """Bytes of each model's tensors in float16, counted once where shared."""
        found = {}
        for name, recipe in RECIPES.items():
            objective = recipe.objective.__new__(recipe.objective)
            objective.vocabulary = vocabulary.SIZE
            with torch.device("meta"):
                network = objective.shipped(objective.network(recipe.sizes))
            found[name] = [2 * p.numel() for p in network.parameters()]
        return found

    def test_together_they_fit_into_the_budget(self, sizes):
        assert sum(map(sum, sizes.values())) < ALL

    def test_no_tensor_is_larger_than_a_shard(self, sizes):
        assert max(map(max, sizes.values())) < export.SHARD < ONE

    def test_medium_is_larger_than_small(self, sizes):
        assert sum(sizes["infill-medium"]) > 2 * sum(sizes["infill-small"])

    def test_small_is_larger_than_nano(self, sizes):
        for kind in ("infill", "causal"):
            assert sum(sizes[f"{kind}-small"]) > 3 * sum(sizes[f"{kind}-nano"])
