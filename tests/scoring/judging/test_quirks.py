"""Runs and trials of judges whose servers want to be asked in other ways."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoring import runs
from scoring.judging import estimates, identities
from scoring.judging.ledger import Limit
from scoring.metrics import get
from scoring.models import JudgeIdentity, Score
from scoring.runs import RunError, loading
from tests.scoring.endpoints import quirks
from tests.scoring.judging.asked import served, started
from tests.scoring.judging.asked import work as try_it
from tests.scoring.working import NOON, work
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)
OPTIONS = {"model": "endpoint:lab/tiny", "mode": "answer", "aspects": "quality: Good?"}
LESSONS = (
    "A test question showed that the server calls the limit of an answer"
    " max_completion_tokens and takes no temperature (its own is used)."
)

OTHERS = (
    "The test question was answered by tiny (fp_0), some of the others by tiny ({})."
    " All of these answers are scored."
)


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    for name in ("score_chunk", "try_judge"):
        catch(monkeypatch, name, lambda pk: None)
    yield
    loading.forget_all()


@pytest.fixture
def serve(monkeypatch, tmp_path):
    """A server with a quirk behind the endpoint lab."""

    def start(name, **fields):
        return served(monkeypatch, tmp_path, quirks.QUIRKS[name](), **fields)

    return start


def scored(study, **options):
    run = runs.start(
        study=study,
        metric="llm_judge",
        options={**OPTIONS, **options},
        limit=Limit(100),
    )
    work(run)
    run.refresh_from_db()
    return run


def values(run):
    found = Score.objects.filter(signature=run.signature)
    return [*found.values_list("value", flat=True)]


def estimated(study, **options):
    metric = get("llm_judge")(**{**OPTIONS, **options})
    return estimates.of_run(study=study, metric=metric)


def test_fingerprints_that_rotate_cost_no_score_and_are_told(make_study, serve):
    study = make_study()
    with serve("fp", calls_at_once=1):
        run = scored(study)
        assert values(run) == [1.0] * 8 and run.n_calls == 9
        assert run.notes == [OTHERS.format("fp_1"), OTHERS.format("fp_2")]
        again = scored(study)
    assert again.n_calls == 1 and again.signature == run.signature
    assert JudgeIdentity.objects.count() == 3


def test_a_model_that_thinks_too_long_costs_a_test_question(make_study, serve):
    with serve("think"):
        run = scored(make_study())
    assert run.state == "failed" and run.n_calls == 1
    assert "within 512 tokens. Ask your administrator to allow more: " in run.error


def test_what_a_test_question_shows_is_told_before_the_first_text(make_study, serve):
    study = make_study()
    with serve("gpt5") as server:

        def reply(body, n):
            if not quirks.is_test(body):
                assert study.runs.get().notes == [LESSONS]
            return quirks.gpt5(body, n)

        server.reply = reply
        run = scored(study)
    assert values(run) == [1.0] * 8 and run.notes == [LESSONS]


def test_what_is_known_of_a_server_stands_where_one_agrees(make_study, serve):
    study = make_study()
    with serve("gpt5"):
        assert estimated(study).places[0].lessons == ""
        scored(study)
        found = estimated(study)
        assert (found.calls, found.kept) == (1, 8)
        assert found.places[0].lessons == LESSONS
        assert found.told.endswith(f". {LESSONS.removesuffix('.')}")
        assert scored(study).n_calls == 3  # two refusals, and the test question


def test_pairs_are_compared_and_the_lesson_stands_beside_them(make_study, serve):
    with serve("gpt5"):
        trial = try_it(started(make_study(), n=3))
    assert trial.state == "done" and trial.notes == [LESSONS]
    assert all(one["outcome"] is not None for one in trial.result["verdicts"])


def test_a_mode_that_the_operator_does_not_offer_is_refused(
    make_study, serve, tmp_path
):
    study = make_study()
    with serve("ok"):
        with (tmp_path / "judges.toml").open("a") as file:
            file.write('\n[judges.lab.model."tiny"]\nmodes = ["form"]\n')
        with pytest.raises(RunError, match="mode=answer: the model tiny of the"):
            scored(study)
        assert scored(study, mode="form").state == "done"


def test_a_longer_limit_is_counted_before_one_agrees(make_study, serve, tmp_path):
    study = make_study()
    with serve("ok"):
        before = estimated(study)
        with (tmp_path / "judges.toml").open("a") as file:
            file.write('\n[judges.lab.model."tiny"]\nmax_tokens = 2048\n')
        after = estimated(study)
    assert (before.most_tokens_out, after.most_tokens_out) == (9 * 512, 9 * 2048)


class TestChanges:
    def test_a_new_model_is_told_beside_older_scores(self, make_study, serve):
        study = make_study()
        with serve("ok"):
            run = scored(study)
        assert identities.changes([run.signature]) == []
        JudgeIdentity.objects.create(
            **{"endpoint": "lab", "model_asked": "tiny", "model_answered": "newer"},
            first_seen=NOON + timedelta(days=400),
            last_seen=NOON + timedelta(days=400),
        )
        (found,) = identities.changes([run.signature])
        assert (found.judge.answered, found.now, found.apart) == (
            "tiny (fp_1)",
            "newer",
            False,
        )
