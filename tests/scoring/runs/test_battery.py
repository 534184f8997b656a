"""Score with everything that runs here: which that is, and that it is started."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.models import Reference, Study
from scoring import metrics
from scoring.models import Chunk, MetricRun
from scoring.runs import battery, costs, recorded_costs, together
from scoring.runs.costs import Estimate
from tests.scoring.probed import corpus_of
from tests.support.learner import CARD, Learner, trained
from tests.support.messages import catch

NAMES = (
    *("ctrleval", "bartscore", "perplexity", "cdm", "length", "bleu"),
    *("llm_judge", "zipf", "divergence", "union"),
)
SHIPPED = metrics.names()  # before a test offers fewer


@pytest.fixture(autouse=True)
def few(monkeypatch, settings, tmp_path):
    """Ten metrics, and no model but the bundled ones."""
    found = {name: metrics.get(name) for name in NAMES} | {"learner": Learner}
    monkeypatch.setattr(metrics, "names", lambda: sorted(found))
    monkeypatch.setattr(metrics, "get", found.__getitem__)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    settings.MODELS_DIR, settings.DATA_DIR = tmp_path / "models", tmp_path
    catch(monkeypatch, "score_chunk", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


def choices(study):
    found = battery.choices(study=study, visible=Study.objects.all())
    return {one.metric: one for one in found}


def finish(run, seconds=2.0):
    run.chunks.update(state="done", done_items=8, scored=8, seconds=seconds)
    MetricRun.objects.filter(pk=run.pk).update(
        state=MetricRun.State.DONE, finished_at=timezone.now()
    )


class TestChoices:
    def test_models_are_chosen_from_what_is_here_so_that_defaults_run(self, study):
        found = choices(study)
        assert found["ctrleval"].options == {"model": "bundled:infill-medium"}
        assert found["perplexity"].options == {"model": "bundled:causal-small"}
        assert found["cdm"].options == {
            "expert": "bundled:causal-small",
            "amateur": "bundled:causal-nano",
        }
        for name in ("ctrleval", "perplexity", "cdm", "length", "zipf"):
            assert found[name].preselected, name

    def test_what_can_run_stands_first(self, study):
        ready = [one.ready for one in choices(study).values()]
        assert ready == sorted(ready, reverse=True)

    @pytest.mark.parametrize(
        ("metric", "what", "to"),
        [
            ("bleu", "Needs reference texts", "study_import"),
            ("divergence", "Needs a corpus of human texts", "corpora"),
            ("union", "Needs training first", "trainings"),
            ("llm_judge", "that follows instructions; none is on this server", ""),
        ],
    )
    def test_what_is_missing_says_how_to_get_it(self, study, metric, what, to):
        one = choices(study)[metric]
        assert what in one.missing[0].what
        assert one.missing[0].to == to
        assert one.missing[0].how
        assert not one.preselected

    def test_what_is_imported_or_uploaded_makes_it_run(self, study):
        prompt = study.generations.first().prompt
        Reference.objects.create(prompt=prompt, text="A text by a person.")
        corpus_of(study)
        found = choices(study)
        assert found["bleu"].ready
        assert found["divergence"].corpus == study.corpora.get()
        assert found["bartscore"].options == {"model": "bundled:infill-medium"}

    def test_outputs_that_no_text_can_have_are_not_asked_for(self, study):
        assert choices(study)["bartscore"].options["directions"] == "source"

    def test_a_trained_metric_runs_with_its_newest_training(self, study):
        trained(study, "old")
        trained(study, "new")
        assert choices(study)["learner"].options == {"model": "checkpoint:ferry/new"}

    def test_one_that_learned_nothing_is_not_ticked(self, study):
        card = {**CARD, "figures": {"n": 198, "auc": 0.51}}
        trained(study, card=card)
        one = choices(study)["learner"]
        assert one.ready and one.at_chance and not one.preselected

    def test_a_run_with_the_same_options_counts_as_scored(self, study):
        (run,), _ = battery.start_all(study=study, chosen=[choices(study)["ctrleval"]])
        assert choices(study)["ctrleval"].under_way
        finish(run)
        assert choices(study)["ctrleval"].scored
        assert not choices(study)["ctrleval"].preselected

    def test_texts_that_came_later_are_to_be_scored(self, study):
        (run,), _ = battery.start_all(study=study, chosen=[choices(study)["length"]])
        finish(run)
        Chunk.objects.update(total_items=7)
        one = choices(study)["length"]
        assert one.partly and one.preselected

    def test_a_run_that_failed_does_not_count(self, study):
        (run,), _ = battery.start_all(study=study, chosen=[choices(study)["length"]])
        MetricRun.objects.update(state=MetricRun.State.FAILED)
        assert choices(study)["length"].preselected

    def test_queries_do_not_grow_with_metrics(
        self, study, django_assert_max_num_queries
    ):
        with django_assert_max_num_queries(20):
            choices(study)


class TestStartAll:
    def test_each_gets_a_run_and_a_refusal_leaves_nothing(self, study):
        found = choices(study)
        chosen = [found["length"], found["bleu"], found["zipf"]]
        started, problems = battery.start_all(study=study, chosen=chosen)
        assert [run.metric for run in started] == ["length", "zipf"]
        assert len(problems) == 1
        assert problems[0].startswith("BLEU: the metric bleu needs reference texts")
        assert set(Chunk.objects.values_list("run", flat=True)) == {
            run.pk for run in started
        }


class TestEstimates:
    def test_past_runs_tell_how_long_it_takes(self, study):
        (run,), _ = battery.start_all(study=study, chosen=[choices(study)["ctrleval"]])
        finish(run, seconds=4.0)
        assert choices(study)["ctrleval"].estimate == Estimate(
            costs.LOADING + 4.0, "as measured in this study"
        )

    def test_without_any_a_recorded_figure_does(self, study, monkeypatch):
        monkeypatch.setattr(recorded_costs, "PER_THOUSAND", {"length": (100.0, 0)})
        words = costs.Estimates(study, Study.objects.all()).words
        found = choices(study)["length"].estimate
        assert found.basis == "a usual figure, not measured here"
        assert found.seconds == pytest.approx(0.5 + 8 * 0.1 * words / 100)

    def test_a_larger_model_takes_longer(self):
        small = recorded_costs.seconds("ctrleval", words=100, weights=17_400_000)
        large = recorded_costs.seconds("ctrleval", words=100, weights=1_740_000_000)
        assert large == pytest.approx(100 * small)

    def test_every_metric_that_ships_has_a_figure(self):
        known = set(recorded_costs.PER_THOUSAND)
        assert known >= set(SHIPPED)

    def test_unknown_ones_make_no_sum(self):
        some = [Estimate(2.0, ""), Estimate(4.0, "")]
        assert costs.together(some, workers=2) == 3.0
        assert costs.together([*some, None], workers=2) is None


class TestTogether:
    def seen(self, study, now=None):
        now = now or timezone.now()
        return together.latest(study=study, expected=lambda run: 10.0, now=now)

    def test_runs_started_together_have_one_progress(self, study):
        found = choices(study)
        chosen = [found["length"], found["zipf"], found["ctrleval"]]
        (first, *_), _ = battery.start_all(study=study, chosen=chosen)
        seen = self.seen(study)
        assert (seen.done, seen.total, seen.seconds_left) == (0, 3, 30.0)
        finish(first)
        seen = self.seen(study)
        assert (seen.done, seen.total, seen.seconds_left) == (1, 3, 20.0)
        assert seen.share == pytest.approx(1 / 3)

    def test_runs_of_before_are_no_part_of_it(self, study):
        found = choices(study)
        (old,), _ = battery.start_all(study=study, chosen=[found["length"]])
        finish(old)
        (new,), _ = battery.start_all(study=study, chosen=[found["zipf"]])
        assert [run for run, _ in self.seen(study).runs] == [new]

    def test_long_after_the_last_has_ended_there_is_none(self, study):
        (run,), _ = battery.start_all(study=study, chosen=[choices(study)["length"]])
        finish(run)
        assert self.seen(study).ended
        assert self.seen(study, timezone.now() + 2 * together.SHOWN_FOR) is None

    def test_uploaded_scores_are_no_work(self, study):
        MetricRun.objects.create(study=study, metric="comet", state="done")
        assert self.seen(study) is None

    def test_all_are_cancelled(self, study):
        found = choices(study)
        battery.start_all(study=study, chosen=[found["length"], found["zipf"]])
        assert together.cancel_all(study=study) == 2
        assert self.seen(study).cancelled == 2
        assert set(Chunk.objects.values_list("state", flat=True)) == {"cancelled"}
