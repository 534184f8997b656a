"""Pages of corrections from the claim to the references that they become."""

from __future__ import annotations

import numpy as np
import pytest

from annotation import answering, assigning, exports, surveys, workers
from annotation.human_scores import corrections
from annotation.kinds.edits import words
from annotation.kinds.edits.content import originals
from annotation.kinds.edits.edit_drafts import CORRECTED, Sent
from annotation.kinds.edits.tables import CORRECTIONS
from annotation.models import Edit, Item, Policy, Seat, Verdict
from annotation.page_kinds import Position
from annotation.quality import rejudging
from annotation.simulation import rehearsing, simulate
from annotation.watching import attention, monitor, rated_pages, raters
from scoring.scores.examples import example_of
from tests.annotation.seating import LATER, NOON, expire, hand_in, hire, sit, state

REPAIRED = "They lived happily."


@pytest.fixture
def study(make_study):
    study = make_study(
        prompts=2, systems=("a", "b"), page_kinds=["edit"], ratings_per_text=2
    )
    surveys.open_study(study=study)
    return study


def corrected(
    seat: Seat, *, repair: bool = True, change: str = ""
) -> dict[Position, Sent]:
    """What a form brings: real texts with a word more, or with nothing to correct."""
    found = {}
    items = Item.objects.in_bulk(seat.order)
    for position, one in originals(seat).items():
        if items[one.item_id].negative_id:
            found[position, CORRECTED] = Sent(f"{one.rest} {REPAIRED}", False)
            if not repair:
                found[position, CORRECTED] = Sent(one.rest, True)
        elif change:
            found[position, CORRECTED] = Sent(f"{one.rest} {change}", False)
        else:
            found[position, CORRECTED] = Sent(one.rest, True)
    return found


def submit(seat: Seat, now=NOON, **how) -> Seat:
    return answering.submit(seat=seat, answers=corrected(seat, **how), now=now)


def save(seat: Seat, position: int, text=None, unchanged=None, now=NOON) -> None:
    answers = {(position, CORRECTED): Sent(text, unchanged)}
    answering.save_all(seat=seat, answers=answers, now=now)


class TestKeeping:
    def test_a_page_hides_one_damaged_text_among_real_ones(self, study):
        seat = sit(study, "ann")
        items = Item.objects.in_bulk(seat.order).values()
        assert sum(item.negative_id is not None for item in items) == 1
        assert len(items) == 3

    def test_the_opening_is_fixed_and_the_rest_keeps_every_space(self, study):
        study.generations.update(text="Once upon a time 0. One  two\n\n three ")
        seat = sit(study, "ann")
        prefix = seat.survey.prompt.prefix
        for one in originals(seat).values():
            assert one.opening.strip() == prefix
        text = study.generations.filter(prompt=seat.survey.prompt).first()
        own = [
            o.text for o in originals(seat).values() if o.item_id == text.items.get().pk
        ]
        assert own == [text.full_text]

    def test_a_draft_is_kept_as_it_was_typed(self, study):
        seat = sit(study, "ann")
        save(seat, 1, "So  far\n\n ", None)
        save(seat, 2, None, True)
        drafts = Edit.objects.filter(seat=seat).order_by("pk")
        assert [(d.rest, d.unchanged) for d in drafts][0] == ("So  far\n\n ", False)
        assert [d.unchanged for d in drafts][1] is True

    def test_a_text_sent_twice_is_one_row_with_the_last_words(self, study):
        seat = sit(study, "ann")
        save(seat, 1, "one")
        save(seat, 1, "two")
        assert Edit.objects.get(seat=seat).rest == "two"

    def test_a_changed_text_wins_over_the_tick(self, study):
        seat = sit(study, "ann")
        save(seat, 1, "other words", True)
        assert Edit.objects.get(seat=seat).unchanged is False

    def test_who_types_after_ticking_unticks(self, study):
        seat = sit(study, "ann")
        own = originals(seat)[1]
        save(seat, 1, None, True)
        save(seat, 1, own.rest)
        assert Edit.objects.get(seat=seat).unchanged is False

    def test_an_expired_seat_with_a_draft_can_be_resumed(self, study):
        seat = sit(study, "ann")
        save(seat, 1, "a draft")
        expire(study=study, now=LATER)
        assert assigning.resume(worker=seat.worker, now=LATER).pk == seat.pk

    def test_a_text_beyond_the_size_of_its_field_is_refused_and_the_draft_stays(
        self, study
    ):
        seat = sit(study, "ann")
        save(seat, 1, "a draft")
        most = originals(seat)[1].most
        with pytest.raises(answering.BadAnswer):
            save(seat, 1, "x" * (most + 1))
        save(seat, 2, "x" * originals(seat)[2].most)
        assert Edit.objects.filter(seat=seat).first().rest == "a draft"

    def test_ratings_are_no_answer_here(self, study):
        seat = sit(study, "ann")
        with pytest.raises(answering.BadAnswer):
            answering.save_all(seat=seat, answers={(1, "coherence"): 3}, now=NOON)

    def test_nor_are_corrections_on_a_page_of_ratings(self, make_study):
        other = make_study(name="rated")
        surveys.open_study(study=other)
        with pytest.raises(answering.BadAnswer):
            save(sit(other, "ann"), 1, "x")


