from __future__ import annotations

import pytest

from annotation.models import Report
from annotation.watching import reports
from tests.annotation.seating import LATER, NOON, lay_out, sit


@pytest.fixture
def seat(make_study):
    study = make_study(prompts=1)
    lay_out(study)
    return sit(study, "w1")


def say(seat, reason: str, position: int = 2, now=NOON) -> Report:
    return reports.report(seat=seat, position=position, reason=reason, now=now)


class TestReport:
    def test_it_names_the_text_by_its_position_on_the_page(self, seat):
        made = say(seat, " It insults someone. ", position=3)
        assert made.item_id == seat.order[2]
        assert (made.reason, made.reported_at) == ("It insults someone.", NOON)
        assert made.state == Report.State.OPEN

    def test_the_same_text_again_adds_to_what_was_said(self, seat):
        say(seat, "It insults someone.")
        say(seat, "It is cut off.", now=LATER)
        say(seat, "It is cut off.", now=LATER)
        report = Report.objects.get()
        assert report.reason == "It insults someone.\nIt is cut off."
        assert report.reported_at == NOON

    @pytest.mark.parametrize("reason", ["", "  \n", "\x00"])
    def test_nothing_said_is_refused(self, seat, reason):
        with pytest.raises(reports.BadReport, match="Say what"):
            say(seat, reason)
        assert not Report.objects.exists()

    @pytest.mark.parametrize("position", [0, 6, -1])
    def test_a_text_that_is_not_on_the_page_is_refused(self, seat, position):
        with pytest.raises(reports.BadReport, match=f"1 to 5, got {position}"):
            say(seat, "It is cut off.", position=position)

    def test_a_novel_is_cut(self, seat):
        assert len(say(seat, "x" * 5000).reason) == reports.MAX_CHARACTERS
