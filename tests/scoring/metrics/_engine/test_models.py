import json
import shutil

import pytest

from scoring.metrics import MetricError
from scoring.metrics._engine import models


@pytest.fixture
def copy(pegasus, tmp_path):
    """A copy of the model that a test may spoil."""
    return shutil.copytree(pegasus, tmp_path / "copy")


class TestFind:
    def test_it_takes_a_folder(self, pegasus):
        assert models.find(str(pegasus)) == pegasus

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("", "no model was chosen"),
            ("./nowhere", "there is no model folder /.*nowhere"),
            ("bundled:nothing", "no model 'nothing' in .*bundled; bundled are: "),
            ("bundled:../metrics", "no model '../metrics' in .*bundled"),
        ],
    )
    def test_it_says_where_it_looked(self, name, message):
        with pytest.raises(MetricError, match=message):
            models.find(name)

    def test_it_tells_how_to_get_a_model_of_the_hub(self, monkeypatch):
        import huggingface_hub

        def unreachable(name, **others):
            raise OSError("no route")

        monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
        with pytest.raises(
            MetricError, match="not in /.*Get it with `hf download a/b`"
        ):
            models.find("a/b")

    def test_a_revision_of_a_model_of_the_hub_is_asked_for(self, monkeypatch, tmp_path):
        import huggingface_hub

        asked = []

        def download(name, *, revision, **others):
            asked.append((name, revision))
            return tmp_path

        monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
        assert models.find("a/b@v1.0") == models.find("a/b") == tmp_path
        assert asked == [("a/b", "v1.0"), ("a/b", None)]


class TestContentHash:
    def test_it_does_not_depend_on_the_path(self, pegasus, copy):
        assert models.content_hash(copy) == models.content_hash(pegasus)

    def test_files_that_change_no_number_do_not_count(self, pegasus, copy):
        (copy / "README.md").write_text("new")
        (copy / "generation_config.json").write_text("{}")
        assert models.content_hash(copy) == models.content_hash(pegasus)

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
    def test_files_that_change_a_number_count(self, pegasus, copy, name):
        before = models.content_hash(copy)
        with (copy / name).open("a") as file:
            file.write("\n")
        assert models.content_hash(copy) != before


class TestLoading:
    def load(self, folder, dtype="float32"):
        return models.seq2seq(folder, device="cpu", dtype=dtype)

    def test_it_is_in_float32_whatever_was_saved(self, copy):
        import torch

        self.load(copy).to(torch.bfloat16).save_pretrained(copy)
        assert self.load(copy).dtype == torch.float32

    def test_it_opens_no_pickle_and_says_so(self, copy):
        (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
        with pytest.raises(
            MetricError, match="`python -m scoring.metrics convert .*/copy OUT`"
        ):
            self.load(copy)

    def test_a_copy_of_the_hub_is_converted_by_its_name(self, copy, tmp_path):
        (copy / "model.safetensors").unlink()
        snapshot = tmp_path / "models--google--pegasus-large" / "snapshots" / "57fdcee"
        snapshot.parent.mkdir(parents=True)
        copy.rename(snapshot)
        with pytest.raises(MetricError, match="convert google/pegasus-large OUT`"):
            models.seq2seq(snapshot, device="cpu", dtype="float32")

    def test_it_misses_weights(self, copy):
        (copy / "model.safetensors").unlink()
        with pytest.raises(MetricError, match="has no .safetensors file"):
            self.load(copy)

    def test_it_does_not_make_up_weights(self, copy):
        from safetensors.torch import load_file, save_file

        weights = load_file(copy / "model.safetensors")
        del weights["model.encoder.layers.0.fc1.weight"]
        save_file(weights, copy / "model.safetensors", {"format": "pt"})
        with pytest.raises(MetricError, match="lacks weights: model.encoder.layers.0"):
            self.load(copy)

    def test_it_names_a_damaged_file(self, copy):
        (copy / "model.safetensors").write_bytes(b"rubbish!" * 4)
        with pytest.raises(MetricError, match="cannot load"):
            self.load(copy)

    def test_it_runs_no_code_from_the_folder(self, copy):
        config = json.loads((copy / "config.json").read_text())
        config |= {"model_type": "own", "auto_map": {"AutoConfig": "code.Config"}}
        (copy / "config.json").write_text(json.dumps(config))
        (copy / "code.py").write_text("raise SystemExit('ran')")
        with pytest.raises(MetricError, match="holds no known model"):
            self.load(copy)

    def test_each_kind_refuses_the_other(self, pegasus, gpt2):
        with pytest.raises(MetricError, match="not an encoder-decoder model"):
            self.load(gpt2)
        with pytest.raises(MetricError, match="not a causal one"):
            models.causal(pegasus, device="cpu", dtype="float32")

    def test_it_refuses_bfloat16_where_it_is_slow(self, pegasus, monkeypatch):
        import torch

        monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
        with pytest.raises(MetricError, match="slower than float32 on this processor"):
            self.load(pegasus, dtype="bfloat16")


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(MetricError, match="no device 'warp'"):
        models.device("warp")
