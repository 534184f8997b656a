"""What a real language model must know. On held-out documents, with shipped weights."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from annotation import sentences
from benchmarks.bundled import texts
from benchmarks.bundled.recipes import RECIPES
from scoring.metrics import Example, get
from scoring.metrics._ctrleval.tables import TOPIC
from scoring.metrics._engine import backbones, likelihood, models
from tests.support import shared

ALL, ONE = 110_000_000, 12_000_000  # bytes of weights, of one file
WORDS = 100  # of a document's beginning
FILLING = ("infill-small", "infill-medium")

TOPICS = {
    "comp": "computers",
    "talk.politics": "politics",
    "alt.atheism": "religion",
    "soc.religion": "religion",
    "talk.religion": "religion",
    "sci": "science",
}


def folder(name):
    found = models.local(f"bundled:{name}")
    if not found:
        pytest.skip(f"the weights of {name} are not in the project yet")
    return found


def _any_folder():
    if not any(models.local(f"bundled:{name}") for name in RECIPES):
        pytest.skip("the weights are not in the project yet")


@pytest.fixture(scope="module")
def reviews():
    """Beginnings of held-out reviews: negative ones, positive ones."""
    _any_folder()
    data = shared.path("data/text_imdb")
    found = {}
    for name in ("neg", "pos"):
        rows = texts.rows(data / f"test_{name}.jsonl.gz")
        own = (texts.review(row["text"]) for row in rows)
        found[name] = [_beginning(text) for text in own if texts.is_held_out(text)]
    return found["neg"], found["pos"]


@pytest.fixture(scope="module")
def messages():
    """Beginnings of held-out messages, and the word for each one's topic."""
    _any_folder()
    found = []
    for one in texts.newsgroups(shared.path("data/text_20newsgroups")):
        topic = [word for group, word in TOPICS.items() if one.label.startswith(group)]
        long = len(one.text.split()) >= 40
        if topic and long and texts.is_held_out(one.text):
            found.append((_beginning(one.text), topic[0]))
    return found


@pytest.fixture(scope="module")
def stories(reviews):
    """Three sentences in a row of held-out reviews, and a shuffled second one."""
    rng, found = np.random.default_rng(0), []
    for text in reviews[0] + reviews[1]:
        split = sentences.split(text.replace("\n", " "))
        for k in range(1, len(split) - 1):
            words = split[k].split()
            if 8 <= len(words) <= 30:
                shuffled = " ".join(rng.permutation(words).tolist())
                found.append((split[k - 1], split[k], split[k + 1], shuffled))
                break
    return found[:120]


@pytest.mark.slow
class TestOriginalsAgainstShuffledWords:
    """Above shuffled ones in more than 97 % of the pairs."""

    @pytest.mark.parametrize(("name", "least"), [("small", 0.97), ("nano", 0.9)])
    def test_causal(self, stories, name, least):
        scorer = get("perplexity")(model=str(folder(f"causal-{name}"))).load("cpu")
        good, bad = (
            scorer([Example(story[k]) for story in stories]).values["nll"]
            for k in (1, 3)
        )
        assert (good < bad).mean() > least

    @pytest.mark.parametrize(
        ("name", "least"), [("medium", 0.97), ("small", 0.97), ("nano", 0.85)]
    )
    def test_infilling(self, stories, name, least):
        path = folder(f"infill-{name}")
        backbone = backbones.load(path)
        engine = likelihood.seq2seq(models.seq2seq(path, device="cpu", dtype="float32"))
        good, bad = (
            engine.mean_logprobs(
                backbone.pairs(
                    [(f"{s[0]} {backbone.mask} {s[2]}", s[k]) for s in stories],
                    end=True,
                )
            )
            for k in (1, 3)
        )
        assert (good > bad).mean() > least


@pytest.mark.slow
@pytest.mark.parametrize("name", FILLING)
class TestLabels:
    def test_a_positive_review_is_rather_good_than_a_negative_one(self, reviews, name):
        """P(good) / (P(good) + P(bad)), higher in more than 75 % of the pairs."""
        shares = []
        for side in reviews:
            found = _probabilities(name, _SENTIMENT, ("good", "bad"), side[:100])
            shares.append(found[:, 0] / found.sum(axis=1))
        n = min(map(len, shares))
        negative, positive = (one[:n] for one in shares)
        assert n >= 80
        assert (positive > negative).mean() > 0.75

    def test_the_right_topic_has_the_highest_probability(self, messages, name):
        """In more than 60 % of the messages."""
        rng = np.random.default_rng(0)
        some = [messages[k] for k in rng.permutation(len(messages))[:120]]
        shown = [text for text, _ in some]
        found = _probabilities(name, _TOPIC, TOPIC.labels, shown)
        best = [TOPIC.labels[k] for k in found.argmax(axis=1)]
        right = [word == own for word, (_, own) in zip(best, some, strict=True)]
        assert np.mean(right) > 0.6


