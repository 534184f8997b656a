from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from django.core.management import call_command

from annotation.models import Annotation, Pair, Seat, Study, comparing
from annotation.simulation import rehearsing, simulate
from annotation.simulation.rehearsing import Rehearsal
from annotation.votes import reading
from tests.annotation.pairing import open_pairs
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db

BOTH = ("ratings", "pair")
CAREFUL = {"careful": 1.0}


@pytest.fixture
def study(make_study) -> Study:
    """Systems a to c, each better than the one before."""
    study = make_study(prompts=8, systems=("a", "b", "c"), ratings_per_text=3)
    return open_pairs(study, texts_per_survey=6)


def run(study, *, workers=12, mix=CAREFUL, seed=1, **more):
    rng = np.random.default_rng(seed)
    return simulate(study=study, workers=workers, mix=mix, rng=rng, now=NOON, **more)


def rehearse(study, mix=CAREFUL, workers=12, **more) -> Rehearsal:
    rng = np.random.default_rng(1)
    return rehearsing.rehearse(
        study=study, workers=workers, mix=mix, rng=rng, now=NOON, **more
    )


def shares(study) -> dict[tuple[str, str], float]:
    """How often the better of two systems won, of the votes for one of them."""
    names = dict(study.systems.values_list("pk", "name"))
    won: Counter[tuple[str, str]] = Counter()
    for row in reading.rows(study=study):
        if row.outcome:
            first, second = names[row.first], names[row.second]
            won[(first, second) if row.outcome == 1 else (second, first)] += 1
    better = [("c", "b"), ("c", "a"), ("b", "a")]
    return {(x, y): won[x, y] / (won[x, y] + won[y, x]) for x, y in better}


def test_it_covers_every_pair(study):
    report = run(study)
    assert report.coverage == 1
    valid = Annotation.objects.filter(seat__state="valid", pair__second__isnull=False)
    n = Counter(valid.values_list("pair", flat=True))
    assert len(n) == 24 and set(n.values()) == {3 * 3}


def test_better_systems_win_more_often(study):
    run(study)
    found = shares(study)
    assert found["c", "a"] > 0.9
    assert min(found.values()) > 0.65


def test_what_is_true_of_the_texts_decides(study):
    """All texts alike: about as many votes for one as for the other."""
    texts = study.generations.values_list("pk", flat=True)
    run(study, truth={pk: (3.0, 3.0, 3.0) for pk in texts})
    assert all(0.35 < share < 0.65 for share in shares(study).values())


@pytest.mark.slow
def test_careful_workers_prefer_the_undamaged_text_and_random_ones_do_not(make_study):
    study = make_study(prompts=8, systems=("a", "b", "c"), ratings_per_text=15)
    open_pairs(study, texts_per_survey=6)
    run(study, workers=60, mix={"careful": 0.5, "random": 0.5})
    checks = Annotation.objects.filter(pair__second=None, value__isnull=False)
    right: dict[str, list[bool]] = {"careful": [], "random": []}
    for row in checks.select_related("aspect", "item__negative", "seat__worker"):
        if row.aspect.key in row.item.negative.hurts:
            kind = row.seat.worker.external_id.split("-")[1]
            right[kind].append(comparing.lead(row.value) > 0)
    assert np.mean(right["careful"]) > 0.85
    assert 0.15 < np.mean(right["random"]) < 0.55


def test_who_skims_presses_one_answer_everywhere(study):
    run(study, workers=4, mix={"straight-lining": 1.0})
    for seat in Seat.objects.filter(submitted_at__isnull=False):
        rows = seat.annotations.values_list("item_id", "value")
        pressed = {comparing.seen(v, flipped=i in seat.flipped) for i, v in rows}
        assert len(pressed) == 1


def test_sides_do_not_decide(study):
    run(study)
    left = [row.outcome == 1 for row in reading.rows(study=study) if row.outcome]
    assert 0.4 < np.mean(left) < 0.6


def test_an_aspect_where_low_is_good_is_turned_round(study):
    """A text with more of it is worse, so the other one is called better."""
    study.aspects.update(higher_is_better=False)
    run(study)
    assert max(shares(study).values()) < 0.35


def test_answers_are_those_that_the_study_offers(make_study):
    for name, ties, strength, offered in (
        ("plain", False, False, {2, 4}),
        ("full", True, True, {1, 2, 3, 4, 5}),
    ):
        made = make_study(name=name, prompts=12, systems=("a", "b", "c"))
        study = open_pairs(made, pair_ties=ties, pair_strength=strength)
        run(study)
        rows = Annotation.objects.filter(aspect__study=study)
        assert set(rows.values_list("value", flat=True)) == offered


def test_a_study_of_both_kinds_is_covered_ratings_first(make_study):
    made = make_study(prompts=4, systems=("a", "b"), ratings_per_text=2)
    study = open_pairs(made, kinds=BOTH)
    assert run(study).coverage == 1
    for worker in study.workers.all():
        seats = worker.seats.order_by("claimed_at", "pk").select_related("survey")
        parts = [seat.survey.part for seat in seats]
        assert parts == sorted(parts)


def test_reading_a_pair_takes_as_long_as_both_texts(study):
    run(study, workers=8)
    minutes = [
        (seat.submitted_at - seat.claimed_at).total_seconds() / 60
        for seat in Seat.objects.filter(submitted_at__isnull=False)
    ]
    # About 7 pairs of 2 x 200 characters, read with 23 a second, and 21 answers.
    assert 2 < np.median(minutes) < 6


class TestRehearsals:
    def test_a_draft_is_rehearsed_and_left_alone(self, make_study):
        draft = make_study(prompts=6, systems=("a", "b", "c"), page_kinds=["pair"])
        found = rehearse(draft)
        assert found.covered and found.wanted == 2 * found.surveys
        assert not Pair.objects.exists()
        draft.refresh_from_db()
        assert draft.state == Study.State.DRAFT

    def test_the_pairs_of_an_open_study_are_those_that_are_drawn(self, study):
        before = list(Pair.objects.values_list("first", "second"))
        assert rehearse(study).covered
        assert list(Pair.objects.values_list("first", "second")) == before

    def test_agreement_is_of_pairs_and_of_ratings_apart(self, make_study):
        draft = make_study(prompts=6, page_kinds=list(BOTH), aspects=("coherence",))
        titles = [(one.title, one.level) for one in rehearse(draft).aspects]
        assert titles == [("Coherence", "ordinal"), ("Coherence, pairs", "ordinal")]

    def test_careless_pages_lower_agreement(self, make_study):
        draft = make_study(prompts=8, ratings_per_text=4, page_kinds=["pair"])
        found = rehearse(draft, {"careful": 0.6, "random": 0.4}, workers=30)
        assert sum(kind.discarded for kind in found.kinds) > 0
        for one in found.aspects:
            assert one.with_control.value > one.without_control.value

    def test_the_command_prints_it(self, study, capsys):
        call_command("simulate", "ferry", "--workers", "12", "--json")
        told = json.loads(capsys.readouterr().out)
        assert told["covered"] is True
        assert {one["title"] for one in told["aspects"]} == {
            "Coherence, pairs",
            "Consistency, pairs",
            "Relevance, pairs",
        }
