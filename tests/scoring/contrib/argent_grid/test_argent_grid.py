"""ARGENT's grid: what is tried, how the best is chosen, and the command."""

from __future__ import annotations

import re
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.models import Import, ImportedMean
from scoring.contrib.argent_grid import grid
from scoring.contrib.argent_grid.grid import AREA, Trial
from scoring.contrib.argent_grid.grid_choice import CRITERIA, Texts
from scoring.contrib.argent_grid.management.commands import argent_grid as command
from scoring.management.commands import score
from scoring.metrics._learning.hygiene import is_held_out
from scoring.models import Checkpoint
from tests.scoring.trained import reviews, work

DOCUMENTS = [
    f"The old ferry number {k} came slowly to a quiet white harbour. Young gulls said"
    f" nothing about island {k} or its little houses."
    for k in range(60)
]


class TestTrials:
    def test_each_method_alone_comes_first(self):
        found = grid.first([0.2, 0.8])
        assert [one.name for one in found] == [
            *("shuffle-0_2", "shuffle-0_8", "inflect-0_2", "inflect-0_8")
        ]
        assert found[2].options == {"method": "inflect", "p_inflect": 0.2}

    def test_then_both_with_the_best_two_of_each(self):
        ranks = dict(
            zip(grid.first([0.2, 0.4, 1]), [60, 90, 80, 51, 50, 70], strict=True)
        )
        found = {one[1:] for one in grid.second(ranks)}
        assert found == {(0.4, 1), (0.4, 0.2), (1, 1), (1, 0.2)}

    def test_of_equals_the_smaller_p_is_taken_and_the_unknown_are_last(self):
        ranks = dict(
            zip(grid.first([0.2, 0.4, 1]), [70, 70, 70, -1, 60, 50], strict=True)
        )
        found = {one[1:] for one in grid.second(ranks)}
        assert found == {(0.2, 0.4), (0.2, 1), (0.4, 0.4), (0.4, 1)}


class TestSearch:
    """Made-up models: each is as good as its p, and shuffling counts for more."""

    @pytest.fixture
    def found(self):
        asked = []

        def score(key, texts):
            asked.append((key, texts[0]))
            p_shuffle, p_inflect = map(float, key.split())
            good = np.linspace(0, 1, len(texts))[::-1]  # real texts come first
            noise = np.random.default_rng(1).normal(size=len(texts))
            return good * (2 * p_shuffle + p_inflect) + noise

        def half(name):
            real = np.repeat([True, False], 40)
            return Texts([name] * 80, real, np.tile(np.arange(40), 2))

        halves = grid.Halves(half("validation"), half("test"), "made up")
        rows = grid.search(
            [0.5, 0.9, 1.0],
            halves,
            {"": lambda trial: (f"{trial.p_shuffle} {trial.p_inflect}", {})},
            score,
        )
        return rows, asked, halves

    def test_the_best_on_validation_texts_comes_first(self, found):
        rows = found[0]
        assert len(rows) == 6 + 4
        assert rows[0].trial == Trial("shufflection", 1.0, 1.0)
        assert rows[0].rank == max(row.rank for row in rows) > 80

    def test_it_alone_is_shown_the_test_texts(self, found):
        rows, asked, _ = found
        of_test = [key for key, text in asked if text == "test"]
        assert of_test == [rows[0].checkpoint]
        assert [row.test is not None for row in rows] == [True] + [False] * 9

    def test_the_table_has_all_and_warns_of_choosing_on_test_texts(self, found):
        rows, _, halves = found
        table = grid.table(rows, halves)
        assert len(table.rows) == len(rows)
        assert "as the paper's tables do, is optimistic" in table.caption
        assert table.rows[0][4].bold and not table.rows[1][4].bold


