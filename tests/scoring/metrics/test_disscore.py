"""DisScore: what it learns, what it gives, what it refuses."""

import json

import numpy as np
import pytest

from annotation import sentences
from scoring.metrics import MetricError, OptionError, get
from scoring.metrics._engine.base import Example
from scoring.metrics._learning.hygiene import LEFT_OUT
from scoring.metrics._learning.training import MODEL, TrainingData
from scoring.metrics.disscore import DisScore, DisScoreTraining
from tests.scoring.metrics.human_texts import stories
from tests.scoring.metrics.tiny_encoder import tiny_encoder

TEXTS = stories(60)
LABELS = ["Good" if k % 2 else "Bad" for k in range(60)]
NEW = "A man was at the film. He had a house and a ferry. The sun came."


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def checkpoint(base, tmp_path_factory):
    """Trains one of each aspect, once."""
    made = {}

    def get_one(aspect):
        if aspect not in made:
            folder = tmp_path_factory.mktemp(aspect)
            assert train(folder, base, aspect)
            made[aspect] = folder / MODEL
        return made[aspect]

    return get_one


def train(folder, base, aspect="coherence", labels=LABELS, **options):
    if aspect == "attribute":
        options.setdefault("attribute", "mood")
    data = TrainingData(TEXTS, labels if aspect == "attribute" else ())
    options = {"batch": 8, "epochs": 1, "held_out": 0.2} | options
    return DisScore.train(
        data, folder, lambda step: None, base=base, aspect=aspect, **options
    )


def task(base, aspect, texts=TEXTS, labels=(), **options):
    options = DisScore.training(base=base, aspect=aspect, held_out=0.2, **options)
    return DisScore.task(TrainingData(texts, labels), options)


def scored(model, examples, **options):
    return get("disscore")(model=str(model), **options).load()(examples)


class TestCoherence:
    def test_each_text_stands_beside_itself_with_one_kind_of_damage(self, base):
        found = task(base, "coherence", perturbations="shuffle")
        for number in range(20):
            human, damaged = found.examples(number)
            assert (human.target, damaged.target) == (1, 0)
            assert human.text in TEXTS and damaged.kinds == ("shuffle",)
            one, other = map(sentences.split, (human.text, damaged.text))
            assert one != other and sorted(one) == sorted(other)

    def test_all_kinds_are_drawn_and_anew_in_each_epoch(self, base):
        found = task(base, "coherence", perturbations="shuffle, repeat drop")
        drawn = [found.examples(n * found.n)[1] for n in range(60)]
        counts = np.unique([one.kinds[0] for one in drawn], return_counts=True)
        assert list(counts[0]) == ["drop", "repeat", "shuffle"]
        assert counts[1].min() > 8

    def test_an_example_depends_on_seed_and_number_alone(self, base):
        one, other = task(base, "coherence"), task(base, "coherence")
        other.examples(3)
        assert one.examples(7) == other.examples(7)
        assert one.examples(7) != task(base, "coherence", seed=1).examples(7)
        assert one.held_out() == other.held_out()

    def test_texts_are_cut_to_what_the_model_reads_before_they_are_damaged(self, base):
        long = [" ".join(stories(9, seed=k)) for k in range(30)]
        found = task(base, "coherence", long, perturbations="repeat", max_tokens=48)
        for number in range(20):
            human, damaged = found.examples(number)
            for one in (human, damaged):
                assert found.counter.lengths([one.text])[0] <= 48
                assert one.text.endswith(".")
            said = sentences.split(damaged.text)
            assert len(set(said)) < len(said)

    def test_texts_that_nothing_damages_are_passed_over(self, base):
        assert task(base, "coherence", ["Good."] * 60 + TEXTS).examples(0) == []
        with pytest.raises(MetricError, match="none of the .* can be damaged"):
            task(base, "coherence", [f"Word{k}" for k in range(60)]).held_out()

    def test_the_score_is_the_probability_of_a_person(self, checkpoint):
        model = checkpoint("coherence")
        scores = scored(model, [Example(NEW), Example("Not good"), Example(" ")])
        values = scores.values["coherence"]
        assert ((values[:2] > 0) & (values[:2] < 1)).all() and np.isnan(values[2])
        assert scores.reasons["coherence"] == [None, None, "the text is empty"]

    @pytest.mark.slow
    def test_it_comes_to_know_the_damage(self, base, tmp_path):
        train(tmp_path, base, perturbations="repeat", epochs=12, rate=0.01)
        card = json.loads((tmp_path / MODEL / "training.json").read_text())
        assert card["figures"]["auc"] > 0.8
        assert card["figures"]["auc_by_kind"]["repeat"] == card["figures"]["auc"]
        assert 0.5 <= card["figures"]["auc_of_length"] < 0.8

    def test_it_gives_no_score_to_what_it_was_trained_on(self, checkpoint):
        examples = [Example(TEXTS[0]), Example(NEW), Example(f"{NEW} {TEXTS[1]}")]
        scores = scored(checkpoint("coherence"), examples)
        assert scores.reasons["coherence"] == [LEFT_OUT, None, LEFT_OUT]