@pytest.mark.slow
class TestTheLargerAgainstTheSmaller:
    """Contrastive metrics need the larger one to be the better one."""

    def test_causal(self, reviews):
        examples = [Example(text) for text in reviews[0][:40] + reviews[1][:40]]
        small, nano = (
            get("perplexity")(model=str(folder(f"causal-{size}"))).load("cpu")(examples)
            for size in ("small", "nano")
        )
        assert small.values["nll"].mean() < nano.values["nll"].mean()

    def test_infilling(self, reviews):
        examples = [Example(text, text[:12]) for text in reviews[0][:16]]
        medium, small, nano = (
            get("ctrleval")(model=str(folder(f"infill-{size}")), weighting="mean").load(
                "cpu"
            )(examples)
            for size in ("medium", "small", "nano")
        )
        for aspect in ("coherence", "consistency"):
            assert medium.values[aspect].mean() > small.values[aspect].mean()
            assert small.values[aspect].mean() > nano.values[aspect].mean()


@pytest.mark.slow
def test_the_encoder_finds_the_other_half_of_a_text(reviews) -> None:
    """Among a hundred halves, by the mean of the token embeddings."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    path = folder("encoder-small")
    model = AutoModel.from_pretrained(path, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(path)
    halves: tuple[list, list] = ([], [])
    for text in reviews[0][:50] + reviews[1][:50]:
        words = text.split()
        for part, side in zip((words[:50], words[50:]), halves, strict=True):
            ids = tokenizer(" ".join(part), return_tensors="pt")["input_ids"]
            with torch.inference_mode():
                mean = model(input_ids=ids).last_hidden_state[0].mean(0)
            side.append(mean / mean.norm())
    near = torch.stack(halves[0]) @ torch.stack(halves[1]).T
    found = (near.argmax(1) == torch.arange(len(near))).float().mean()
    assert found > 0.2  # by chance: 0.01


class TestFolders:
    def test_weights_are_small_enough_for_the_project(self):
        found = [p for name in RECIPES for p in folder(name).glob("*.safetensors")]
        sizes = [path.stat().st_size for path in found]
        assert sum(sizes) <= ALL and max(sizes) < ONE

    @pytest.mark.parametrize("name", RECIPES)
    def test_each_has_a_card(self, name):
        card = (folder(name) / "README.md").read_text(encoding="utf-8")
        assert card.startswith(f"# {name}")
        assert "stopped before its end" not in card

    @pytest.mark.parametrize("name", [*FILLING, "infill-nano"])
    def test_ctrleval_needs_no_table(self, name):
        assert (folder(name) / "iwf.txt").exists()
        assert (
            "|iwf:sha256:"
            in get("ctrleval")(model=f"bundled:{name}").load("cpu").signature
        )

    @pytest.mark.parametrize("name", [*FILLING, "infill-nano"])
    def test_token_ids_are_what_they_were(self, name):
        backbone = backbones.load(folder(name))
        ((ids),) = backbone.ids(["<mask_1>. Once"], end=True).values()
        assert ids[0] == 2 and ids[-1] == 1 and len(ids) == 4

    @pytest.mark.slow
    def test_loading_takes_little_memory(self):
        """Under 150 MB in a process that has torch and transformers."""
        folder("infill-small")
        run = subprocess.run(
            [sys.executable, "-c", _LOADING], capture_output=True, text=True, check=True
        )
        assert float(run.stdout) < 150


# As in Table 8.
_SENTIMENT = ("{0} In summary, it was {1}.", "{0} It was {1}.")
_TOPIC = ("{0} It was about {1}.", "It was about {1}. {0}")

_LOADING = """
import os, torch
from transformers import AutoModelForSeq2SeqLM, PegasusForConditionalGeneration
from transformers import PreTrainedTokenizerFast
from scoring.metrics import get
def used():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
torch.set_num_threads(1)
get("ctrleval")
before = used()
scorer = get("ctrleval")(model="bundled:infill-small").load("cpu")
print(used() - before)
"""


def _beginning(text):
    return " ".join(text.split()[:WORDS])


def _probabilities(name, prompts, words, some):
    """Of each word in a gap beside each text, over all prompts, (texts, words)."""
    path = folder(name)
    backbone = backbones.load(path)
    engine = likelihood.seq2seq(models.seq2seq(path, device="cpu", dtype="float32"))
    patterns = [
        (prompt.format(text, backbone.mask), word)
        for text in some
        for prompt in prompts
        for word in words
    ]
    logs = engine.mean_logprobs(backbone.pairs(patterns, end=False))
    return np.exp(logs).reshape(len(some), len(prompts), len(words)).mean(axis=1)
