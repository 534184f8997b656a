"""Pairs of a study before a judge: drawn, agreed to, asked in both orders, kept."""

from __future__ import annotations

from collections import Counter

import pytest
from django.utils import timezone

from annotation.models import Import, Vote
from annotation.page_kinds.tables import VoteRow
from scoring.endpoints import admission
from scoring.judging import pairs, trials
from scoring.judging.ledger import Limit, LimitError
from scoring.metrics import OptionError
from scoring.models import JudgeCall
from tests.scoring.judging.asked import judges_file, longest, served, started, work
from tests.support.messages import catch


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


class TestWhich:
    pytestmark = pytest.mark.django_db

    def test_texts_of_two_systems_for_a_prompt_are_a_pair(self, study):
        there = pairs.possible(study=study)
        n_prompts = study.generations.values("prompt").distinct().count()
        assert len(there.all) == n_prompts * 6  # four systems
        assert there.voted == []

    def test_excluded_texts_are_in_none(self, study):
        out = study.generations.first()
        study.generations.filter(pk=out.pk).update(excluded_at=timezone.now())
        assert all(out.pk not in duel for duel in pairs.possible(study=study).all)

    def test_pairs_are_counted_as_they_would_be_listed(
        self, study, django_assert_max_num_queries
    ):
        """With what is excluded, and votes whose texts are and are not known."""
        texts = list(study.generations.order_by("pk"))
        a, b, c = study.systems.order_by("pk")[:3]
        gone = next(one for one in texts if one.system_id == c.pk)
        study.generations.filter(pk=gone.pk).update(excluded_at=timezone.now())
        prompts = list(dict.fromkeys(one.prompt_id for one in texts))
        imported = Import.objects.create(study=study, format="csv", file_name="a.csv")
        own = {"study": study, "imported": imported, "rater": "ann", "outcome": 1}
        Vote.objects.bulk_create(
            Vote(pair=f"p{n}", prompt_id=prompt, first=first, second=second, **own)
            for n, (prompt, first, second) in enumerate(
                [
                    (prompts[0], a, b),
                    (prompts[0], b, a),
                    (prompts[1], a, b),
                    (gone.prompt_id, a, c),
                    (None, a, b),
                ]
            )
        )
        there = pairs.possible(study=study)
        with django_assert_max_num_queries(5):
            found = pairs.count_pairs(study=study)
        assert found == (len(there.all), len(there.voted))
        assert (found.all, found.voted) == (len(prompts) * 6 - 3, 2)

    def test_a_study_without_texts_has_no_pairs(self, study):
        study.generations.all().update(excluded_at=timezone.now())
        assert pairs.count_pairs(study=study) == (0, 0)

    def test_a_sample_is_balanced_over_systems_and_always_the_same(self, study):
        duels = pairs.possible(study=study).all
        taken = pairs.draw_pairs(study=study, duels=duels, n=6)
        system = dict(study.generations.values_list("pk", "system_id"))
        met = Counter(frozenset(system[pk] for pk in duel) for duel in taken)
        assert set(met.values()) == {1} and len(met) == 6
        assert pairs.draw_pairs(study=study, duels=duels, n=6) == taken

    def test_votes_of_a_file_name_their_texts_where_it_can_be_known(self, study):
        prompt = study.generations.first().prompt
        a, b = study.systems.all()[:2]
        row = VoteRow("p", "", a.pk, b.pk, True, "ann", 1, prompt.pk)
        unknown = row._replace(prompt=None)
        texts = study.generations.filter(prompt=prompt, system__in=[a, b])
        ids = tuple(sorted(texts.values_list("pk", flat=True)))
        assert pairs.duels_of_votes(study=study, votes=[row, unknown]) == [ids, None]

    @pytest.mark.parametrize(
        ("setup", "error", "said"),
        [
            ({"aspect": "mood"}, OptionError, "aspect=mood: expected one of: "),
            ({"n": 0}, OptionError, "n=0: expected a number from 1 to 5000"),
            ({"n": "9"}, OptionError, "n=9: expected a number"),
            ({"voted": True}, trials.TrialError, "people have voted on no pair"),
        ],
    )
    def test_a_wrong_choice_is_named(self, study, setup, error, said):
        usual = {"aspect": study.aspects.first().key, "n": 3}
        with pytest.raises(error, match=said):
            pairs.check(study, {**usual, **setup})

    def test_a_study_of_one_system_has_no_pairs(self, make_study):
        study = make_study(systems=("a",))
        with pytest.raises(trials.TrialError, match="has no pairs"):
            pairs.check(study, {"aspect": study.aspects.first().key})

    def test_what_is_sent_is_what_somebody_agreed_to(
        self, study, monkeypatch, tmp_path
    ):
        judges_file(monkeypatch, tmp_path, "http://127.0.0.1:9/v1")
        trial = started(study, n=5)
        assert len(trial.setup["pairs"]) == 5
        both, given = pairs.build_pairs(study=study, setup=trial.setup)
        assert [[one.pk, other.pk] for one, other in both] == trial.setup["pairs"]
        assert given[0].question == trial.setup["question"]

    def test_a_spending_limit_needs_prices(self, study, monkeypatch, tmp_path):
        judges_file(monkeypatch, tmp_path, "http://127.0.0.1:9/v1")
        with pytest.raises(LimitError, match="has not set prices"):
            started(study, limit=Limit(10, 5.0))