class TestConsistency:
    def test_the_rest_is_of_the_text_or_of_another(self, base):
        found = task(base, "consistency")
        for number in range(20):
            human, other = found.examples(number)
            assert " ".join(human.text) in TEXTS
            assert other.text[0] == human.text[0] and other.text[1] != human.text[1]
            assert any(text.endswith(other.text[1]) for text in TEXTS)

    def test_what_is_held_out_is_never_learned_as_the_rest_of_another(self, base):
        found = task(base, "consistency")
        learned = {found.data.texts[k] for k in found.learned}
        for number in range(100):
            rest = found.examples(number)[1].text[1]
            assert any(text.endswith(rest) for text in learned)
        for one in found.held_out():
            assert not any(text.endswith(one.text[1]) for text in learned)

    @pytest.mark.parametrize(("prefix", "n"), [("sentence", 1), ("third", 2)])
    def test_the_prefix_is_as_long_as_asked_for(self, base, prefix, n):
        human, _ = task(base, "consistency", prefix=prefix).examples(0)
        assert len(sentences.split(human.text[0])) == n

    def test_the_prefix_may_be_some_words(self, base):
        found = task(base, "consistency", prefix="words")
        lengths = {len(found.examples(k)[0].text[0].split()) for k in range(90)}
        assert lengths == set(range(1, 9))

    def test_texts_without_a_prefix_or_more_get_a_reason(self, checkpoint):
        examples = [
            Example(NEW, prefix="A man"),
            Example(NEW),
            Example(NEW, prefix="A woman"),
            Example(NEW, prefix=NEW),
        ]
        scores = scored(checkpoint("consistency"), examples, aspect="consistency")
        assert list(np.isnan(scores.values["consistency"])) == [False, True, True, True]
        assert scores.reasons["consistency"] == [
            None,
            "there is no prefix",
            "the text does not start with its prefix",
            "nothing follows the prefix",
        ]

    def test_the_prefix_counts(self, checkpoint):
        examples = [Example(NEW, prefix="A man"), Example(NEW, prefix="A man was at")]
        values = scored(checkpoint("consistency"), examples, aspect="consistency")
        one, other = values.values["consistency"]
        assert one != other


