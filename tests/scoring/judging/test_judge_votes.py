"""A judge's verdicts as votes, apart from those of people."""

from __future__ import annotations

import io

import pytest
from django.utils import timezone

from annotation import votes
from annotation.models import Generation
from annotation.page_kinds.tables import VoteRow
from scoring.judging import judge_votes, pairs
from scoring.models import JudgeTrial
from scoring.results import offering, study_arrays
from scoring.stats import folder

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return make_study()


def verdict(one: Generation, other: Generation, outcome: int | None) -> pairs.Verdict:
    return {
        **{"prompt": one.prompt_id, "first": one.pk, "second": other.pk},
        **{"first_system": one.system_id, "second_system": other.system_id},
        **{"winner": 1, "winner_turned": 2, "points": 1.0, "points_turned": 0.0},
        **{"outcome": outcome, "reason": "", "reason_turned": ""},
        **{"said": "", "said_turned": ""},
    }


def trial(study, *outcomes, state="done") -> JudgeTrial:
    """Verdicts on the first pairs of the study."""
    duels = pairs.possible(study=study).all
    texts = Generation.objects.in_bulk([pk for duel in duels for pk in duel])
    rows = [
        verdict(texts[one], texts[other], outcome)
        for (one, other), outcome in zip(duels, outcomes, strict=False)
    ]
    return JudgeTrial.objects.create(
        study=study,
        kind="pairs",
        state=state,
        options={"model": "endpoint:lab/tiny", "mode": "answer", "samples": 20},
        setup={"title": "Coherence", "pairs": duels[: len(rows)]},
        result={"verdicts": rows} if rows else {},
    )


def test_verdicts_are_the_votes_of_one_voter(study):
    made = trial(study, 1, 2, 0)
    found = judge_votes.ballots(study=study, people=[])
    assert {one.voter for one in found} == {f"tiny on lab, comparison {made.pk}"}
    assert [one.outcome for one in found] == [1, 2, 0]
    assert {one.question for one in found} == {"Coherence"}


def test_a_pair_without_a_verdict_has_no_vote(study):
    trial(study, 1, None)
    assert len(judge_votes.ballots(study=study, people=[])) == 1


def test_excluded_texts_have_no_vote(study):
    made = trial(study, 1, 2)
    gone = made.result["verdicts"][0]["first"]
    study.generations.filter(pk=gone).update(excluded_at=timezone.now())
    found = judge_votes.ballots(study=study, people=[])
    assert len(found) == sum(
        gone not in (one["first"], one["second"]) for one in made.result["verdicts"]
    )


def test_unfinished_trials_have_none(study):
    trial(study, state="running")
    assert judge_votes.ballots(study=study, people=[]) == []
    assert judge_votes.names(study=study) == []


def test_one_that_goes_on_with_a_higher_limit_keeps_its_votes(study):
    made = trial(study, 1, state="running")
    [found] = judge_votes.ballots(study=study, people=[])
    assert found.voter == judge_votes.name(made)
    assert offering.facts(study=study).votes


def test_results_are_old_when_it_has_more_votes(study):
    made = trial(study, 1)
    before = judge_votes.stamp(study=study)
    JudgeTrial.objects.filter(pk=made.pk).update(finished_at=timezone.now())
    assert judge_votes.stamp(study=study) != before


def test_pairs_are_called_as_people_s_votes_call_them(study):
    made = trial(study, 1)
    one = made.result["verdicts"][0]
    row = VoteRow(
        *("mine", "", one["second_system"], one["first_system"], True, "ann", 1),
        one["prompt"],
    )
    [found] = judge_votes.ballots(study=study, people=[row])
    assert found.pair == "mine"


def test_they_are_never_among_people_s_votes(study):
    trial(study, 1, 2)
    content = b"pair,first,second,outcome,worker\np,a,b,1,ann"
    given = {"format": "votes", "file_name": "v.csv", "create_systems": False}
    votes.add(study=study, file=io.BytesIO(content), **given)
    data = study_arrays.load(study=study, needs=["votes"])
    assert (len(data.votes), len(data.judge_votes)) == (1, 2)
    assert data.votes.rater.tolist() == ["ann"]


def test_a_new_judge_makes_results_old(study):
    before = study_arrays.stamp(study=study)
    trial(study, 1)
    assert study_arrays.stamp(study=study) != before


def test_they_come_back_from_a_folder_of_files(study, tmp_path):
    trial(study, 1, 2, 0)
    data = study_arrays.load(study=study, needs=["votes"])
    folder.write(data, tmp_path)
    assert folder.read(tmp_path).digest() == data.digest()


def test_without_a_judge_data_keep_their_digest_and_files(study, tmp_path):
    data = study_arrays.load(study=study, needs=["votes"])
    folder.write(data, tmp_path)
    assert not (tmp_path / "judge_votes.csv").exists()
