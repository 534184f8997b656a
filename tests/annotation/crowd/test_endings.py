from __future__ import annotations

from decimal import Decimal

import pytest

from annotation.crowd import endings
from annotation.models import Study, Worker
from tests.annotation.seating import NOON

CODES = {
    "completion_code": "D0NE2345",
    "nothing_left_code": "FULL2345",
    "screen_out_code": "AWAY2345",
}


def worker(state: str = "active", **fields) -> Worker:
    study = Study(**{"platform": "prolific", **CODES, **fields})
    return Worker(study=study, state=state, debriefed_at=NOON)


def said(ending: endings.Ending) -> str:
    return " ".join([ending.heading, *ending.lines])


class TestOf:
    def test_who_rated_gets_the_code_and_the_way_home(self):
        ending = endings.of(worker(), 3)
        assert said(ending) == (
            "Thank you You rated 3 pages. All your answers are saved."
        )
        assert ending.code == "D0NE2345"
        assert ending.home(worker().study, "w1").endswith("complete?cc=D0NE2345")

    def test_who_came_too_late_gets_the_code_for_that(self):
        ending = endings.of(worker(), 0)
        assert "nothing left" in said(ending)
        assert "return your submission" not in said(ending)
        assert ending.code == "FULL2345"

    def test_without_such_a_code_the_platform_s_way_is_told(self):
        ending = endings.of(worker(nothing_left_code=""), 0)
        assert "return your submission" in said(ending)
        assert (ending.code, ending.home(worker().study, "w1")) == ("", None)

    @pytest.mark.parametrize("state", ["blocked", "excluded", "withdrawn"])
    def test_who_is_stopped_keeps_the_code_for_pages_handed_in(self, state):
        assert endings.of(worker(state), 2).code == "D0NE2345"
        assert endings.of(worker(state), 0).code == ""

    @pytest.mark.parametrize("state", ["active", "blocked", "excluded"])
    def test_the_code_comes_with_the_debriefing_and_not_before(self, state):
        going_on = worker(state)
        going_on.debriefed_at = None
        assert endings.of(going_on, 2).code == ""

    def test_who_is_found_by_checks_reads_no_accusation_and_what_is_paid(self):
        paid = {"pay_per_page": Decimal("0.80"), "contact": "kim@example.org"}
        read = said(endings.of(worker("blocked", pay_unused=True, **paid), 3))
        assert "not a judgement about you" in read
        assert "0.80 USD for each page you submit, even if we cannot use" in read
        assert "please write to kim@example.org" in read
        # Nothing that helps the next one, or tells what was hidden on the page.
        for word in ("damaged", "negative", "careless", "same answer", "chance"):
            assert word not in read

    def test_where_only_used_pages_are_paid_it_says_so(self):
        paid = {"pay_per_page": Decimal("0.80"), "pay_unused": False}
        read = said(endings.of(worker("blocked", **paid), 3))
        assert "that passes our checks" in read

    def test_each_of_them_reads_words_of_their_own(self):
        states = [state for state in Worker.State if state != "active"]
        assert len({said(endings.of(worker(state), 1)) for state in states}) == 4

    def test_who_is_screened_out_gets_the_code_for_that(self):
        ending = endings.of(worker("screened"), 0)
        assert "practice" in said(ending)
        assert ending.code == "AWAY2345"

    @pytest.mark.parametrize(
        ("platform", "told"), [("prolific", True), ("direct", False)]
    )
    def test_screened_out_without_a_code_a_platform_says_what_to_do(
        self, platform, told
    ):
        away = worker("screened", platform=platform, screen_out_code="")
        assert ("return your submission" in said(endings.of(away, 0))) is told


class TestNotOpen:
    @pytest.mark.parametrize("state", ["draft", "paused"])
    def test_who_may_come_back_gets_no_code(self, state):
        ending = endings.not_open(Study(state=state, **CODES), 0)
        assert "link later" in said(ending)
        assert ending.code == ""

    def test_a_closed_study_gives_newcomers_the_code_for_nothing_left(self):
        study = Study(state="closed", **CODES)
        assert endings.not_open(study, 0).code == "FULL2345"
        assert endings.not_open(study, 1).code == ""  # theirs is at the end


SONA = (
    "https://uni.sona-systems.com/webstudy_credit.aspx?experiment_id=12"
    "&credit_token=4e48f9&survey_code=XXXX"
)


class TestOwnAddress:
    """Sona and Connect take people back by an address that the study keeps."""

    def of(self, n_pages: int, **fields) -> tuple[endings.Ending, str | None]:
        one = worker(platform="sona", completion_url=SONA, **fields)
        ending = endings.of(one, n_pages)
        return ending, ending.home(one.study, "5512")

    def test_who_finished_gets_credit_by_their_own_code_and_no_other(self):
        ending, home = self.of(2)
        assert home == SONA.replace("XXXX", "5512")
        assert ending.code == ""  # nobody redeems one on Sona

    @pytest.mark.parametrize("state", ["active", "screened", "excluded"])
    def test_who_submitted_nothing_gets_none(self, state):
        assert self.of(0, state=state)[1] is None

    def test_who_withdrew_cannot_be_named_so_no_link_carries_them(self):
        ending, _ = self.of(2, state="withdrawn")
        study = worker(platform="sona", completion_url=SONA).study
        assert ending.home(study, "forgotten-0af3") is None

    def test_without_an_address_there_is_no_way_and_no_error(self):
        assert endings.of(worker(platform="sona"), 2).home(Study(), "5512") is None

    def test_an_address_kept_for_another_platform_leads_nowhere(self):
        one = worker(platform="connect", completion_url=SONA)
        ending = endings.of(one, 2)
        assert (ending.code, ending.home(one.study, "a1b2c3d4")) == ("D0NE2345", None)