class TestSubmitting:
    def test_every_text_needs_a_correction_or_a_tick(self, study):
        seat = sit(study, "ann")
        own = originals(seat)
        answers = corrected(seat) | {
            (1, CORRECTED): Sent(own[1].rest, False),  # neither
            (2, CORRECTED): Sent("  ", False),  # deleted
        }
        with pytest.raises(answering.Missing) as error:
            answering.submit(seat=seat, answers=answers, now=NOON)
        assert error.value.answers == [(1, "corrected"), (2, "corrected")]
        assert state(seat) == Seat.State.CLAIMED

    def test_a_repaired_page_counts(self, study):
        seat = submit(sit(study, "ann"))
        assert seat.state == Seat.State.VALID
        numbers = Verdict.objects.get(seat=seat).numbers
        assert numbers["damaged_changed"] == 3 and numbers["edited"]["changed"] == 0

    def test_sent_twice_is_submitted_once(self, study):
        seat = submit(sit(study, "ann"))
        again = submit(seat, change="other")
        assert again.state == Seat.State.VALID
        assert Verdict.objects.filter(seat=seat).count() == 1
        assert not Edit.objects.filter(seat=seat, rest__endswith="other").exists()


class TestChecks:
    def policy(self, study, **fields) -> Policy:
        version = study.current_policy().version + 1
        return Policy.objects.create(study=study, version=version, **fields)

    def test_who_leaves_the_damaged_text_is_discarded_and_the_place_is_free(
        self, study
    ):
        seat = submit(sit(study, "ann"), repair=False)
        assert seat.state == Seat.State.DISCARDED
        verdict = Verdict.objects.get(seat=seat)
        assert verdict.reason == "No word of the damaged text was changed."
        assert verdict.numbers["failed"] == ["untouched"]
        assert study.places.filter(free=False).count() == 0

    def test_a_policy_may_ask_for_less(self, study):
        self.policy(study, edit_untouched=False)
        assert submit(sit(study, "ann"), repair=False).state == Seat.State.VALID

    def test_a_page_outside_the_limits_is_flagged_and_counts(self, study):
        self.policy(study, edit_high=5)
        seat = submit(sit(study, "ann"), change="with a few words more")
        assert seat.state == Seat.State.VALID
        assert "more than 5" in Verdict.objects.get(seat=seat).numbers["outside"]

    def test_or_is_discarded(self, study):
        self.policy(study, edit_low=5, edit_discard=True)
        seat = submit(sit(study, "ann"))
        assert seat.state == Seat.State.DISCARDED
        assert "fewer than 5" in Verdict.objects.get(seat=seat).reason

    def test_checks_of_ratings_rest(self, study):
        self.policy(
            study,
            same_score=True,
            same_pages=2,
            worker_p=0.1,
            chance_odds=50,
            with_others=True,
            worker_pages=2,
        )
        worker = hire(study, "ann")
        for _ in range(2):
            seat = assigning.claim(worker=worker, now=NOON)
            assert submit(seat).state == Seat.State.VALID

    def test_another_policy_judges_again(self, study, alice):
        seat = submit(sit(study, "ann"), change="more")
        wanted = Policy(study=study, edit_low=90, edit_discard=True, edit_high=None)
        pages = rejudging.pages_for(study=study, policy=wanted, now=NOON)
        after = rejudging.preview(study=study, policy=wanted, pages=pages, now=NOON)
        assert after == {seat.pk: Seat.State.DISCARDED}
        rejudging.apply(study=study, policy=wanted, user=alice, now=NOON)
        assert state(seat) == Seat.State.DISCARDED