@pytest.mark.django_db(transaction=True)
class TestAsking:
    def test_every_pair_is_asked_in_both_orders_and_kept(
        self, study, monkeypatch, tmp_path
    ):
        with served(monkeypatch, tmp_path, longest) as server:
            trial = work(started(study, n=4))
        assert trial.state == "done", trial.error
        assert len(server.asked) == 1 + 2 * 4
        assert JudgeCall.objects.filter(trial=trial).count() == 9
        texts = dict(study.generations.values_list("pk", "text"))
        for one in trial.result["verdicts"]:
            lengths = [len(texts[one[side]]) for side in ("first", "second")]
            wanted = Vote.Outcome.TIE
            if lengths[0] != lengths[1]:
                wanted = 1 if lengths[0] > lengths[1] else 2
            assert one["outcome"] == wanted
        assert trial.result["inconsistency"]["value"] == 0
        assert trial.signature.startswith("llm_judge pairs|endpoint:lab/tiny|")
        assert (trial.done_items, trial.total_items) == (4, 4)

    def test_a_judge_that_takes_the_first_is_found_out(
        self, study, monkeypatch, tmp_path
    ):
        with served(monkeypatch, tmp_path, "A"):
            trial = work(started(study, n=6))
        assert trial.result["inconsistency"]["value"] == 1
        assert trial.result["bias"]["value"] == 1
        assert trial.result["n_first"] == 6
        assert {one["outcome"] for one in trial.result["verdicts"]} == {0}

    def test_asking_again_costs_nothing(self, study, monkeypatch, tmp_path):
        with served(monkeypatch, tmp_path, longest) as server:
            first = work(started(study, n=3))
            asked = len(server.asked)
            second = work(started(study, n=3))
        assert len(server.asked) == asked + 1  # who are you?
        assert second.result == first.result
        assert second.n_kept == 6

    def test_a_limit_that_is_reached_is_told(self, study, monkeypatch, tmp_path):
        with served(monkeypatch, tmp_path, longest, calls_at_once=1) as server:
            trial = work(started(study, n=4, limit=Limit(5)))
        assert len(server.asked) == 5
        assert (trial.state, trial.result["out_of_budget"]) == ("done", True)
        assert trial.result["reasons"] == {admission.CALLS_REACHED: 2}
        assert "so 2 of 4 pairs have no verdict" in trial.notes[0]

    def test_a_verdict_that_is_none_has_its_reason(self, study, monkeypatch, tmp_path):
        with served(monkeypatch, tmp_path, "A or B"):
            trial = work(started(study, n=2))
        assert trial.result["inconsistency"]["reason"] is not None
        [why] = trial.result["reasons"]
        assert why.startswith("the answer is not A, B or tie: “A or B”")

    def test_a_reason_with_characters_that_cannot_be_kept_is_kept_without_them(
        self, study, monkeypatch, tmp_path
    ):
        said = '{"reason": "Short\\u0000 and \\ud800 dry.", "verdict": "A"}'
        with served(monkeypatch, tmp_path, said):
            trial = work(started(study, n=1, mode="form"))
        assert trial.state == "done", trial.error
        assert trial.result["verdicts"][0]["said"] == "Short and  dry."

    def test_a_text_that_was_excluded_meanwhile_is_not_sent(
        self, study, monkeypatch, tmp_path
    ):
        with served(monkeypatch, tmp_path, longest) as server:
            trial = started(study, n=3)
            out = trial.setup["pairs"][0][0]
            study.generations.filter(pk=out).update(excluded_at=timezone.now())
            work(trial)
        gone = sum(out in duel for duel in trial.setup["pairs"])
        assert len(server.asked) == 1 + 2 * (3 - gone)
        assert "left out" in trial.notes[0]

    def test_a_refused_key_is_said_with_its_variable(
        self, study, monkeypatch, tmp_path
    ):
        monkeypatch.setenv("LAB_KEY", "sk-secret-1")
        with served(monkeypatch, tmp_path, 401, key_env="LAB_KEY"):
            trial = work(started(study, n=2))
        assert trial.state == "failed"
        assert "check the variable LAB_KEY" in trial.error
        assert "sk-secret-1" not in trial.error
