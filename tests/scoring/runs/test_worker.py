from __future__ import annotations

import math
import threading
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.db.models import UniqueConstraint

from annotation.models import Prompt, Reference, System
from evalapp.work import leases, retries
from scoring import pulse, runs
from scoring.metrics import Evaluator, MetricError, Output
from scoring.models import (
    Chunk,
    MetricRun,
    NegativeScore,
    Score,
    Signature,
    SystemScore,
)
from scoring.runs import loading, saving, worker
from scoring.runs.work import RUNS
from scoring.scores import evaluator_files, systems
from tests.annotation.seating import in_threads
from tests.scoring.working import NOON, work
from tests.support.scored import table_of_systems

pytestmark = pytest.mark.usefixtures("extra", "sent", "small_chunks")
ME, RIVAL = "here/1/a", "there/1/b"


@pytest.fixture
def study(make_study):
    return make_study()  # eight texts: two chunks


@pytest.fixture
def run(study):
    return start(study)


def start(study, metric="letters", **options):
    return runs.start(study=study, metric=metric, options=options, any_folder=True)


def score(chunk, owner=ME, now=NOON):
    RUNS.perform(pk=chunk.pk, owner=owner, clock=lambda: now)
    chunk.refresh_from_db()


class TestScoring:
    def test_each_text_gets_its_score(self, run):
        work(run)
        for generation in run.study.generations.select_related("prompt"):
            (found,) = Score.objects.filter(generation=generation)
            assert found.value == generation.full_text.count("e")
            assert (found.output, found.signature) == ("letters", run.signature)

    def test_the_run_ends_with_its_last_chunk(self, run):
        first, last = run.chunks.all()
        score(first)
        run.refresh_from_db()
        assert (run.state, run.started_at) == (MetricRun.State.RUNNING, NOON)
        later = NOON + timedelta(seconds=9)
        score(last, now=later)
        run.refresh_from_db()
        assert (run.state, run.finished_at) == (MetricRun.State.DONE, later)
        assert (last.done_items, last.lease_until) == (4, None)

    def test_what_is_undefined_is_null_with_its_reason(self, study):
        study.generations.filter(system__name__in="ab").update(text="# marked")
        work(start(study, letter="#"))
        undefined = Score.objects.filter(value=None)
        assert set(undefined.values_list("reason", flat=True)) == {"no such letter"}
        assert undefined.count() == 4

    def test_infinity_is_not_a_number_either(self, run, monkeypatch, extra):
        monkeypatch.setattr(extra.Scorer, "__call__", lambda s, e, p=None: _inf(len(e)))
        work(run)
        assert set(Score.objects.values_list("value", "reason")) == {
            (None, "not finite")
        }

    def test_a_metric_sees_all_that_the_study_knows(self, study, monkeypatch, extra):
        prompt = study.generations.first().prompt
        Prompt.objects.filter(pk=prompt.pk).update(source="a question")
        for position, text in enumerate(("first", "second")):
            Reference.objects.create(prompt=prompt, text=text, position=position)
        seen = []
        real = extra.Scorer.__call__
        monkeypatch.setattr(
            extra.Scorer,
            "__call__",
            lambda s, examples, p=None: seen.extend(examples) or real(s, examples, p),
        )
        work(start(study))
        example = next(e for e in seen if e.source)
        assert example.text == prompt.generations.first().full_text
        assert (example.prefix, example.label) == (prompt.prefix, prompt.label.name)
        assert example.references == ("first", "second")

    def test_the_number_of_queries_does_not_grow_with_the_texts(
        self, make_study, django_assert_max_num_queries, monkeypatch
    ):
        monkeypatch.setattr("scoring.runs.starting.TEXTS_PER_CHUNK", 64)
        run = start(make_study(prompts=16))
        with django_assert_max_num_queries(26):
            work(run)

    def test_a_second_run_shares_the_scores_of_the_first(self, run, extra, monkeypatch):
        work(run)
        monkeypatch.setattr(extra, "while_scoring", lambda: pytest.fail("scored again"))
        again = start(run.study)
        work(again)
        assert again.state == MetricRun.State.DONE
        assert again.signature == run.signature
        assert Score.objects.count() == 8

    def test_only_what_is_missing_is_scored(self, run, extra, monkeypatch):
        work(run)
        gone = run.study.generations.last()
        gone.scores.all().delete()
        seen = []
        monkeypatch.setattr(extra, "while_scoring", lambda: seen.append(1))
        work(start(run.study))
        assert (len(seen), gone.scores.count()) == (1, 1)

    def test_parts_are_kept_beside_the_run(self, run, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        work(run)
        chunk = run.chunks.first()
        with np.load(evaluator_files.path(chunk)) as kept:
            assert kept["generations"].tolist() == chunk.generations
            assert kept["lengths"].shape == (4, 1)
        assert not list(tmp_path.rglob(".*.npz"))

    def test_texts_whose_parts_are_gone_are_scored_again(
        self, run, settings, tmp_path, extra, monkeypatch
    ):
        settings.DATA_DIR = tmp_path
        seen = []
        work(run)
        monkeypatch.setattr(extra, "while_scoring", lambda: seen.append(1))
        evaluator_files.path(run.chunks.first()).unlink()
        work(start(run.study))
        assert seen == []  # nothing explains them
        asked = {"letters": [Evaluator("Which letter?", "e")]}
        monkeypatch.setattr(extra.Letters, "explain", lambda self, example: asked)
        again = start(run.study)
        work(again)
        assert evaluator_files.path(again.chunks.first()).exists()
        work(start(run.study))
        assert (len(seen), Score.objects.count()) == (1, 8)

    def test_what_scoring_cost_is_kept(self, run):
        work(run)
        assert all(chunk.seconds > 0 for chunk in run.chunks.all())
        assert sum(chunk.scored for chunk in run.chunks.all()) == 8
        again = start(run.study)
        work(again)
        assert {(c.seconds, c.scored) for c in again.chunks.all()} == {(None, 0)}

    def test_what_several_chunks_note_is_said_once(self, run, monkeypatch, extra):
        scorer = extra.Scorer.__call__

        def noted(self, *arguments):
            return scorer(self, *arguments)._replace(notes=("mind the gap",))

        monkeypatch.setattr(extra.Scorer, "__call__", noted)
        work(run)
        assert run.chunks.count() == 2
        run.refresh_from_db()
        assert run.notes == ["mind the gap"]

    def test_a_run_that_shares_scores_shares_what_was_noted(self, run, monkeypatch):
        work(run)
        run.notes = ["mind the gap"]
        run.save()
        again = start(run.study)
        work(again)
        assert again.notes == ["mind the gap"]


@pytest.mark.django_db(transaction=True)
def test_to_cancel_while_notes_are_saved_is_no_deadlock(
    make_study, extra, sent, small_chunks, monkeypatch
) -> None:
    run, begun = start(make_study()), threading.Event()
    upsert, scorer = saving.upsert, extra.Scorer.__call__

    def slow(*arguments):
        begun.set()
        time.sleep(0.3)
        upsert(*arguments)

    def noted(self, *arguments):
        return scorer(self, *arguments)._replace(notes=("mind the gap",))

    monkeypatch.setattr(saving, "upsert", slow)
    monkeypatch.setattr(extra.Scorer, "__call__", noted)

    def act(number: int) -> None:
        if number:
            assert begun.wait(60)
            runs.cancel(run=MetricRun.objects.get(pk=run.pk))
        else:
            RUNS.perform(pk=sent[0], owner=ME, clock=lambda: NOON)

    in_threads(2, act)
    run.refresh_from_db()
    assert (run.state, run.notes) == (MetricRun.State.CANCELLED, ["mind the gap"])
    assert [chunk.attempt for chunk in run.chunks.all()] == [1, 0]
    assert run.chunks.first().state == Chunk.State.DONE


def _inf(n):
    from scoring.metrics import Scores

    return Scores({"letters": np.full(n, np.inf)}, {"letters": [None] * n})


class TestSystems:
    def test_each_system_gets_a_number_or_a_reason(self, study):
        work(start(study, "crowd"))
        assert SystemScore.objects.count() == 4 * 3
        assert set(
            SystemScore.objects.filter(output="texts").values_list("value", flat=True)
        ) == {2.0}
        nothing = SystemScore.objects.filter(output="nothing")
        assert set(nothing.values_list("value", "reason")) == {(None, "undefined")}

    def test_what_is_loaded_scores_signs_and_notes(self, study, monkeypatch, extra):
        """A metric of systems may have weights, which its signature must name."""
        from scoring.metrics import crowd
        from scoring.metrics._engine.base import OneNumber

        devices = []

        def load(self, device):
            devices.append(device)
            return OneNumber(
                self.signature(model="sha256:1"),
                lambda texts, corpus, rng: {
                    "texts": len(texts),
                    "dice": math.nan,
                    "nothing": "one text is empty",
                },
                ("mind the gap",),
            )

        monkeypatch.setattr(crowd.Crowd, "load", load)
        run = start(study, "crowd")
        work(run)
        assert len(devices) == 1 and run.chunks.count() == 4
        found = SystemScore.objects.filter(system__name="a").order_by("output")
        assert list(found.values_list("value", "reason")) == [
            (None, "undefined"),
            (None, "one text is empty"),
            (2.0, ""),
        ]
        run.refresh_from_db()
        assert "|model:sha256:1|" in run.signature.text
        assert run.notes == ["mind the gap"]

    def test_chance_depends_on_the_study_and_the_system_alone(self, study):
        def dice():
            work(start(study, "crowd"))
            found = SystemScore.objects.filter(output="dice").order_by("system")
            return list(found.values_list("value", flat=True))

        first = dice()
        SystemScore.objects.all().delete()
        assert dice() == first
        assert len(set(first)) == 4

    def test_new_texts_of_a_system_count_in_the_next_run(self, study):
        work(start(study, "crowd"))
        system = System.objects.get(name="a")
        old = system.generations.first()
        old.pk, old.key, old.sample = None, "new", 9
        old.save()
        work(start(study, "crowd"))
        found = SystemScore.objects.get(system=system, output="texts")
        assert found.value == 3.0

    def test_seeds_of_an_earlier_scoring_do_not_count_in_the_mean(self, study):
        run = start(study, "crowd")
        work(run)
        run.refresh_from_db()
        a, b = study.systems.order_by("name")[:2]
        for system in (a, b):
            SystemScore.objects.create(
                signature=run.signature, system=system, output="texts", seed=1, value=9
            )
        study.generations.filter(system=b).delete()
        work(start(study, "crowd"))
        found = SystemScore.objects.filter(output="texts", seed=1)
        assert list(found.values_list("system__name", flat=True)) == ["b"]

    def test_an_older_run_tried_again_counts_them_too(self, study):
        older = start(study, "crowd")
        runs.cancel(run=older)
        system = System.objects.get(name="a")
        old = system.generations.first()
        old.pk, old.key, old.sample = None, "new", 9
        old.save()
        work(start(study, "crowd"))
        runs.retry(run=older)
        work(older)
        found = SystemScore.objects.get(system=system, output="texts")
        assert found.value == 3.0
        assert older.chunks.get(system=system).total_items == 3

    def test_results_tell_which_are_from_before_texts_were_added(self, study):
        work(start(study, "crowd"))
        old = study.generations.filter(system__name="a").first()
        old.pk, old.key, old.sample = None, "new", 9
        old.save()
        a, b, *_ = table_of_systems(study=study).rows
        assert a.cells[-1] == {"value": None, "reason": systems.OUTDATED}
        assert b.cells[-2]["value"] == 2.0
        work(start(study, "crowd"))
        assert table_of_systems(study=study).rows[0].cells[-2]["value"] == 3.0


class TestKeys:
    @pytest.mark.parametrize("kind", [Score, NegativeScore, SystemScore])
    def test_the_database_holds_the_key_by_which_a_score_is_replaced(self, kind):
        unique = [c for c in kind._meta.constraints if isinstance(c, UniqueConstraint)]
        assert kind.KEY in [one.fields for one in unique]

    def test_constraints_may_stand_in_any_order(self, study, monkeypatch):
        key = UniqueConstraint(fields=SystemScore.KEY, name="key")
        other = UniqueConstraint(fields=["value"], name="other")
        monkeypatch.setattr(SystemScore._meta, "constraints", [other, key])
        work(start(study, "crowd"))
        SystemScore.objects.filter(output="texts").update(value=-1)
        work(start(study, "crowd"))
        assert not SystemScore.objects.filter(value=-1).exists()


class TestFence:
    def test_a_second_message_does_nothing(self, run, extra):
        chunk = run.chunks.first()
        score(chunk)
        score(chunk, owner=RIVAL)
        assert (chunk.owner, chunk.attempt) == (ME, 1)
        assert Score.objects.count() == 4

    def test_a_message_for_a_chunk_that_is_no_more_does_nothing(self, db):
        RUNS.perform(pk=12345, owner=ME, clock=lambda: NOON)

    def test_a_chunk_is_another_workers_until_its_lease_ends(self, run):
        pk = run.chunks.first().pk
        assert leases.take(Chunk.objects.all(), pk=pk, owner=ME, now=NOON)
        assert leases.take(Chunk.objects.all(), pk=pk, owner=RIVAL, now=NOON) is None
        later = NOON + leases.LEASE
        assert (
            leases.take(Chunk.objects.all(), pk=pk, owner=RIVAL, now=later).attempt == 2
        )

    def test_whoever_lost_the_chunk_saves_nothing(self, run, extra, monkeypatch):
        chunk = run.chunks.first()
        later = NOON + leases.LEASE

        def rival_takes_over():
            monkeypatch.setattr(extra, "while_scoring", None)
            assert leases.take(Chunk.objects.all(), pk=chunk.pk, owner=RIVAL, now=later)

        monkeypatch.setattr(extra, "while_scoring", rival_takes_over)
        score(chunk)
        assert (chunk.state, chunk.owner) == (Chunk.State.RUNNING, RIVAL)
        assert Score.objects.count() == 0

    def test_the_same_worker_on_a_later_attempt_is_somebody_else(self, run):
        pk = run.chunks.first().pk
        first = leases.take(Chunk.objects.all(), pk=pk, owner=ME, now=NOON)
        leases.take(Chunk.objects.all(), pk=pk, owner=ME, now=NOON + leases.LEASE)
        assert not leases.finish(first, now=NOON)

    def test_scores_and_the_end_of_the_chunk_stand_or_fall_together(
        self, run, monkeypatch
    ):
        def full(*args):
            raise RuntimeError("disk full")

        monkeypatch.setattr(saving, "upsert", full)
        chunk = run.chunks.first()
        score(chunk)
        assert (chunk.state, chunk.error) == ("queued", "RuntimeError: disk full")
        assert Score.objects.count() == 0

    def test_a_cancelled_run_gets_no_more_scores(self, run, extra, monkeypatch):
        monkeypatch.setattr(extra, "while_scoring", lambda: runs.cancel(run=run))
        chunk = run.chunks.first()
        score(chunk)
        run.refresh_from_db()
        assert (chunk.state, run.state) == ("cancelled", "cancelled")
        assert Score.objects.count() == 0

    def test_progress_is_never_of_more_texts_than_there_are(self, run):
        chunk = leases.take(
            Chunk.objects.all(), pk=run.chunks.first().pk, owner=ME, now=NOON
        )
        worker.Report(chunk, lambda: NOON)(chunk.total_items + 1)
        chunk.refresh_from_db()
        assert chunk.done_items == chunk.total_items

    def test_progress_sees_the_cancellation_and_stops(self, run, monkeypatch):
        monkeypatch.setattr(retries, "REPORT_SECONDS", 0.0)
        chunk = leases.take(
            Chunk.objects.all(), pk=run.chunks.first().pk, owner=ME, now=NOON
        )
        report = worker.Report(chunk, lambda: NOON + timedelta(seconds=5))
        report(3)
        chunk.refresh_from_db()
        assert chunk.done_items == 3
        assert chunk.lease_until == NOON + timedelta(seconds=5) + leases.LEASE
        runs.cancel(run=run)
        with pytest.raises(retries.Lost):
            report(1)


class TestTrouble:
    def broken(self, extra, monkeypatch, error):
        def fail():
            raise error

        monkeypatch.setattr(extra, "while_scoring", fail)

    def test_an_error_is_tried_three_times_in_all(self, run, extra, monkeypatch):
        self.broken(extra, monkeypatch, ValueError("bad luck"))
        chunk = run.chunks.first()
        for state in ("queued", "queued", "failed"):
            score(chunk)
            assert chunk.state == state
        assert chunk.error == "ValueError: bad luck (3 attempts)"

    def test_the_other_chunks_go_on_and_the_run_then_failed(
        self, run, extra, monkeypatch
    ):
        first, last = run.chunks.all()
        self.broken(extra, monkeypatch, ValueError("bad luck"))
        for _ in range(3):
            score(first)
        monkeypatch.setattr(extra, "while_scoring", None)
        score(last)
        run.refresh_from_db()
        assert (run.state, run.error) == ("failed", "ValueError: bad luck (3 attempts)")
        assert Score.objects.count() == 4

    def test_what_a_user_can_cure_ends_the_run_at_once(self, run, extra, monkeypatch):
        first, last = run.chunks.all()
        score(first)
        self.broken(extra, monkeypatch, MetricError("the tokenizer has no mask"))
        last = run.chunks.last()
        score(last)
        run.refresh_from_db()
        assert (run.state, run.error) == ("failed", "the tokenizer has no mask")
        assert last.attempt == 1
        assert Score.objects.count() == 4

    def test_a_missing_model_fails_all_that_is_left(self, study):
        run = start(study, model="no/such-model")
        score(run.chunks.first())
        run.refresh_from_db()
        assert (run.state, run.error) == ("failed", "no model in no/such-model")
        assert run.chunks.filter(state="failed").count() == 2

    def test_what_went_wrong_is_said_without_the_folders_of_the_server(
        self, study, settings
    ):
        run = start(study, model=str(settings.BASE_DIR / "README.md"))
        chunk = run.chunks.first()
        settings.MODELS_DIR = settings.BASE_DIR / "models"
        run.options["model"] = str(settings.MODELS_DIR / "gone")
        run.save()
        score(chunk)
        assert chunk.error == "no model in gone"
        assert retries.without_folders(f"see {Path.home()}/.cache") == "see ~/.cache"

    def test_a_metric_that_breaks_its_contract_is_refused(
        self, run, extra, monkeypatch
    ):
        monkeypatch.setattr(extra.Scorer, "__call__", lambda s, e, p=None: _inf(3))
        score(run.chunks.first())
        run.refresh_from_db()
        assert run.error == "the metric returned letters with shape (3,) for 4 texts"

    def test_a_key_with_a_hyphen_is_refused(self, study, monkeypatch, extra):
        run = start(study)
        monkeypatch.setattr(extra.Letters, "outputs", [Output("a-b", "A", "u", None)])
        work(run)
        assert run.state == MetricRun.State.FAILED
        assert "the key 'a-b' of an output has a hyphen" in run.error

    def test_a_worker_that_is_told_to_stop_gives_its_chunk_back(
        self, run, extra, monkeypatch
    ):
        retries.stop()
        chunk = run.chunks.first()
        score(chunk)
        assert (chunk.state, chunk.attempt, chunk.owner) == ("queued", 0, "")
        assert chunk.sent_at is None


class TestSignature:
    def test_it_holds_contents_and_never_paths(self, study, tmp_path):
        (tmp_path / "model").write_text("weights")
        run = start(study, model=str(tmp_path / "model"))
        work(run)
        assert run.signature.text == "letters|letter:e|model:weights|v:1"
        assert run.signature.outputs[0]["key"] == "letters"

    def test_other_contents_under_the_same_path_do_not_mix(self, study, tmp_path):
        model = tmp_path / "model"
        model.write_text("one")
        run = start(study, model=str(model))
        first, last = run.chunks.all()
        score(first)
        model.write_text("another")
        score(last)
        run.refresh_from_db()
        assert (last.state, last.attempt, run.state) == ("failed", 1, "failed")
        assert "differ from those at the start of this run" in run.error
        assert Score.objects.count() == 4

    @pytest.mark.parametrize(("metric", "draws"), [("zipf", True), ("length", False)])
    def test_it_tells_what_chance_began_with(self, study, metric, draws):
        """Two studies of the same texts have other numbers, as they draw others."""
        run = start(study, metric)
        work(run)
        assert run.signature.text.endswith(f"|seed:{study.seed}") == draws

    def test_runs_with_one_signature_share_its_row(self, study):
        for _ in range(2):
            work(start(study))
        assert Signature.objects.count() == 1


class TestLoading:
    def test_a_metric_is_loaded_once_for_all_its_chunks(self, run, extra):
        work(run)
        assert extra.loads == ["cpu"]

    def test_a_changed_file_is_loaded_again(self, tmp_path, extra):
        model = tmp_path / "model"
        options = {"model": str(model)}
        signatures = []
        for contents in ("one", "two, longer"):
            model.write_text(contents)
            loaded = loading.load(metric="letters", options=options)
            signatures.append(loaded.signature)
        assert len(set(signatures)) == 2

    def test_the_metric_used_longest_ago_makes_room(self, extra):
        for letter in "aba" + "c" + "a" + "b":
            loading.load(metric="letters", options={"letter": letter})
        assert len(extra.loads) == 4  # a, b, c, and b again

    def test_an_error_drops_what_was_loaded(self, run, extra, monkeypatch):
        loading.load(metric="letters", options=run.options)
        monkeypatch.setattr(worker, "_check_shapes", lambda *a: 1 / 0)
        score(run.chunks.first())
        assert not loading._loaded

    def test_the_device_can_be_set(self, settings):
        settings.DEVICE = "cuda:1"
        assert loading.device() == "cuda:1"


def test_the_pulse_renews_before_it_reaps(run):
    chunk = leases.take(
        Chunk.objects.all(), pk=run.chunks.first().pk, owner=ME, now=NOON
    )
    woken = NOON + timedelta(hours=8)
    pulse.once(owner=ME, now=woken)
    chunk.refresh_from_db()
    assert (chunk.state, chunk.lease_until) == ("running", woken + leases.LEASE)