class TestTextsOfACorpus:
    def test_only_held_out_documents_and_each_in_one_half(self):
        found = grid.of_corpus(DOCUMENTS, held_out=0.5)
        ours = [
            {text for text, real in zip(half.texts, half.real, strict=True) if real}
            for half in found[:2]
        ]
        assert ours[0] and ours[1] and not ours[0] & ours[1]
        expected = {text for text in DOCUMENTS if is_held_out(text, 0.5)}
        assert ours[0] | ours[1] == expected

    def test_of_many_a_fair_part_is_taken_however_the_file_is_sorted(self, monkeypatch):
        monkeypatch.setattr(grid, "MOST", 4)
        one, other = (
            grid.of_corpus(texts, held_out=0.5).validation.texts
            for texts in (DOCUMENTS, DOCUMENTS[::-1])
        )
        assert one[::2] == other[::2] and len(one) == 8

    def test_a_damaged_copy_stands_beside_its_document(self):
        half = grid.of_corpus(DOCUMENTS, held_out=0.5).validation
        for unit in np.unique(half.unit):
            real, copy = np.flatnonzero(half.unit == unit)
            assert half.real[real] and not half.real[copy]
            assert half.texts[real] != half.texts[copy]
            words = [re.findall(r"\w+", half.texts[k]) for k in (real, copy)]
            assert sorted(words[0]) == sorted(words[1])

    def test_too_few_are_refused(self):
        with pytest.raises(ValueError, match="give a larger corpus"):
            grid.of_corpus(DOCUMENTS[:3], held_out=0.1)


