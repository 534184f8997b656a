"""Pages of dialogues, from the draw to the verdict and the statistics."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from django.urls import reverse

from annotation import answering, assigning, exports, human_scores, surveys
from annotation.kinds.dialogues.content import turns
from annotation.models import (
    Annotation,
    Generation,
    Item,
    Negative,
    Seat,
    Study,
    Verdict,
)
from annotation.quality import page_shapes, power
from annotation.simulation import simulating
from annotation.surveys import drawing, estimating
from annotation.watching import monitor, progress, rated_pages
from scoring.scores.examples import examples_of_negatives
from tests.annotation import talks
from tests.annotation.seating import NOON, asked, hire

READ = NOON + timedelta(minutes=15)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(alice) -> Study:
    return talks.opened(alice)


def sit(study: Study, name: str, seed: int = 3) -> Seat:
    seat = assigning.claim(
        worker=hire(study, name), now=NOON, rng=np.random.default_rng(seed)
    )
    assert seat is not None
    return Seat.objects.select_related("survey__study", "worker").get(pk=seat.pk)


def answers(seat: Seat, *, negative: int = 1, others: int = 4) -> dict:
    """To everything that is asked; the exchanged turn gets another answer."""
    page = turns(seat)
    return {
        (position, key): negative if page[position - 1].negative_id else others
        for position, key in asked(seat)
    }


def hand_in(seat: Seat, **values: int) -> Seat:
    # One answer differs, so that the page is not the same everywhere.
    given = answers(seat, **values)
    first = min(at for at in given if not turns(seat)[at[0] - 1].negative_id)
    given[first] = 3
    answering.submit(seat=seat, answers=given, now=READ)
    seat.refresh_from_db()
    return seat


class TestDrawing:
    def test_a_study_of_dialogues_has_pages_of_dialogues(self, alice):
        study = talks.make(alice)
        assert study.page_kinds == ["dialogue"]
        assert study.texts_per_survey == 2
        assert "conversation" in study.instructions

    def test_every_turn_and_every_whole_is_on_one_page(self, study):
        shown_once = Counter(
            Item.objects.filter(survey__study=study).values_list(
                "generation", flat=True
            )
        )
        del shown_once[None]
        assert set(shown_once) == set(study.generations.values_list("pk", flat=True))
        assert set(shown_once.values()) == {1}
        assert study.surveys.count() == 3

    def test_a_page_hides_one_dialogue_with_a_turn_from_elsewhere(self, study):
        for survey in study.surveys.all():
            negative = survey.negative
            source, dialogue = negative.source, negative.source.dialogue
            assert negative.text not in [turn.text for turn in dialogue.turns]
            role = dialogue.turns[source.turn].role
            elsewhere = [
                turn
                for other in study.dialogues.exclude(pk=dialogue.pk)
                for turn in other.turns
                if turn.text == negative.text
            ]
            assert elsewhere and {turn.role for turn in elsewhere} == {role}
            here = survey.items.filter(generation__isnull=False)
            assert not here.filter(generation__dialogue=dialogue).exists()
            decoys = survey.items.filter(decoy__isnull=False)
            assert decoys.count() == dialogue.generations.count() - 1

    def test_it_hurts_what_is_asked_of_turns(self, study):
        asked = talks.keys(study)["turn"]
        assert {tuple(n.hurts) for n in Negative.objects.all()} == {(asked,)}

    def test_one_dialogue_alone_cannot_have_a_damaged_one_beside_it(self, alice):
        study = talks.make(alice, dialogues=2)
        with pytest.raises(surveys.TransitionError, match="damaged dialogue"):
            surveys.open_study(study=study)

    def test_without_a_question_about_dialogues_only_turns_are_asked(self, alice):
        study = talks.make(alice)
        study.aspects.filter(about="dialogue").delete()
        surveys.open_study(study=study)
        whole = Item.objects.filter(generation__turn=None, generation__isnull=False)
        assert not whole.exists()
        assert not Item.objects.filter(decoy__turn=None, decoy__isnull=False).exists()

    def test_with_questions_about_dialogues_only_there_is_no_damaged_one(self, alice):
        study = talks.make(alice)
        study.aspects.filter(about="text").delete()
        with pytest.raises(surveys.TransitionError, match="a question about turns"):
            surveys.open_study(study=study)
        Study.objects.filter(pk=study.pk).update(damaged_texts="none")
        surveys.open_study(study=Study.objects.get(pk=study.pk))
        assert not Item.objects.filter(decoy__isnull=False).exists()
        assert set(Item.objects.values_list("generation__turn", flat=True)) == {None}

    def test_the_same_seed_draws_the_same_pages(self, alice):
        made = [talks.make(alice, name=name) for name in ("one", "two")]
        for study in made:
            surveys.draw(study=study)
        first, second = (
            [
                (n.source.key, n.text)
                for n in Negative.objects.filter(survey__study=study).order_by("pk")
            ]
            for study in made
        )
        assert first == second
        assert not drawing.needs_drawing(made[0])

    def test_turns_are_on_no_page_of_ratings(self, alice):
        study = talks.make(alice, page_kinds=["ratings"])
        with pytest.raises(surveys.TransitionError, match="only dialogues"):
            surveys.open_study(study=study)


class TestPages:
    def test_turns_stand_in_their_order_and_the_whole_last(self, study):
        texts = turns(sit(study, "ann"))
        by_talk: dict = {}
        for one in texts:
            by_talk.setdefault(one.dialogue.key, []).append(one.dialogue.turn)
        assert len(by_talk) == 3
        assert all(found == [1, 3, None] for found in by_talk.values())
        assert len({one.dialogue.key for one in texts[:3]}) == 1  # they stand together

    def test_dialogues_are_in_another_order_for_others(self, study):
        orders = {
            tuple(one.dialogue.key for one in turns(sit(study, f"w{k}", seed=k)))
            for k in range(5)
        }
        assert len(orders) > 1

    def test_a_turn_and_a_whole_are_asked_their_own_questions(self, study):
        seat, keys = sit(study, "ann"), talks.keys(study)
        for position, key in asked(seat):
            is_whole = turns(seat)[position - 1].dialogue.is_whole
            assert key == keys["whole" if is_whole else "turn"]
        assert len(asked(seat)) == len(seat.order) == 9
        wrong = {(3, keys["turn"]): 4}  # the third is a whole dialogue
        with pytest.raises(answering.BadAnswer):
            answering.save_all(seat=seat, answers=wrong, now=NOON)

    def test_all_of_the_damaged_dialogue_shows_the_exchanged_turn(self, study):
        seat = sit(study, "ann")
        negative = seat.survey.negative
        damaged = [one for one in turns(seat) if one.generation_id is None]
        assert len(damaged) == 3
        for one in damaged:
            assert one.dialogue.turns[negative.source.turn].text == negative.text

    def test_what_is_asked_of_its_other_turns_is_kept_and_counts_nowhere(self, study):
        seat = hand_in(sit(study, "ann"))
        kept = Annotation.objects.filter(seat=seat, decoy__isnull=False)
        assert kept.count() == 2
        counted = human_scores.ratings(study=study)
        assert counted.count() == 6
        assert counted.filter(decoy=None, generation__isnull=False).count() == 6
        rated = counted.values_list("generation__dialogue", flat=True)
        assert seat.survey.negative.source.dialogue_id not in set(rated)

    def test_an_excluded_turn_is_asked_of_nobody_any_more(self, study):
        survey = study.surveys.first()
        item = survey.items.filter(generation__turn=1).first()
        Generation.objects.filter(pk=item.generation_id).update(excluded_at=NOON)
        for name in "abcdef":
            worker = hire(study, name)
            seat = assigning.claim(worker=worker, now=NOON)
            assert seat is None or item.pk not in seat.order


class TestChecks:
    def test_a_careful_page_is_valid(self, study):
        seat = hand_in(sit(study, "ann"))
        assert seat.state == Seat.State.VALID

    def test_who_rates_the_exchanged_turn_above_all_others_is_discarded(self, study):
        seat = hand_in(sit(study, "ann"), negative=5, others=2)
        assert seat.state == Seat.State.DISCARDED

    def test_compared_are_the_real_turns_alone(self, study):
        """Neither wholes nor decoys, however they are rated."""
        seat = sit(study, "ann")
        page, keys = turns(seat), talks.keys(study)
        given = {}
        for position, key in asked(seat):
            one = page[position - 1]
            is_real_turn = one.generation_id and not one.dialogue.is_whole
            given[position, key] = 2 if is_real_turn else 5
            if one.negative_id:
                given[position, key] = 3
        answering.submit(seat=seat, answers=given, now=READ)
        verdict = Verdict.objects.get(seat=seat)
        assert not verdict.valid
        assert verdict.numbers["aspects"] == [keys["turn"]]
        assert len(verdict.numbers["texts"]) == 4
        assert verdict.numbers["failed"] == ["rule"]

    def test_the_same_answer_everywhere_is_seen_at_both_levels(self, study):
        policy = study.current_policy()
        policy.same_score, policy.same_faster_than = True, None
        policy.save()
        seat = sit(study, "ann")
        answering.submit(
            seat=seat, answers=answers(seat, negative=4, others=4), now=READ
        )
        assert Verdict.objects.get(seat=seat).numbers["same"] is True


class TestPower:
    def test_pages_are_as_large_as_they_have_real_turns(self, alice):
        study = talks.make(alice)
        planned = page_shapes.shapes(study=study)
        surveys.open_study(study=study)
        drawn = page_shapes.shapes(study=study)
        assert planned == drawn
        asked = talks.keys(study)["turn"]
        assert drawn == {page_shapes.Shape(4, (asked,)): 3}

    def test_what_the_rule_costs_is_known(self, study):
        found = page_shapes.shapes(study=study)
        told = power.of_policy(
            study=study,
            policy=study.current_policy(),
            found=found,
            rng=np.random.default_rng(1),
        )
        (chosen,) = (side for side in told.sides if side.chosen)
        assert 0 < chosen.random < 0.5


class TestCounts:
    def test_coverage_counts_turns_and_wholes(self, study):
        covered = progress.coverage(study=study)
        assert (covered.wanted, covered.texts, covered.valid) == (36, 18, 0)
        hand_in(sit(study, "ann"))
        assert progress.coverage(study=study).valid == 6
        filled = {row.answers: row.units[0] for row in monitor.filled(study=study)}
        assert (filled[0], filled[1]) == (12, 6)

    def test_a_page_wants_what_is_asked_on_it(self, study):
        sit(study, "ann")
        (sitting,) = monitor.sittings(study=study, now=NOON)
        assert (sitting.answered, sitting.wanted) == (0, 9)

    def test_simulated_people_fill_every_turn_and_dialogue(self, study):
        report = simulating.simulate(
            study=study, workers=12, rng=np.random.default_rng(5), now=NOON
        )
        assert report.valid == report.wanted == 6
        rated = Counter(
            human_scores.ratings(study=study).values_list("generation", flat=True)
        )
        assert set(rated) == set(study.generations.values_list("pk", flat=True))
        assert set(rated.values()) == {2}

    def test_exports_name_what_was_shown(self, study):
        hand_in(sit(study, "ann"))
        rows = list(exports.annotations(study=study))
        assert len(rows) == 9
        kinds = Counter(
            "text" if r["text"] else "negative" if r["negative_of"] else "decoy"
            for r in rows
        )
        assert kinds == {"text": 6, "negative": 1, "decoy": 2}
        assert all(r["decoy"] for r in rows if not (r["text"] or r["negative_of"]))


class TestResearchersPages:
    @pytest.fixture
    def seat(self, study) -> Seat:
        return hand_in(sit(study, "ann"))

    @pytest.fixture
    def member(self, client, alice):
        client.force_login(alice)
        return client

    def test_a_rated_page_names_decoys_and_asks_each_its_own(self, study, seat):
        rated = rated_pages.read(study=study, seat=seat)
        assert (rated.answers.n, rated.answers.n_asked) == (9, 9)
        for one in rated.answers.texts:
            (asked,) = (answer for answer in one.answers if answer.is_asked)
            assert asked.own is not None
            assert asked.aspect.is_of_dialogue == one.item.stands_for.is_dialogue

    @pytest.mark.parametrize(
        "page", ["study_survey 1", "study_texts", "study_review", "study_monitor"]
    )
    def test_pages_show_dialogues(self, member, study, seat, page):
        name, *more = page.split()
        found = member.get(reverse(name, args=[study.name, *more]))
        assert found.status_code == 200
        assert "Hi, this is talk" in found.content.decode() or "monitor" in name

    def test_the_page_of_a_seat_says_what_was_damaged(self, member, study, seat):
        url = reverse("seat_ratings", args=[study.name, seat.public_id])
        said = member.get(url).content.decode()
        assert "a turn exchanged with one of another dialogue" in said
        assert said.count("in the damaged dialogue") >= 2

    def test_the_preview_shows_a_page(self, member, alice):
        study = talks.make(alice, name="draft")
        url = reverse("worker_preview", args=[study.name])
        said = member.get(url).content.decode()
        assert "Dialogue A" in said and "The whole dialogue" in said
        surveys.draw(study=study)
        assert "Dialogue C" in member.get(url).content.decode()

    def test_minutes_count_each_dialogue_once(self, study):
        minutes = estimating.expected_minutes(study)
        text = max(len(g.text) for g in study.generations.filter(turn=None))
        assert minutes == estimating.minutes(characters=3 * text, answers=9)

    def test_a_metric_reads_the_exchanged_turn_behind_its_dialogue(self, study):
        negative = Negative.objects.select_related("survey__prompt").first()
        (found,) = examples_of_negatives([negative])
        assert found.text == negative.text
        assert found.source == negative.source.prompt.source