class TestReferences:
    def test_corrections_on_valid_pages_are_references_of_their_own_text(self, study):
        seat = submit(sit(study, "ann"), change="indeed.")
        texts = study.generations.filter(items__in=seat.order)
        found = corrections.of_texts(study.generations.all())
        assert found == {t.pk: (f"{t.full_text} indeed.",) for t in texts}
        assert example_of(texts.first()).targeted == found[texts.first().pk]

    def test_nothing_to_correct_makes_the_text_its_own_reference(self, study):
        seat = submit(sit(study, "ann"))
        text = study.generations.filter(items__in=seat.order).first()
        assert corrections.of_texts(study.generations.all())[text.pk] == (
            text.full_text,
        )

    def test_those_of_discarded_pages_are_not(self, study):
        submit(sit(study, "ann"), repair=False)
        assert corrections.of_texts(study.generations.all()) == {}
        assert not corrections.exist(study=study)

    def test_nor_drafts(self, study):
        save(sit(study, "ann"), 1, "a draft")
        assert not corrections.exist(study=study)

    def test_who_withdraws_takes_theirs_along(self, study):
        seat = submit(sit(study, "ann"))
        assert corrections.exist(study=study)
        workers.withdraw(worker=seat.worker, now=NOON)
        assert not Edit.objects.exists()
        assert not corrections.exist(study=study)

    def test_an_excluded_worker_takes_theirs_along_and_back(self, study, alice):
        seat = submit(sit(study, "ann"))
        workers.exclude(worker=seat.worker, reason="no", user=alice, now=NOON)
        assert not corrections.exist(study=study)
        workers.include(worker=seat.worker, user=alice, now=NOON)
        assert corrections.exist(study=study)


class TestWatching:
    def test_a_page_shows_what_was_changed(self, study):
        seat = submit(sit(study, "ann"), change="indeed.")
        page = rated_pages.read(study=study, seat=seat)
        assert (page.answers.n, page.answers.n_asked) == (3, 3)
        real = [one for one in page.answers.texts if one.item.generation]
        assert [one.correction.n_changed for one in real] == [1, 1]
        assert real[0].correction.text == f"{real[0].item.generation.full_text} indeed."
        titles = [check.title for check in page.verdicts[0][1]]
        assert titles[:2] == [
            "Damaged text not corrected",
            "Too few or too many words changed",
        ]

    def test_the_monitor_counts_texts_that_have_a_draft(self, study):
        seat = sit(study, "ann")
        save(seat, 1, "a draft")
        (found,) = monitor.sittings(study=study, now=NOON)
        assert (found.answered, found.wanted) == (1, 3)

    def test_the_monitor_counts_valid_corrections_of_texts(self, study):
        submit(sit(study, "ann"))
        submit(sit(study, "ben"), repair=False)
        found = {f.answers: (*f.units, f.surveys) for f in monitor.filled(study=study)}
        assert found == {0: (2, 1), 1: (2, 1), 2: (0, 0)}

    def test_unusual_corrections_need_attention(self, study):
        Policy.objects.create(study=study, version=2, edit_high=5)
        seat = submit(sit(study, "ann"), change="a few words more")
        (subject,) = attention.read(study=study).subjects
        (finding,) = subject.findings
        assert finding.kind == "changes" and finding.seats == [seat.pk]
        rater = raters.raters(study=study, workers=[seat.worker])[seat.worker_id]
        real = Edit.objects.filter(seat=seat, item__negative=None)
        total = sum(len(words.words(edit.rest)) for edit in real)
        assert rater.changed.value == pytest.approx(100 * 8 / total)

    def test_usual_ones_do_not(self, study):
        submit(sit(study, "ann"))
        assert attention.read(study=study).subjects == []