class TestTextsOfAStudy:
    def halves(self, study, by="area", **more):
        chosen = {"real": ["people"], "synthetic": ["model"], **more}
        return grid.of_study(study, CRITERIA[by], **chosen)

    def test_those_of_a_prompt_are_in_one_half(self, make_study):
        study = make_study(prompts=12, systems=("people", "model"))
        found = self.halves(study)
        units = [set(half.unit.tolist()) for half in found[:2]]
        assert units[0] and units[1] and not units[0] & units[1]
        assert sum(len(half.texts) for half in found[:2]) == 24
        assert sum(half.real.sum() for half in found[:2]) == 12

    def test_a_half_without_both_kinds_is_refused(self, make_study):
        study = make_study(prompts=1, systems=("people", "model"))
        with pytest.raises(ValueError, match="needs real and synthetic texts"):
            self.halves(study)

    def test_pairs_are_those_of_the_column(self, make_study):
        study = make_study(systems=("people", "model"), prompts=12)
        for text in study.generations.all():
            text.pair = f"p{text.prompt_id}"
            text.save()
        half = self.halves(study, by="accuracy").validation
        assert sorted(half.pair.tolist()) == sorted([*range(len(half.pair) // 2)] * 2)

    def test_choosing_by_pairs_needs_pairs(self, make_study):
        study = make_study(systems=("people", "model"), prompts=12)
        with pytest.raises(ValueError, match="has no pair of a real and a synthetic"):
            self.halves(study, by="accuracy")

    def test_ratings_are_those_of_the_aspect_the_higher_the_better(self, make_study):
        study = make_study(
            systems=("people", "model"), prompts=12, aspects=("coherence", "toxicity")
        )
        study.aspects.filter(key="toxicity").update(higher_is_better=False)
        texts = list(study.generations.order_by("pk"))
        file = Import.objects.create(study=study, format="csv")
        for k, text in enumerate(texts):
            for aspect in study.aspects.all():
                ImportedMean.objects.create(
                    imported=file, generation=text, aspect=aspect, mean=1 + k % 5, n=3
                )
        wanted = {text.full_text: 1 + k % 5 for k, text in enumerate(texts)}
        none = {"real": [], "synthetic": []}
        for aspect, sign in (("", 1), ("coherence", 1), ("toxicity", -1)):
            half = self.halves(study, by="ratings", aspect=aspect, **none).validation
            expected = [sign * wanted[text] for text in half.texts]
            assert half.human.tolist() == expected

    @pytest.mark.parametrize(
        ("by", "more", "reason"),
        [
            ("ratings", {}, "has 0 rated texts, expected 3 or more"),
            ("ratings", {"aspect": "wit"}, "--aspect wit: expected one of coherence"),
            ("votes", {}, "has texts of 0 systems with votes"),
            ("votes", {"question": "wit"}, "--question wit: expected one of none"),
        ],
    )
    def test_what_the_study_does_not_have_is_told(self, make_study, by, more, reason):
        study = make_study(systems=("people", "model"), prompts=12)
        with pytest.raises(ValueError, match=reason):
            self.halves(study, by=by, **more)


class TestLabels:
    def test_each_source_has_a_grid_of_its_own_and_one_model_wins(self):
        half = Texts(["a"] * 4, np.array([True, True, False, False]), np.arange(4))
        halves = grid.Halves(half, half, "made up")

        def train(name):
            return lambda trial: (f"{name} {trial.name}", {})

        def score(key, texts):
            return np.arange(4) * (-1.0 if key.startswith("chrf") else 1.0)

        sources = {name: train(name) for name in ("count", "chrf")}
        rows = grid.search([0.4, 0.8], halves, sources, score)
        assert len(rows) == 2 * (4 + 4)
        assert rows[0].labels == "chrf" and rows[0].validation.value == 100
        assert [row.test is not None for row in rows].count(True) == 1
        table = grid.table(rows, halves, AREA)
        assert table.header[0] == "labels" and table.rows[0][0] == "chrf"

    @pytest.mark.parametrize(
        ("written", "expected", "prefix"),
        [
            ("count", {"labels": "count"}, "grid-count"),
            ("chrf", {"labels": "metric", "reference_metric": "chrf"}, "grid-chrf"),
            (
                "raw:rouge/rouge_l",
                {
                    "labels": "raw",
                    "reference_metric": "rouge",
                    "reference_output": "rouge_l",
                },
                "grid-raw-rouge-rouge_l",
            ),
            (
                "bleurt@checkpoint:a/b",
                {
                    "labels": "metric",
                    "reference_metric": "bleurt",
                    "reference_model": "checkpoint:a/b",
                },
                "grid-bleurt-checkpoint-a-b",
            ),
        ],
    )
    def test_a_source_is_a_metric_with_its_output_and_model(
        self, written, expected, prefix
    ):
        source = command._source(written)
        assert (source.options, source.prefixed("grid")) == (expected, prefix)

    def test_without_any_the_names_stay(self):
        assert command._sources([], {})[0].prefixed("grid") == "grid"


class HereAndNow:
    """In place of a supervisor: does all slices at once, in this process."""

    deaths = 0

    def __init__(self, **options):
        pass

    def tick(self, *, now):
        for checkpoint in Checkpoint.objects.exclude(state__in=Checkpoint.ENDED):
            work(checkpoint)

    def stop(self, *, now):
        pass


@pytest.mark.usefixtures("sent")
class TestCommand:
    @pytest.fixture
    def study(self, make_study, monkeypatch):
        monkeypatch.setattr(command, "Supervisor", HereAndNow)
        monkeypatch.setattr(score, "LOOK_SECONDS", 0)
        found = make_study(systems=("people", "model"), prompts=12)
        corpus = reviews(found, n=60)
        for k, row in enumerate(corpus.texts.all()):
            row.text = DOCUMENTS[k]
            row.save()
        return found

    @pytest.fixture
    def said(self, tiny):
        usual = f"base={tiny} held_out=0.5 epochs=0.5 batch=8 max_tokens=24".split()

        def say(*more, options=usual):
            out = StringIO()
            chosen = [f"--option={one}" for one in options]
            given = ["ferry", "--corpus=reviews", "--values=.8", *chosen, *more]
            call_command("argent_grid", *given, stdout=out)
            return out.getvalue()

        return say

    def test_it_trains_chooses_and_goes_on_where_it_was(self, study, said, monkeypatch):
        found = said()
        assert "checkpoint:ferry/grid-shufflection-0_8-0_8" in found
        assert "is optimistic" in " ".join(found.split())
        done = Checkpoint.objects.filter(state="done", metric="argent")
        assert done.count() == 3

        monkeypatch.setattr(
            "scoring.training.starting.start", None
        )  # nothing is trained again
        assert said() == found
        by_study = said("--real=people", "--synthetic=model", "--format=csv")
        assert by_study.count("checkpoint:ferry/grid-") == 3

        with pytest.raises(
            CommandError, match="choose another name for this one \\(--prefix\\)"
        ):
            said(options=["epochs=0.5"])

    @pytest.mark.parametrize(
        ("more", "reason"),
        [
            (["--option=p_shuffle=1"], "p_shuffle: the grid sets this itself"),
            (["--option=colour=red"], "unknown option colour"),
            (["--values=0,2"], "expected numbers above 0 and up to 1"),
            (["--corpus=typo"], "has no corpus"),
            (["--real=people"], "give both --real and --synthetic"),
            (["--real=x", "--synthetic=model"], "There is no system 'x'"),
            (["--option=held_out=0.01"], "give a larger corpus"),
            (["--labels=typo"], "reference_metric"),
            (["--labels=chrf", "--option=labels=count"], "--labels sets this"),
            (["--by=votes"], "import votes, or choose by area"),
        ],
    )
    def test_a_mistake_is_named_before_anything_is_trained(
        self, study, said, more, reason
    ):
        with pytest.raises(CommandError, match=reason):
            said(*more)
        assert not Checkpoint.objects.exists()
