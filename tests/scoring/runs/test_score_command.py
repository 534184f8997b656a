from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from evalapp.work import heartbeats
from scoring import corpora, metrics
from scoring.management.commands import score
from scoring.models import Chunk, MetricRun
from scoring.runs.work import RUNS
from tests.support import judges

pytestmark = pytest.mark.usefixtures("extra", "sent")


class Inline:
    """Stands for the supervised worker: scores a chunk at each tick."""

    deaths = 0

    def __init__(self, **options):
        self.stopped = False

    def tick(self, *, now):
        for chunk in Chunk.objects.filter(state=Chunk.State.QUEUED)[:1]:
            RUNS.perform(pk=chunk.pk, owner=heartbeats.me(), clock=timezone.now)

    def stop(self, *, now):
        Inline.last = self
        self.stopped = True


@pytest.fixture(autouse=True)
def inline(monkeypatch):
    monkeypatch.setattr(score, "Supervisor", Inline)
    monkeypatch.setattr(score, "LOOK_SECONDS", 0.0)


@pytest.fixture
def study(make_study):
    return make_study()


def test_it_waits_to_the_end_and_tells_what_it_found(study, capsys):
    study.generations.filter(system__name="a").update(text="# marked")
    call_command("score", "ferry", "letters", "--option", "letter=#")
    output = capsys.readouterr().out
    assert "letters: 2 scored, 6 undefined (no such letter)" in output
    assert "letters on ferry: done in " in output
    assert "signature: letters|letter:#|model:none|v:1" in output
    assert Inline.last.stopped


def test_it_prints_what_the_metric_noted(study, monkeypatch, capsys):
    def note(run, supervisor):
        run.notes, run.state = ["mind the gap"], "cancelled"

    monkeypatch.setattr(score, "wait", note)
    with pytest.raises(CommandError, match="cancelled"):
        call_command("score", "ferry", "length")
    assert "note: mind the gap\n" in capsys.readouterr().out


def test_it_counts_the_numbers_of_systems(study, capsys):
    call_command("score", "ferry", "crowd")
    output = capsys.readouterr().out
    assert "texts: 4 scored" in output
    assert "nothing: 0 scored, 4 undefined (undefined)" in output


def test_systems_are_held_against_the_corpus_that_is_named(study, monkeypatch, capsys):
    monkeypatch.setattr(metrics.get("crowd"), "uses", frozenset({"corpus"}))
    file = io.BytesIO(b"One.\n")
    made = corpora.add(study=study, name="human", file=file, file_name="a.txt")
    call_command("score", "ferry", "crowd", "--corpus", "human")
    assert MetricRun.objects.get().corpus == made
    assert f"|corpus:sha256:{made.digest[:16]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lake", "letters"], "no study 'lake'; there are: ferry"),
        (["ferry", "pigeons"], r"no metric 'pigeons'; there are: .*letters"),
        (["ferry", "letters", "-o", "x=1"], "unknown option x; there are: letter, mod"),
        (["ferry", "letters", "-o", "letter"], "letter: expected NAME=VALUE"),
        (["ferry", "slow", "-o", "seconds=x"], "seconds=x: expected"),
        (["ferry", "crowd", "--corpus", "x"], 'no corpus "x"; there are: none yet'),
    ],
)
def test_a_wrong_word_is_told_in_one_sentence(study, words, told):
    with pytest.raises(CommandError, match=told):
        call_command("score", *words)
    assert not MetricRun.objects.exists()


def test_a_failed_run_ends_with_its_reason(study):
    with pytest.raises(CommandError, match="failed: no model in no/such") as caught:
        call_command("score", "ferry", "letters", "-o", "model=no/such")
    assert caught.value.returncode == 1


def test_ctrl_c_cancels_the_run(study, monkeypatch):
    def interrupt(self, *, now):
        raise KeyboardInterrupt

    monkeypatch.setattr(Inline, "tick", interrupt)
    with pytest.raises(CommandError, match="cancelled") as caught:
        call_command("score", "ferry", "letters")
    assert caught.value.returncode == 130
    assert MetricRun.objects.get().state == MetricRun.State.CANCELLED
    assert Inline.last.stopped


def test_it_gives_up_when_no_worker_lives_long_enough(study, monkeypatch):
    monkeypatch.setattr(Inline, "tick", lambda self, now: None)
    monkeypatch.setattr(Inline, "deaths", 5)
    with pytest.raises(CommandError, match="the worker keeps crashing; see .*log"):
        call_command("score", "ferry", "letters")
    assert MetricRun.objects.get().state == MetricRun.State.CANCELLED


def test_a_log_gets_a_line_now_and_then(study, monkeypatch, capsys):
    monkeypatch.setattr(score, "LINE_SECONDS", 0.0)
    call_command("score", "ferry", "letters")
    assert "8 of 8 texts" in capsys.readouterr().err


def test_a_terminal_gets_a_bar(study, monkeypatch, capsys):
    monkeypatch.setattr(score.sys.stderr, "isatty", lambda: True, raising=False)
    call_command("score", "ferry", "letters")
    assert "100%" in capsys.readouterr().err


def test_reap_brings_back_what_a_dead_worker_left(study, sent, db):
    call_command("score", "ferry", "letters")
    Chunk.objects.update(state="running", attempt=1, lease_until=timezone.now())
    call_command("reap", "--once")
    assert Chunk.objects.get().state == Chunk.State.QUEUED


class TestAll:
    @pytest.fixture(autouse=True)
    def few(self, monkeypatch):
        monkeypatch.setattr(metrics, "names", lambda: ["bleu", "length", "zipf"])

    def test_it_scores_with_everything_that_runs_here(self, study, capsys):
        call_command("score", "ferry", "--all")
        output = capsys.readouterr().out
        assert "left out bleu: Needs reference texts. Import references" in output
        assert "length: done\n" in output
        assert "2 of 2 metrics done" in output
        assert Inline.last.stopped

    def test_a_second_time_there_is_nothing_to_do(self, study, capsys):
        call_command("score", "ferry", "--all")
        call_command("score", "ferry", "--all")
        assert "0 of 0 metrics done" in capsys.readouterr().out
        assert MetricRun.objects.count() == 2

    def test_it_chooses_by_itself(self, study):
        with pytest.raises(CommandError, match="--all chooses metrics, options"):
            call_command("score", "ferry", "length", "--all")
        with pytest.raises(CommandError, match="the name of a metric, or --all"):
            call_command("score", "ferry")


def judge(*more):
    options = ["--option", "model=endpoint:lab/tiny", "--option", "mode=answer"]
    call_command("score", "ferry", "llm_judge", *options, *more)


def test_before_texts_are_sent_to_a_judge_it_says_what_that_takes(
    study, settings, tmp_path
):
    judges.write(settings, tmp_path)
    with pytest.raises(CommandError, match="25 calls, about .* tokens sent"):
        judge()
    assert not MetricRun.objects.exists()


def test_a_judge_is_asked_within_the_limit_that_is_given(
    study, settings, tmp_path, monkeypatch
):
    judges.write(settings, tmp_path, price_in=1, price_out=2, currency='"EUR"')
    monkeypatch.setattr(score, "wait", lambda run, supervisor: None)
    monkeypatch.setattr(score.Command, "_report", lambda self, run: None)
    judge("--calls", "30", "--cost", "0.5")
    run = MetricRun.objects.get()
    assert (run.most_calls, run.most_cost, run.currency) == (30, 0.5, "EUR")