class TestAttribute:
    def test_the_score_is_the_probability_of_the_label(self, checkpoint):
        examples = [Example(NEW, label="good"), Example(NEW, label="BAD")]
        scores = scored(checkpoint("attribute"), examples, aspect="attribute")
        good, bad = scores.values["attribute_relevance"]
        assert good + bad == pytest.approx(1) and 0 < good < 1

    def test_labels_may_have_other_names_in_the_study(self, checkpoint):
        model, good = checkpoint("attribute"), Example(NEW, label="good")
        named = scored(
            model,
            [Example(NEW, label="positive")],
            aspect="attribute",
            labels="positive: Good, negative: Bad",
        )
        plain = scored(model, [good], aspect="attribute")
        key = "attribute_relevance"
        assert named.values[key] == plain.values[key]

    def test_labels_that_differ_in_case_alone_are_not_mixed_up(self, base, tmp_path):
        labels = [("US", "us", "Them")[k % 3] for k in range(60)]
        assert train(tmp_path, base, "attribute", labels, epochs=0.1)
        examples = [Example(NEW, label=one) for one in ("US", "us", "them")]
        found = scored(tmp_path / MODEL, examples, aspect="attribute")
        values = found.values["attribute_relevance"]
        assert values.sum() == pytest.approx(1) and values[0] != values[1]

    def test_unknown_labels_get_a_reason_with_the_known_ones(self, checkpoint):
        examples = [Example(NEW, label="odd"), Example(NEW)]
        scores = scored(checkpoint("attribute"), examples, aspect="attribute")
        assert np.isnan(scores.values["attribute_relevance"]).all()
        assert scores.reasons["attribute_relevance"] == [
            "the model does not know the label 'odd'; it knows: Bad, Good",
            "there is no label",
        ]

    def test_a_published_classifier_will_do(self, base, tmp_path):
        folder = published(base, tmp_path)
        examples = [Example(NEW, label="positive"), Example(NEW, label="negative")]
        scores = scored(
            folder, examples, aspect="attribute", labels="positive:POS,negative:NEG"
        )
        assert scores.values["attribute_relevance"].sum() == pytest.approx(1)

    def test_texts_without_a_label_are_not_learned(self, base):
        found = task(base, "attribute", labels=["", *LABELS[1:]], attribute="mood")
        assert found.classes == ("Bad", "Good") and TEXTS[0] not in found.seen
        assert [one.target for one in found.examples(0)] in ([0.0], [1.0])

    @pytest.mark.parametrize("labels", [(), ["x"] * 60, ["", *["x"] * 59]])
    def test_it_needs_two_labels(self, base, labels):
        with pytest.raises(MetricError, match="expected 2 to 100 different labels"):
            task(base, "attribute", labels=labels, attribute="mood")


def published(base, folder):
    """A classifier as others publish it."""
    import torch
    from transformers import (
        AutoConfig,
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    torch.manual_seed(0)
    config = AutoConfig.from_pretrained(base, num_labels=2)
    config.id2label, config.label2id = {0: "NEG", 1: "POS"}, {"NEG": 0, "POS": 1}
    AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(base).save_pretrained(folder)
    return folder


def test_the_output_is_the_aspect():
    keys = {
        aspect: [one.key for one in get("disscore")(aspect=aspect).outputs]
        for aspect in ("coherence", "consistency", "attribute")
    }
    assert keys == {
        "coherence": ["coherence"],
        "consistency": ["consistency"],
        "attribute": ["attribute_relevance"],
    }


def test_a_checkpoint_of_another_aspect_is_refused_by_both_names(checkpoint):
    expected = "trained for disscore, coherence: expected one for disscore, consistency"
    with pytest.raises(MetricError, match=expected):
        get("disscore")(model=str(checkpoint("coherence")), aspect="consistency").load()


def test_a_published_classifier_knows_no_coherence(base, tmp_path):
    with pytest.raises(MetricError, match="for another purpose: expected one for"):
        get("disscore")(model=str(published(base, tmp_path))).load()


def test_without_a_checkpoint_it_says_where_to_train_one():
    with pytest.raises(OptionError, match="train one under Metrics, Training"):
        get("disscore")().check()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "positive"}, "labels=positive: expected `label:name"),
        ({"labels": "a:b, :c"}, "labels=:c: expected `label:name"),
    ],
)
def test_names_of_labels_that_will_not_do_are_refused(options, message):
    with pytest.raises(OptionError) as error:
        get("disscore")(model="x", **options).check()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"perturbations": "shuffle, melt"}, "not melt"),
        ({"perturbations": " , "}, "expected some of drop"),
        ({"perturbations": "transplant"}, "not transplant"),
        ({"aspect": "attribute"}, "needs the option attribute"),
        ({"aspect": "beauty"}, "expected one of coherence"),
    ],
)
def test_a_training_refuses_what_will_not_do(options, message):
    with pytest.raises(OptionError) as error:
        DisScore.training(**options)
    assert message in str(error.value)