class TestExports:
    def test_each_text_is_a_row_with_its_fate(self, study):
        submit(sit(study, "ann"), repair=False)
        submit(sit(study, "ben"), change="indeed.")
        rows = list(CORRECTIONS.rows(study=study))
        assert [row["state"] for row in rows] == ["discarded"] * 3 + ["valid"] * 3
        real = [row for row in rows if row["state"] == "valid" and row["text"]]
        assert {row["changed_words"] for row in real} == {1}
        assert all(row["after"] == f"{row['before']} indeed." for row in real)
        (damaged,) = [row for row in rows if row["negative_of"]][1:]
        assert damaged["perturbation"] and not damaged["nothing_to_correct"]
        assert "ben" not in {row["rater"] for row in rows}

    def test_references_have_those_of_valid_pages(self, study):
        submit(sit(study, "ann"), change="indeed.")
        rows = list(exports.references(study=study))
        assert {row["kind"] for row in rows} == {"targeted"} and len(rows) == 2


class TestSimulation:
    def test_careful_people_repair_and_careless_ones_are_discarded(self, study):
        found = simulate(
            study=study,
            workers=8,
            mix={"straight-lining": 0.5, "careful": 0.5},
            rng=np.random.default_rng(1),
            now=NOON,
        )
        assert found.valid == found.wanted == 4
        assert found.discarded["straight-lining"] == found.submitted["straight-lining"]
        assert found.discarded.get("careful", 0) <= 1
        assert len(corrections.of_texts(study.generations.all())) == 4

    def test_worse_texts_are_changed_more(self, study):
        texts = list(study.generations.values_list("pk", flat=True))
        simulate(
            study=study,
            workers=8,
            mix={"careful": 1.0},
            truth={pk: [5.0 if pk in texts[:2] else 1.0] * 3 for pk in texts},
            rng=np.random.default_rng(1),
            now=NOON,
        )
        rows = {
            row["text"]: row["changed_words"] for row in CORRECTIONS.rows(study=study)
        }
        keys = list(study.generations.values_list("key", flat=True))
        assert max(rows[key] for key in keys[:2]) < min(rows[key] for key in keys[2:])


def test_a_study_of_corrections_needs_no_question(make_study):
    study = make_study(name="plain", aspects=(), page_kinds=["edit"])
    surveys.open_study(study=study)
    assert submit(sit(study, "ann")).state == Seat.State.VALID
    assert submit(sit(study, "ben"), repair=False).state == Seat.State.DISCARDED
    assert attention.read(study=study).subjects


def test_corrections_and_ratings_follow_each_other(make_study):
    study = make_study(
        name="both", prompts=2, page_kinds=["ratings", "edit"], ratings_per_text=1
    )
    surveys.open_study(study=study)
    worker = hire(study, "ann")
    kinds = []
    while seat := assigning.claim(worker=worker, now=NOON):
        kinds.append(seat.survey.kind)
        if seat.survey.kind == "edit":
            assert submit(seat).state == Seat.State.VALID
        else:
            assert hand_in(seat).state == Seat.State.VALID
    assert kinds == ["ratings"] * 2 + ["edit"] * 2
    assert len(corrections.of_texts(study.generations.all())) == 8


def test_a_study_of_corrections_can_be_rehearsed(make_study):
    study = make_study(name="plain", aspects=(), page_kinds=["edit"])
    found = rehearsing.rehearse(
        study=study,
        workers=12,
        mix={"straight-lining": 0.25, "careful": 0.75},
        rng=np.random.default_rng(1),
        now=NOON,
    )
    kinds = {one.kind: one for one in found.kinds}
    assert kinds["straight-lining"].discarded == kinds["straight-lining"].pages > 0
    assert kinds["careful"].pages > 0 and not Edit.objects.exists()