def test_perturbations_count_once():
    chosen = DisScoreTraining(perturbations="drop,shuffle drop").chosen()
    assert chosen == ("drop", "shuffle")


def test_long_texts_are_cut_and_counted(base, tmp_path):
    train(tmp_path, base, max_tokens=16, epochs=0.1)
    scores = scored(tmp_path / MODEL, [Example(NEW), Example("A good film.")])
    assert scores.notes == (
        "Some texts are longer than 16 tokens: their beginning was read.",
    )


def test_progress_counts_each_text_once(checkpoint):
    told = []
    scorer = get("disscore")(model=str(checkpoint("coherence"))).load()
    scorer([Example(NEW), Example("")], told.append)
    assert sum(told) == 2
    assert scorer([]).values["coherence"].shape == (0,)


class TestATestCorpus:
    # Too short for a run of words that is in one of the texts that are learned.
    TESTS = [f"It is number {k}. She was not {k}." for k in range(24)]
    MOODS = ["Good", "Bad", "Odd"] * 8

    def figures(self, folder, base, aspect, tests=None, texts=TEXTS, **options):
        labelled = aspect == "attribute"
        data = TrainingData(
            texts,
            LABELS if labelled else (),
            tests=self.TESTS if tests is None else tests,
            test_labels=self.MOODS if labelled else (),
        )
        given = {"batch": 8, "epochs": 0.5, "held_out": 0.2, **options}
        if labelled:
            given["attribute"] = "mood"
        assert DisScore.train(
            data, folder, lambda step: None, base=base, aspect=aspect, **given
        )
        return json.loads((folder / MODEL / "training.json").read_text())

    def test_the_accuracy_is_that_of_the_finished_model(self, base, tmp_path):
        found = self.figures(tmp_path, base, "attribute")["figures"]["test"]
        known = [k for k, mood in enumerate(self.MOODS) if mood != "Odd"]
        examples = [Example(self.TESTS[k], label=self.MOODS[k]) for k in known]
        scores = scored(tmp_path / MODEL, examples, aspect="attribute")
        right = scores.values["attribute_relevance"] > 0.5
        assert found["n"] == 16
        assert found["accuracy"] == pytest.approx(right.mean())

    def test_texts_like_those_of_the_test_are_not_learned(self, base, tmp_path):
        alike = [f"{NEW} {k} old white houses stood there." for k in range(12)]
        texts = [*TEXTS, *alike]
        data = self.figures(tmp_path, base, "coherence", alike[:1], texts)["data"]
        assert data["overlapping"] == 12

    def test_the_held_out_texts_have_their_figures_as_well(self, base, tmp_path):
        found = self.figures(tmp_path, base, "coherence")["figures"]
        assert found["test"]["n"] == 48 and found["n"] != 48
        assert found["test"].keys() >= {"accuracy", "auc", "auc_by_kind"}

    def test_damaged_pairs_are_made_of_test_texts_alone(self, base):
        options = DisScore.training(base=base, aspect="consistency", held_out=0.2)
        data = TrainingData(TEXTS, tests=self.TESTS)
        asked = DisScore.task(data, options).tested()
        endings = {part for text in self.TESTS for part in sentences.split(text)}
        assert len(asked) == 48
        for one in asked:
            assert set(sentences.split(one.text[1])) <= endings

    def test_where_it_cannot_be_used_the_training_still_ends(self, base, tmp_path):
        found = self.figures(tmp_path, base, "coherence", tests=["Word.", " "])
        assert found["figures"]["test"]["n"] == 0
        assert "none of its texts can be used" in found["figures"]["test"]["warning"]

    def test_without_one_there_are_no_such_figures(self, checkpoint):
        card = json.loads((checkpoint("coherence") / "training.json").read_text())
        assert "test" not in card["figures"]
